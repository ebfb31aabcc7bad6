"""PANDA-R-GIN against its equation."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from panda_gnn.nn import PandaRGINConv, WidthPartition
from tests.nn.graphs import CASES, MIXED, as_list, assert_states, random_states
from tests.nn.literal import message, sums
from tests.nn.test_rgcn import types_of


def layer(*widths: Any, **options: Any) -> Any:
    torch.manual_seed(0)
    conv = PandaRGINConv(*widths, num_relations=3, **options)
    return conv.double().eval()


def literal(
    conv: Any, data: Data, types: Tensor, x: tuple[Tensor, Tensor], relations: list[int]
) -> list[Tensor]:
    """W_root h_v + b + sum_r MLP_r((1 + eps_r) h_v + sum over N_r(v) of m_uv)."""
    h = as_list(data, *x)
    out = [
        (conv.high if high else conv.low).root(state)
        for state, high in zip(h, data.high, strict=True)
    ]
    for r in relations:
        own = data.edge_index[:, types == r]
        totals = sums(h, own, lambda u, v: message(conv, data.high, h, u, v))
        for v, total in enumerate(totals):
            gin = (conv.high if data.high[v] else conv.low).relations[r]
            out[v] = out[v] + gin.mlp(((1 + gin.eps) * h[v] + total).view(1, -1))[0]
    return out


@pytest.mark.parametrize("data", CASES)
def test_equals_the_equation(data: Data) -> None:
    conv = layer((4, 6), (5, 7), eps=0.3)
    x, types = random_states(data, 4, 6), types_of(data)
    found = conv(x, WidthPartition(data.edge_index, data.high, edge_type=types))
    assert_states(data, found, literal(conv, data, types, x, [0, 1, 2]))


def test_gradients() -> None:
    conv = layer((4, 6), (4, 6), hidden_norm=False, activation=torch.tanh)
    partition = WidthPartition(MIXED.edge_index, MIXED.high, edge_type=types_of(MIXED))
    low, high = (part.requires_grad_() for part in random_states(MIXED, 4, 6))
    assert torch.autograd.gradcheck(lambda a, b: conv((a, b), partition), (low, high))
