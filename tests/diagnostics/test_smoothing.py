"""The Dirichlet energy against the dense normalised Laplacian."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Batch, Data

from panda_gnn.diagnostics import dirichlet_energy, node_states
from panda_gnn.errors import InputError
from panda_gnn.nn import PandaGNN
from tests.odd_graphs import ODD_GRAPHS


def dense_energy(states: Tensor, data: Data) -> float:
    """Tr(H^T (I - D^-1/2 A D^-1/2) H), with a zero row for a node without edges."""
    num_nodes = int(data.num_nodes or 0)
    adjacency = torch.zeros(num_nodes, num_nodes, dtype=torch.float64)
    adjacency[data.edge_index[0], data.edge_index[1]] = 1
    degree = adjacency.sum(1)
    scale = torch.diag(
        torch.where(degree > 0, degree.clamp(min=1).rsqrt(), torch.zeros(1).double())
    )
    laplacian = torch.diag((degree > 0).double()) - scale @ adjacency @ scale
    return float((states.T @ laplacian @ states).trace())


@pytest.mark.parametrize("name", ODD_GRAPHS)
def test_dense_laplacian(name: str) -> None:
    data = ODD_GRAPHS[name]
    expected = dense_energy(data.x, data)
    assert float(dirichlet_energy(data.x, data.edge_index)) == pytest.approx(expected, abs=1e-12)


def test_every_graph_has_its_own_energy() -> None:
    graphs = list(ODD_GRAPHS.values())
    batch = Batch.from_data_list(graphs)
    expected = torch.tensor([dense_energy(g.x, g) for g in graphs], dtype=torch.float64)
    energies = dirichlet_energy(batch.x, batch.edge_index, batch.batch, reduction="none")
    torch.testing.assert_close(energies, expected, atol=1e-12, rtol=0)
    mean = dirichlet_energy(batch.x, batch.edge_index, batch.batch)
    torch.testing.assert_close(mean, expected.mean())


def test_relative_energy_is_a_rayleigh_quotient() -> None:
    data = ODD_GRAPHS["barbell"]
    energy = float(dirichlet_energy(data.x, data.edge_index))
    for scale in (1.0, 1e-3, 50.0):
        found = dirichlet_energy(scale * data.x, data.edge_index, relative=True)
        assert float(found) == pytest.approx(energy / float(data.x.square().sum()))
    nothing = torch.zeros_like(data.x)
    assert float(dirichlet_energy(nothing, data.edge_index, relative=True)) == 0


def test_smooth_states_have_no_energy() -> None:
    data = ODD_GRAPHS["barbell"]
    degree = data.edge_index[0].bincount().double()
    smooth = degree.sqrt()[:, None] * torch.tensor([[1.0, -2.0]], dtype=torch.float64)
    assert float(dirichlet_energy(smooth, data.edge_index)) == pytest.approx(0, abs=1e-12)
    assert float(dirichlet_energy(torch.ones_like(smooth), data.edge_index)) > 0.1


def test_weighted_edges() -> None:
    """An edge of weight two is the same as two edges of weight one."""
    data = ODD_GRAPHS["grid"]
    doubled = torch.cat(
        [data.edge_index, data.edge_index[:, :2], data.edge_index[:, :2].flip(0)], 1
    )
    weight = torch.ones(data.num_edges, dtype=torch.float64)
    for edge in torch.cat([data.edge_index[:, :2], data.edge_index[:, :2].flip(0)], 1).t():
        weight[(data.edge_index == edge[:, None]).all(0)] += 1
    torch.testing.assert_close(
        dirichlet_energy(data.x, data.edge_index, edge_weight=weight),
        dirichlet_energy(data.x, doubled, edge_weight=torch.ones(doubled.size(1))),
    )


def test_edges_of_no_weight_have_no_energy() -> None:
    edges, weights = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), torch.tensor([0.0, 0.0, 1.0, 1.0])
    states = torch.tensor([[5.0], [1.0], [2.0]], dtype=torch.float64)
    energy = dirichlet_energy(states, edges, edge_weight=weights)
    assert float(energy) == pytest.approx(1.0)


def test_states_of_two_widths() -> None:
    """Between a low and a high node, channels only one of them has count by their size."""
    data = ODD_GRAPHS["one edge"].clone()
    data.high = torch.tensor([False, True])
    model = PandaGNN(3, 2, width=2, high_width=4, num_layers=1).double().eval()
    states = node_states(model, data)[0]
    low, high = states.values.detach()
    assert states.width.tolist() == [2, 4]
    expected = (low[:2] - high[:2]).square().sum() + high[2:].square().sum()
    torch.testing.assert_close(dirichlet_energy(states.values.detach(), data.edge_index), expected)


def test_bad_input_gets_one_sentence() -> None:
    data = ODD_GRAPHS["path"]
    with pytest.raises(InputError, match="unknown reduction 'sum'"):
        dirichlet_energy(data.x, data.edge_index, reduction="sum")
    with pytest.raises(InputError, match="batch of 3 nodes"):
        dirichlet_energy(data.x, data.edge_index, torch.zeros(3, dtype=torch.long))
    one_way = torch.tensor([[0, 1], [1, 2]])
    with pytest.raises(InputError, match="dirichlet_energy needs an undirected graph"):
        dirichlet_energy(torch.rand(3, 1), one_way)
    both = torch.tensor([[0, 1], [1, 0]])
    with pytest.raises(InputError, match="edge_weight is negative"):
        dirichlet_energy(torch.rand(3, 1), both, edge_weight=torch.tensor([1.0, -1]))
    with pytest.raises(InputError, match="edge_weight has 3 rows"):
        dirichlet_energy(torch.rand(3, 1), both, edge_weight=torch.ones(3))
    with pytest.raises(InputError, match=r"has the edge \(0, 1\)"):
        dirichlet_energy(torch.rand(1, 1), both)
    with pytest.raises(InputError, match=r"states are torch\.int64"):
        dirichlet_energy(torch.ones(2, 1, dtype=torch.long), both)
    with pytest.raises(InputError, match="batch has the graph 1, but num_graphs is 1"):
        dirichlet_energy(torch.rand(2, 1), both[:, :0], torch.tensor([0, 1]), num_graphs=1)


def test_a_repeated_edge_counts_once_and_weights_of_its_copies_add_up() -> None:
    states = torch.tensor([[1.0], [2.0], [5.0]], dtype=torch.float64)
    path = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    repeated = torch.cat([path, path[:, :2]], dim=1)
    once = dirichlet_energy(states, path)
    assert float(dirichlet_energy(states, repeated)) == pytest.approx(float(once), abs=1e-14)
    weights = torch.tensor([0.5, 0.5, 1.0, 1.0, 1.5, 1.5], dtype=torch.float64)
    added = torch.tensor([2.0, 2.0, 1.0, 1.0], dtype=torch.float64)
    assert float(dirichlet_energy(states, repeated, edge_weight=weights)) == pytest.approx(
        float(dirichlet_energy(states, path, edge_weight=added)), abs=1e-14
    )
