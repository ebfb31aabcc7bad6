"""PANDA-R-GCN against its equation and against PyG's R-GCN."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.nn import RGCNConv

from panda_gnn.errors import InputError
from panda_gnn.nn import Edges, PandaRGCNConv, RGCNLayer, WidthPartition
from tests.nn.graphs import CASES, MIXED, as_list, assert_states, random_states
from tests.nn.literal import message, neighbours


def layer(*widths: Any, **options: Any) -> Any:
    torch.manual_seed(0)
    return PandaRGCNConv(*widths, num_relations=3, **options).double()


def types_of(data: Data) -> Tensor:
    """A relation for each edge; the last of the three is rare."""
    return torch.arange(data.num_edges) * 7 % 5 % 3


def literal(conv: Any, data: Data, types: Tensor, x: tuple[Tensor, Tensor]) -> list[Tensor]:
    """W_root h_v + b + sum_r mean over N_r(v) of W_r m_uv."""
    h = as_list(data, *x)
    out = []
    for v in range(data.num_nodes):
        side = conv.high if data.high[v] else conv.low
        total = side.root.weight @ h[v] + side.root.bias
        for r in range(3):
            own = [e for e in neighbours(data.edge_index, v) if types[e] == r]
            for e in own:
                heard = message(conv, data.high, h, int(data.edge_index[0, e]), v)
                total = total + heard @ side.weight[r] / len(own)
        out.append(total)
    return out


@pytest.mark.parametrize("data", CASES)
def test_equals_the_equation(data: Data) -> None:
    conv = layer((4, 6), (5, 7))
    x, types = random_states(data, 4, 6), types_of(data)
    found = conv(x, WidthPartition(data.edge_index, data.high, edge_type=types))
    assert_states(data, found, literal(conv, data, types, x))


def test_without_types_there_is_one_relation() -> None:
    conv = layer((4, 6), (5, 7))
    x = random_states(MIXED, 4, 6)
    zeros = torch.zeros(MIXED.num_edges, dtype=torch.long)
    found = conv(x, WidthPartition(MIXED.edge_index, MIXED.high))
    assert_states(MIXED, found, literal(conv, MIXED, zeros, x))


def test_relations_have_weights_of_their_own() -> None:
    conv = layer((4, 6), (5, 7))
    x, types = random_states(MIXED, 4, 6), types_of(MIXED)
    before = conv(x, WidthPartition(MIXED.edge_index, MIXED.high, edge_type=types))
    conv.low.weight.data[2] += 1.0
    after = conv(x, WidthPartition(MIXED.edge_index, MIXED.high, edge_type=types))
    rare = set(MIXED.edge_index[1, types == 2].tolist())
    moved = (after[0] - before[0]).abs().sum(1) > 0
    low = (~MIXED.high).nonzero().view(-1)[moved].tolist()
    assert set(low) == {v for v in rare if not MIXED.high[v]}


def test_plain_layer_is_pygs() -> None:
    torch.manual_seed(0)
    ours, theirs = RGCNLayer(3, 5, num_relations=3).double(), RGCNConv(3, 5, 3).double()
    theirs.weight.data = ours.weight.data
    theirs.root.data = ours.root.weight.data.t()
    types = types_of(MIXED)
    found = ours(MIXED.x, Edges.of_graph(MIXED.edge_index, 12, edge_type=types))
    expected = theirs(MIXED.x, MIXED.edge_index, types)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)


def test_gradients() -> None:
    conv = layer((4, 6), (4, 6), activation=torch.tanh)
    partition = WidthPartition(MIXED.edge_index, MIXED.high, edge_type=types_of(MIXED))
    low, high = (part.requires_grad_() for part in random_states(MIXED, 4, 6))
    assert torch.autograd.gradcheck(lambda a, b: conv((a, b), partition), (low, high))


def test_unknown_relations_are_named() -> None:
    types = torch.full((MIXED.num_edges,), 3)
    with pytest.raises(InputError, match=r"edge_type goes from 3 to 3, but .* num_relations=3"):
        layer(4, 5)(
            random_states(MIXED, 4, 4),
            WidthPartition(MIXED.edge_index, MIXED.high, edge_type=types),
        )
    with pytest.raises(InputError, match="num_relations must be a whole number, 1 or more, not 0"):
        RGCNLayer(3, 4, num_relations=0)
