"""The layers of the authors' released code, against what it does."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from panda_gnn.nn import PandaGCNConv, WidthPartition
from panda_gnn.nn.released import (
    ReleasedGCNConv,
    ReleasedGINConv,
    ReleasedRGCNConv,
    ReleasedRGINConv,
)
from tests.nn import test_gin, test_rgin
from tests.nn.graphs import MIXED, as_list, assert_states, random_states
from tests.nn.literal import message, normalised_sum, sums
from tests.nn.test_rgcn import types_of


def layer(kind: Any, *widths: Any, **options: Any) -> Any:
    torch.manual_seed(0)
    return kind(*widths, **options).double()


def literal_released(conv: Any, data: Data, x: tuple[Tensor, Tensor]) -> list[Tensor]:
    """W h_v + sum_u m_uv / sqrt(d_u d_v) with self-loops, messages made of the W h."""
    h = [
        (conv.high if high else conv.low).linear.weight @ state
        for state, high in zip(as_list(data, *x), data.high, strict=True)
    ]
    sums = normalised_sum(
        h, data.edge_index, None, True, lambda u, v: message(conv, data.high, h, u, v)
    )
    return [(own + total).clamp(min=0) for own, total in zip(h, sums, strict=True)]


@pytest.mark.parametrize("widths", [((4, 6), (5, 8)), ((4, 6), (3, 3))])
def test_gcn_layer(widths: tuple[tuple[int, int], tuple[int, int]]) -> None:
    conv = layer(ReleasedGCNConv, *widths)
    x = random_states(MIXED, 4, 6)
    found = conv(x, WidthPartition(MIXED.edge_index, MIXED.high))
    assert_states(MIXED, found, literal_released(conv, MIXED, x))


def test_the_last_layer_permutes_class_scores() -> None:
    conv = layer(ReleasedGCNConv, (4, 6), (3, 3))
    assert conv.selector is not None
    assert layer(PandaGCNConv, (4, 6), (3, 3)).selector.width == 4


@pytest.mark.parametrize("widths", [((4, 6), (5, 8)), (4, (3, 5))])
def test_gin_layer(widths: tuple[tuple[int, int], tuple[int, int]]) -> None:
    conv = layer(ReleasedGINConv, *widths, eps=0.7).eval()
    assert conv.low.eps == 0
    if conv.expand is not None:
        assert conv.expand.bias is not None
        assert conv.selector.score == "relu"
    x = random_states(MIXED, *conv.in_channels)
    found = conv(x, WidthPartition(MIXED.edge_index, MIXED.high))
    assert_states(MIXED, found, test_gin.literal(conv, MIXED, x))


def test_rgcn_never_looks_at_relations() -> None:
    conv = layer(ReleasedRGCNConv, (4, 6), (5, 7), num_relations=3)
    x = random_states(MIXED, 4, 6)
    h = as_list(MIXED, *x)
    totals = sums(h, MIXED.edge_index, lambda u, v: message(conv, MIXED.high, h, u, v))
    expected = []
    for v, total in enumerate(totals):
        side = conv.high if MIXED.high[v] else conv.low
        expected.append(side.root.weight @ h[v] + sum(total @ w for w in side.weight))
    for types in (types_of(MIXED), None):
        found = conv(x, WidthPartition(MIXED.edge_index, MIXED.high, edge_type=types))
        assert_states(MIXED, found, expected)


def test_rgin_keeps_only_the_last_relation() -> None:
    conv = layer(ReleasedRGINConv, (4, 6), (5, 7), num_relations=3).eval()
    x = random_states(MIXED, 4, 6)
    everything = torch.full((MIXED.num_edges,), 2)
    expected = test_rgin.literal(conv, MIXED, everything, x, [2])
    for types in (types_of(MIXED), None):
        found = conv(x, WidthPartition(MIXED.edge_index, MIXED.high, edge_type=types))
        assert_states(MIXED, found, expected)
