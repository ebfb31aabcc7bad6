from __future__ import annotations

import math

import pytest
import torch
from torch_geometric.data import Data

from panda_gnn.diagnostics.spectrum import spectral_gap
from panda_gnn.errors import InputError
from tests.diagnostics.test_resistance import bipartite, cycle, hypercube, path, petersen
from tests.odd_graphs import clique, undirected
from tests.rewiring.rewired import GRAPHS, random_graph

CASES = [pytest.param(data, id=name) for name, data in GRAPHS.items()]


@pytest.mark.parametrize("data", CASES)
def test_equals_the_literal_eigenvalue(data: Data) -> None:
    adjacency = torch.zeros(data.num_nodes, data.num_nodes, dtype=torch.float64)
    adjacency[data.edge_index[0], data.edge_index[1]] = 1
    adjacency.fill_diagonal_(0)
    scale = adjacency.sum(0).pow(-0.5).nan_to_num(posinf=0)
    normalised = (adjacency.sum(0) > 0).double().diag() - scale[:, None] * adjacency * scale
    values = torch.linalg.eigvalsh(normalised)
    expected = float(values[1]) if data.num_nodes > 1 else 0
    assert spectral_gap(data) == pytest.approx(expected, abs=1e-9)


def test_closed_forms() -> None:
    n = 12
    for data, expected in [
        (clique(n), n / (n - 1)),
        (path(n), 1 - math.cos(math.pi / (n - 1))),
        (cycle(n), 1 - math.cos(2 * math.pi / n)),
        (bipartite(1, n), 1),
        (bipartite(3, 5), 1),
        (hypercube(4), 2 / 4),
        (petersen(), 2 / 3),
    ]:
        assert spectral_gap(data) == pytest.approx(expected, abs=1e-9)


def test_zero_for_disconnected_graphs_and_for_one_node() -> None:
    for data in (undirected(0), undirected(1), undirected(3), undirected(5, (0, 1), (1, 2))):
        assert spectral_gap(data) == 0


def test_large_graphs_agree_with_closed_forms() -> None:
    n = 3000
    assert spectral_gap(cycle(n)) == pytest.approx(1 - math.cos(2 * math.pi / n), rel=1e-7)
    assert spectral_gap(path(n)) == pytest.approx(1 - math.cos(math.pi / (n - 1)), rel=1e-7)
    assert spectral_gap(bipartite(1, n)) == pytest.approx(1, rel=1e-7)
    assert spectral_gap(hypercube(11)) == pytest.approx(2 / 11, rel=1e-7)


def test_sparse_and_dense_ways_agree() -> None:
    graphs = [random_graph(300, probability, seed) for seed, probability in enumerate([0.02, 0.3])]
    dense = [spectral_gap(data) for data in graphs]
    assert [spectral_gap(data, dense_nodes=10) for data in graphs] == pytest.approx(dense, rel=1e-7)


def test_a_directed_graph_is_refused() -> None:
    with pytest.raises(InputError, match="spectral_gap needs an undirected graph"):
        spectral_gap(Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2))
