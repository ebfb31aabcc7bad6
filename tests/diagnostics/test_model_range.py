"""The range of a model: closed forms, exact tasks, and what has no distance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import networkx as nx
import pytest
import torch
from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.utils import from_networkx, to_dense_adj

from panda_gnn.diagnostics import (
    effective_resistance,
    graph_range,
    hop_distances,
    node_range,
    range_of_influence,
    walk_range,
)
from panda_gnn.errors import InputError
from panda_gnn.nn import GNN, PandaGNN
from panda_gnn.nn.backend import backend
from panda_gnn.transforms import ExpandWidth
from tests.odd_graphs import ODD_GRAPHS, clique, undirected


def graph(made: nx.Graph, features: int = 1) -> Data:
    data = from_networkx(made)
    generator = torch.Generator().manual_seed(0)
    data.x = torch.rand(data.num_nodes, features, dtype=torch.float64, generator=generator)
    return data


def averaging(rounds: int) -> Callable[[Tensor, Data], Tensor]:
    def function(x: Tensor, data: Data) -> Tensor:
        adjacency = to_dense_adj(data.edge_index, max_num_nodes=x.size(0))[0].to(x.dtype)
        step = adjacency + torch.eye(x.size(0), dtype=x.dtype)
        power: Tensor = torch.linalg.matrix_power(step / step.sum(1, keepdim=True), rounds)
        return power @ x

    return function


@pytest.mark.parametrize(
    ("made", "rounds", "expected"),
    [
        (nx.cycle_graph(20), 1, 2 / 3),
        (nx.cycle_graph(20), 2, 8 / 9),
        (nx.cycle_graph(20), 3, 10 / 9),
        (nx.cycle_graph(50), 8, 1.82899),
        (nx.path_graph(5), 1, 0.6),
        (nx.path_graph(5), 2, 0.76667),
        (nx.path_graph(5), 3, 0.92037),
        (nx.star_graph(4), 2, 0.872),
    ],
)
def test_averaging(made: nx.Graph, rounds: int, expected: float) -> None:
    data = graph(made)
    assert walk_range(data, rounds).mean == pytest.approx(expected, abs=6e-6)
    if made.number_of_nodes() < 10:
        assert node_range(averaging(rounds), data).mean == pytest.approx(expected, abs=6e-6)
        by_rows = node_range(averaging(rounds), data, nodes=made.number_of_nodes())
        assert by_rows.mean == pytest.approx(expected, abs=6e-6)


@pytest.mark.parametrize(
    ("made", "hops", "ohm"),
    [
        (nx.path_graph(5), 1.6, 1.6),
        (nx.cycle_graph(6), 1.5, 0.97222),
        (nx.star_graph(4), 1.28, 1.28),
    ],
)
def test_uniform_influence(made: nx.Graph, hops: float, ohm: float) -> None:
    data = graph(made)
    everywhere = torch.ones(data.num_nodes, data.num_nodes)
    distance = hop_distances(data, torch.arange(data.num_nodes))
    assert range_of_influence(everywhere, distance).mean == pytest.approx(hops)
    resistance = effective_resistance(data)
    assert range_of_influence(everywhere, resistance).mean == pytest.approx(ohm, abs=6e-6)


@pytest.mark.parametrize("distance", [1, 3])
def test_a_task_at_one_distance_has_that_range(distance: int) -> None:
    data = graph(nx.cycle_graph(9))
    hops = hop_distances(data, torch.arange(9))
    mean = (hops == distance).double() / 2
    assert node_range(lambda x, data: mean @ x, data, nodes=9).mean == distance


def test_pairs_of_edges_have_range_one_half() -> None:
    data = graph(nx.lollipop_graph(4, 3), features=2)

    def energy(x: Tensor, data: Data) -> Tensor:
        source, target = data.edge_index
        return ((x[source] - x[target]) ** 2).sum() / 2

    measured = graph_range(energy, data)
    assert measured.of_nodes.tolist() == pytest.approx([0.5] * 7)
    alone = undirected(4, (0, 1))
    assert graph_range(energy, alone).of_nodes.tolist() == pytest.approx([0.5, 0.5, 0, 0])


def test_second_derivatives_of_our_models() -> None:
    data = ExpandWidth("degree", 2)(ODD_GRAPHS["grid"])
    torch.manual_seed(0)
    sizes: dict[str, Any] = {"width": 4, "num_layers": 2, "dropout": 0.0}
    for model in (GNN(3, 2, **sizes), PandaGNN(3, 2, high_width=6, **sizes)):
        model.double().eval()
        assert graph_range(model, data).mean == 0  # pieces of linear functions
        assert 0 < node_range(model, data).mean < 2

    def smooth(x: Tensor, data: Data) -> Tensor:
        scores: Tensor = model(x, data.edge_index, data.high)
        return scores.logsumexp(1)

    assert 0 < graph_range(smooth, data).mean < 3
    hops = hop_distances(data, torch.arange(12))
    with backend("torch"):
        hessian = torch.autograd.functional.hessian(lambda x: smooth(x, data), data.x)
    literal = range_of_influence(hessian.abs().sum((1, 3)), hops)
    assert graph_range(smooth, data).mean == pytest.approx(literal.mean)


def test_a_linear_model_has_no_second_derivatives() -> None:
    """Its first ones depend on weights alone."""

    class Linear(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear(2, 1)

        def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
            out: Tensor = self.linear(x).sum(0)
            return out

    data = Data(x=torch.rand(3, 2), edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]))
    assert graph_range(Linear(), data).of_nodes.tolist() == [0, 0, 0]


def test_distances_stay_those_of_the_original_graph() -> None:
    original, rewired = graph(nx.path_graph(6)), graph(nx.complete_graph(6))
    assert node_range(averaging(1), rewired).mean == pytest.approx(5 / 6)
    kept = node_range(averaging(1), rewired, distance_graph=original)
    assert kept.mean == pytest.approx(70 / 36)


def test_virtual_nodes_have_no_distance() -> None:
    original, larger = graph(nx.path_graph(4)), graph(nx.star_graph(4))
    kept = node_range(averaging(2), larger, distance_graph=original)
    assert kept.nodes.tolist() == [0, 1, 2, 3]


def test_other_components_have_no_distance_and_are_counted() -> None:
    data = undirected(4, (0, 1), (2, 3))
    measured = node_range(lambda x, data: x.sum(0, keepdim=True).expand(4, -1), data, nodes=4)
    assert measured.mean == pytest.approx(0.5)
    assert measured.apart == pytest.approx(0.5)
    nothing = node_range(lambda x, data: 0 * x, data, nodes=4)
    assert nothing.of_nodes.tolist() == [0, 0, 0, 0]
    assert nothing.apart == 0


def test_both_distances_agree_on_trees() -> None:
    data = graph(nx.full_rary_tree(2, 7))
    for function in (averaging(2), averaging(3)):
        by_hops = node_range(function, data)
        assert node_range(function, data, distance="resistance").mean == pytest.approx(by_hops.mean)


def test_sampled_channels_and_nodes() -> None:
    torch.manual_seed(0)
    model = GNN(3, 2, width=5, num_layers=2).double()
    some = node_range(model, ODD_GRAPHS["grid"], nodes=4, channels=2, layer=1)
    assert some.nodes.numel() == 4
    whole = node_range(model, ODD_GRAPHS["grid"], nodes=some.nodes, layer=1)
    exact = node_range(model, ODD_GRAPHS["grid"], layer=1)
    assert whole.of_nodes.tolist() == pytest.approx(exact.of_nodes[some.nodes].tolist())


def test_mistakes() -> None:
    with pytest.raises(InputError, match="influence has shape"):
        range_of_influence(torch.ones(2, 2), torch.ones(2, 3))
    with pytest.raises(InputError, match="unknown distance 'miles'"):
        walk_range(clique(3), 1, distance="miles")
    with pytest.raises(InputError, match="at most 4096"):
        graph_range(lambda x, data: x.sum(), Data(x=torch.ones(5000, 1), num_nodes=5000))
    with pytest.raises(InputError, match="scores of one graph"):
        graph_range(lambda x, data: x, ODD_GRAPHS["grid"])
