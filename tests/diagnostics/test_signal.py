"""Signal propagation against the paper's formula, one source and one node at a time."""

from __future__ import annotations

import networkx as nx
import pytest
import torch
from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.utils import to_networkx

from panda_gnn.diagnostics import hop_distances, node_states, signal_propagation
from panda_gnn.errors import InputError
from panda_gnn.nn import GNN, PandaGNN
from tests.odd_graphs import ODD_GRAPHS


def literal_signal(model: nn.Module, data: Data, source: int, width: int, unit: str) -> float:
    """The formula of the appendix, with k from networkx."""
    distance = nx.single_source_shortest_path_length(to_networkx(data), source)
    others = [u for u in distance if u != source]
    if not others:
        return 0.0
    x = torch.zeros(int(data.num_nodes or 0), width, dtype=torch.float64)
    x[source] = width**-0.5
    with torch.no_grad():
        states = node_states(model, data, x)[-1]
    total = states.values.abs().sum()
    value = 0.0
    for u in others:
        own: Tensor = states.values[u, : int(states.width[u])]
        norm = own.norm() * own.numel() if unit == "node" else total
        if norm > 0:
            value += float((own / norm).sum()) * distance[u]
    return value / float(max(distance[u] for u in others))


@pytest.mark.parametrize("unit", ["node", "graph"])
@pytest.mark.parametrize("name", ODD_GRAPHS)
def test_literal_formula(name: str, unit: str) -> None:
    data = ODD_GRAPHS[name].clone()
    data.high = torch.arange(int(data.num_nodes or 0)) % 3 == 0
    torch.manual_seed(0)
    for model in (
        GNN(5, 4, width=6, num_layers=2).double().eval(),
        PandaGNN(5, 4, backbone="gin", width=6, high_width=9, num_layers=2).double().eval(),
    ):
        found = signal_propagation(model, data, in_channels=5, unit=unit)
        assert found.sources.numel() == min(10, int(data.num_nodes or 0))
        expected = [literal_signal(model, data, int(v), 5, unit) for v in found.sources]
        torch.testing.assert_close(found.of_sources, torch.tensor(expected).double())
        assert found.mean == pytest.approx(sum(expected) / len(expected))


def test_hidden_states_of_two_widths() -> None:
    """A channel mean is over the node's own channels, not over those of the widest node."""
    data = ODD_GRAPHS["star"].clone()
    data.high = torch.arange(8) == 0
    torch.manual_seed(0)
    model = PandaGNN(5, 2, width=4, high_width=16, num_layers=2).double().eval()
    leaf = torch.tensor([1])
    found = signal_propagation(model, data, in_channels=5, sources=leaf, layer=0)
    x = torch.zeros(8, 5, dtype=torch.float64)
    x[1] = 5**-0.5
    low, high = node_states(model, data, x)[0].values[[1, 0]].detach()
    assert bool((low[4:] == 0).all())
    assert found.mean == pytest.approx(float((high / high.norm()).sum()) / 16 / 2)


def test_one_layer_reaches_one_hop() -> None:
    """All weights one: the only node that hears anything is the neighbour, at 1 of 5 hops."""
    data = ODD_GRAPHS["path"]
    model = GNN(1, 1, width=1, num_layers=1).double()
    with torch.no_grad():
        next(model.parameters()).fill_(1.0)
    found = signal_propagation(model, data, in_channels=1, sources=torch.tensor([0]), layer=0)
    assert found.mean == pytest.approx(1 / 5)


def test_shares_of_the_whole_signal_stay_below_one() -> None:
    torch.manual_seed(0)
    model = GNN(8, 2, width=8, num_layers=3).double()
    for data in ODD_GRAPHS.values():
        found = signal_propagation(model, data, in_channels=8, unit="graph", layer=2)
        assert 0 <= found.mean <= 1


def test_distances_may_come_from_another_graph() -> None:
    """After a rewiring, the signal at a far node counts by how far it was."""
    path, cycle = ODD_GRAPHS["path"], ODD_GRAPHS["path"].clone()
    cycle.edge_index = torch.cat([path.edge_index, torch.tensor([[0, 5], [5, 0]])], dim=1)
    model = GNN(1, 1, width=1, num_layers=1).double()
    with torch.no_grad():
        next(model.parameters()).fill_(1.0)
    found = signal_propagation(
        model, cycle, in_channels=1, sources=torch.tensor([0]), layer=0, distance_graph=path
    )
    assert found.mean == pytest.approx(1 / 5 + 5 / 5)


def test_silence_is_no_signal() -> None:
    """GIN's biases give every node a state; without them only what was heard counts."""
    data = ODD_GRAPHS["path"]
    torch.manual_seed(0)
    model = GNN(4, 2, backbone="gin", width=8, num_layers=1).double()
    end = torch.tensor([0])
    loud = signal_propagation(model, data, in_channels=4, sources=end, layer=0)
    heard = signal_propagation(
        model, data, in_channels=4, sources=end, layer=0, subtract_silence=True
    )
    x = torch.zeros(6, 4, dtype=torch.float64)
    x[0] = 0.5
    states = node_states(model.eval(), data, x)[0].values.detach()
    one_hop = (states[1] - states[5]).abs()
    assert heard.mean == pytest.approx(float((one_hop / one_hop.norm()).mean()) / 5)
    assert abs(loud.mean) > 2 * heard.mean


def test_many_sources_in_pieces() -> None:
    data = ODD_GRAPHS["barbell"]
    torch.manual_seed(0)
    model = GNN(4, 2, width=4).double()
    whole = signal_propagation(model, data, in_channels=4, sources=9)
    pieces = signal_propagation(model, data, in_channels=4, sources=9, rows_at_once=20)
    torch.testing.assert_close(whole.of_sources, pieces.of_sources)


def test_same_seed_same_sources() -> None:
    data = ODD_GRAPHS["grid"]
    model = GNN(4, 2, width=4).double()
    draws = [
        signal_propagation(model, data, in_channels=4, sources=5, seed=seed).sources.tolist()
        for seed in (0, 0, 1)
    ]
    assert draws[0] == draws[1] != draws[2]


def test_hop_distances() -> None:
    hops = hop_distances(ODD_GRAPHS["two components"], torch.tensor([3, 0]))
    assert hops[0].tolist() == [torch.inf] * 3 + [0, 1, 2, 3, 4]
    assert hops[1].tolist() == [0, 1, 1] + [torch.inf] * 5


def test_bad_input_gets_one_sentence() -> None:
    data = ODD_GRAPHS["path"]
    model = GNN(4, 2, width=4).double()
    empty = Data(edge_index=torch.zeros(2, 0, dtype=torch.long), num_nodes=0)
    cases = [
        (data, {"unit": "channel"}, "unknown unit 'channel'"),
        (data, {"sources": 0}, "sources must be a whole number, 1 or more, not 0"),
        (data, {"sources": torch.tensor([6])}, "among 0..5"),
        (data, {"source_feature": torch.ones(3)}, "3 entries, but in_channels is 4"),
        (empty, {}, "no nodes"),
    ]
    for graph, options, message in cases:
        with pytest.raises(InputError, match=message):
            signal_propagation(model, graph, in_channels=4, **options)  # type: ignore[arg-type]


def test_low_nodes_that_hear_count_by_their_own_width() -> None:
    """Two hops through the high hub of a star: the other leaves have four channels, not sixteen."""
    data = ODD_GRAPHS["star"].clone()
    data.high = torch.arange(8) == 0
    torch.manual_seed(0)
    model = PandaGNN(5, 2, width=4, high_width=16, num_layers=2).double().eval()
    found = signal_propagation(model, data, in_channels=5, sources=torch.tensor([1]), layer=1)
    x = torch.zeros(8, 5, dtype=torch.float64)
    x[1] = 5**-0.5
    states = node_states(model, data, x)[1].values.detach()
    hub, leaves = states[0], states[2:, :4]
    assert float(leaves.norm(dim=1).min()) > 0
    expected = float((hub / hub.norm()).sum()) / 16 / 2
    expected += sum(float((leaf / leaf.norm()).sum()) / 4 for leaf in leaves)
    assert found.mean == pytest.approx(expected, rel=1e-12)
