from __future__ import annotations

import itertools
from pathlib import Path

import pytest
import torch
from torch_geometric.data import Batch, Data

from panda_gnn.diagnostics.spectrum import spectral_gap
from panda_gnn.errors import InputError
from panda_gnn.rewiring.base import both_directions
from panda_gnn.rewiring.expander import Expander, cayley_graph, expander_edges, group_size
from tests.odd_graphs import ODD_GRAPHS, undirected
from tests.rewiring.rewired import (
    GRAPHS,
    TU_NAMES,
    assert_contract,
    assert_simple,
    pairs,
    tu_graphs,
)


def whole(modulus: int) -> Data:
    size = group_size(modulus)
    return Data(edge_index=both_directions(cayley_graph(modulus), size), num_nodes=size)


@pytest.mark.parametrize("modulus", range(1, 10))
def test_the_group_has_the_size_of_the_formula(modulus: int) -> None:
    matrices = itertools.product(range(modulus), repeat=4)
    count = sum((a * d - b * c - 1) % modulus == 0 for a, b, c, d in matrices)
    assert group_size(modulus) == count


@pytest.mark.parametrize("modulus", range(2, 10))
def test_cayley_graphs_are_regular_connected_and_expand(modulus: int) -> None:
    data = whole(modulus)
    assert_simple(data)
    degree = data.edge_index[0].bincount(minlength=data.num_nodes)
    assert set(degree.tolist()) == {2 if modulus == 2 else 4}
    assert spectral_gap(data) > 0.1


def test_the_smallest_group_is_the_symmetric_group_of_three() -> None:
    assert spectral_gap(whole(2)) == pytest.approx(0.5, abs=1e-9)  # a cycle of six


@pytest.mark.parametrize("num_nodes", [1, 2, 3, 6, 7, 24, 25, 100, 500])
def test_first_nodes_in_breadth_first_order_stay_connected(num_nodes: int) -> None:
    edges = expander_edges(num_nodes)
    assert edges.numel() == 0 or int(edges.max()) == num_nodes - 1
    reached = [True] + [False] * (num_nodes - 1)
    for u, v in sorted(pairs(edges), key=lambda pair: pair[1]):
        reached[v] |= reached[u]  # every node but the first has an earlier neighbour
    assert all(reached)
    degree = edges.flatten().bincount(minlength=num_nodes)
    assert int(degree.max()) <= 4


@pytest.mark.parametrize("name", GRAPHS)
def test_interleaved_leaves_the_graph_alone(name: str) -> None:
    data = GRAPHS[name]
    after = Expander()(data)
    assert torch.equal(after.edge_index, data.edge_index)
    assert "edge_type" not in after
    assert "expander_edge_index" not in data
    assert_simple(Data(edge_index=after.expander_edge_index, num_nodes=data.num_nodes))
    assert pairs(after.expander_edge_index) == pairs(expander_edges(data.num_nodes))


def test_contract_when_edges_are_added() -> None:
    assert_contract(Expander(interleaved=False))
    star = ODD_GRAPHS["star"]
    union = pairs(star.edge_index) | pairs(expander_edges(8))
    assert pairs(Expander(interleaved=False)(star).edge_index) == union


def test_batches_move_the_expander_with_its_nodes() -> None:
    batch = Batch.from_data_list([Expander()(ODD_GRAPHS["path"]), Expander()(ODD_GRAPHS["cycle"])])
    expected = pairs(expander_edges(6)) | {(u + 6, v + 6) for u, v in pairs(expander_edges(7))}
    assert pairs(batch.expander_edge_index) == expected


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match="Expander needs an undirected graph"):
        Expander()(Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2))
    with pytest.raises(InputError, match="Expander writes expander_edge_index"):
        Expander()(Expander()(undirected(3)))


@pytest.mark.thorough
def test_real_graphs(mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    transform = Expander()
    for name in TU_NAMES:
        for data in tu_graphs(mirror, tmp_path_factory.getbasetemp(), name):
            after = transform(data)
            assert after.expander_edge_index.size(1) >= 2 * (data.num_nodes - 1)
