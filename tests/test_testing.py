"""The property checks find what they look for."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from panda_gnn.errors import InputError
from panda_gnn.testing import (
    assert_batch_invariant,
    assert_permutation_equivariant,
    assert_reduces_to,
)
from tests.odd_graphs import ODD_GRAPHS

GRID = ODD_GRAPHS["grid"]


def degrees(data: Data) -> Tensor:
    return torch.bincount(data.edge_index[1], minlength=data.num_nodes).double()


def first_node(data: Data) -> Tensor:
    x: Tensor = data.x
    return x - x[:1]


def test_good_models_pass() -> None:
    assert_permutation_equivariant(degrees, GRID)
    assert_permutation_equivariant(lambda data: degrees(data).sum(), GRID, level="graph")
    assert_batch_invariant(degrees, [GRID, ODD_GRAPHS["star"]])
    assert_reduces_to(degrees, lambda data: degrees(data) + 1e-14, [GRID])


def test_bad_models_fail() -> None:
    with pytest.raises(AssertionError):
        assert_permutation_equivariant(first_node, GRID)
    with pytest.raises(AssertionError):
        assert_batch_invariant(first_node, [GRID, ODD_GRAPHS["star"]])
    with pytest.raises(AssertionError):
        assert_reduces_to(degrees, lambda data: degrees(data) + 1e-6, [GRID])


def by_place(data: Data) -> Tensor:
    """A little more for every node before it in the batch."""
    return 100 + 1e-9 * torch.arange(data.num_nodes, dtype=torch.float64)


def test_models_that_are_slightly_wrong_fail_unless_that_is_tolerated() -> None:
    graphs = [GRID, ODD_GRAPHS["star"]]
    with pytest.raises(AssertionError):
        assert_permutation_equivariant(by_place, GRID)
    with pytest.raises(AssertionError):
        assert_permutation_equivariant(lambda data: data.edge_index[0, :1], GRID, level="graph")
    with pytest.raises(AssertionError):
        assert_batch_invariant(by_place, graphs)
    with pytest.raises(AssertionError):
        assert_reduces_to(by_place, lambda data: by_place(data) + 1e-9, graphs)
    assert_permutation_equivariant(by_place, GRID, tolerance=1e-7)
    assert_batch_invariant(by_place, graphs, tolerance=1e-7)
    assert_reduces_to(by_place, lambda data: by_place(data) + 1e-9, graphs, tolerance=1e-7)


def test_the_seed_decides_which_order_is_tried() -> None:
    seen: list[list[int]] = []

    def note(data: Data) -> Tensor:
        seen.append(data.number.tolist())
        return torch.zeros(1)

    data = GRID.clone()
    data.number = torch.arange(data.num_nodes)
    for seed in (0, 0, 1):
        assert_permutation_equivariant(note, data, level="graph", seed=seed)
    assert seen[0] == seen[2] == seen[4] == list(range(12))
    assert seen[1] == seen[3] != seen[5]
    assert sorted(seen[1]) == sorted(seen[5]) == seen[0]
    with pytest.raises(InputError, match="unknown level 'edge': choose one of node, graph"):
        assert_permutation_equivariant(degrees, GRID, level="edge")


def test_edge_values_move_with_their_edges() -> None:
    data = GRID.clone()
    data.edge_weight = torch.arange(data.num_edges, dtype=torch.float64)

    def incoming(data: Data) -> Tensor:
        out = torch.zeros(data.num_nodes, dtype=torch.float64)
        return out.index_add(0, data.edge_index[1], data.edge_weight)

    assert_permutation_equivariant(incoming, data)
