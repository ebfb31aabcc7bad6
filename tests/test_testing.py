"""The property checks find what they look for."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

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


def test_edge_values_move_with_their_edges() -> None:
    data = GRID.clone()
    data.edge_weight = torch.arange(data.num_edges, dtype=torch.float64)

    def incoming(data: Data) -> Tensor:
        out = torch.zeros(data.num_nodes, dtype=torch.float64)
        return out.index_add(0, data.edge_index[1], data.edge_weight)

    assert_permutation_equivariant(incoming, data)
