"""PANDA-GCN against its equations and against PyG's GCN."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv

from panda_gnn import backend
from panda_gnn.errors import InputError
from panda_gnn.nn import Edges, GCNLayer, PandaGCNConv, WidthPartition
from tests.nn.graphs import CASES, MIXED, as_list, assert_states, random_states
from tests.nn.literal import message, normalised_sum


def layer(*widths: Any, **options: Any) -> Any:
    torch.manual_seed(0)
    return PandaGCNConv(*widths, **options).double()


@pytest.mark.parametrize("name", ["compiled", "torch"])
@pytest.mark.parametrize("weighted", [False, True])
def test_of_a_self_loop_that_is_listed_twice_the_last_counts(name: str, weighted: bool) -> None:
    edge_index = torch.tensor([[1, 0, 1, 2, 1, 1, 0], [1, 1, 0, 2, 1, 2, 0]])
    weight = torch.arange(1.0, 8.0, dtype=torch.double) if weighted else None
    x = torch.randn(3, 4, dtype=torch.double)
    torch.manual_seed(0)
    plain = GCNLayer(4, 5).double()
    reference = GCNConv(4, 5).double()
    with torch.no_grad():
        reference.lin.weight.copy_(plain.linear.weight)
        reference.bias.copy_(plain.linear.bias)
    with backend(name):
        found = plain(x, Edges.of_graph(edge_index, 3, edge_weight=weight))
    torch.testing.assert_close(found, reference(x, edge_index, weight))


def literal(conv: Any, data: Data, x: tuple[Tensor, Tensor]) -> list[Tensor]:
    """h_v + sigma(sum_u W m_uv / sqrt(d_u d_v)), Eqs. (panda-gcn-low) and (panda-gcn-high)."""
    h = as_list(data, *x)
    loops = conv.low.self_loops
    sums = normalised_sum(
        h, data.edge_index, None, loops, lambda u, v: message(conv, data.high, h, u, v)
    )
    out = []
    for v, total in enumerate(sums):
        linear = (conv.high if data.high[v] else conv.low).linear
        new = linear.weight @ total
        if linear.bias is not None:
            new = new + linear.bias
        new = new if conv.activation is None else new.clamp(min=0)
        out.append(h[v] + new if conv.residual and len(new) == len(h[v]) else new)
    return out


@pytest.mark.parametrize("data", CASES)
def test_equals_the_equations(data: Data) -> None:
    conv = layer((4, 6), (4, 6))
    x = random_states(data, 4, 6)
    found = conv(x, WidthPartition(data.edge_index, data.high))
    assert_states(data, found, literal(conv, data, x))


@pytest.mark.parametrize(
    "options",
    [
        {"residual": False, "self_loops": True, "bias": True, "activation": None},
        {"selector": "sorted"},
        {"selector": "gated", "selector_hidden": 5},
        {"selector": "linear"},
        {"score": "relu"},
    ],
)
def test_equals_the_equations_with_options(options: dict[str, object]) -> None:
    conv = layer((4, 6), (3, 7), **options)
    x = random_states(MIXED, 4, 6)
    found = conv(x, WidthPartition(MIXED.edge_index, MIXED.high))
    assert_states(MIXED, found, literal(conv, MIXED, x))


@pytest.mark.parametrize("data", CASES)
def test_equal_widths_pass_messages_as_they_are(data: Data) -> None:
    conv = layer(5, (4, 7))
    assert conv.expand is None
    assert conv.selector is None
    x = random_states(data, 5, 5)
    found = conv(x, WidthPartition(data.edge_index, data.high))
    assert_states(data, found, literal(conv, data, x))


@pytest.mark.parametrize("name", ["compiled", "torch"])
@pytest.mark.parametrize("options", [{}, {"self_loops": True, "bias": True}])
@pytest.mark.parametrize("data", CASES)
def test_a_wide_input_is_mapped_before_it_is_summed(
    data: Data, options: dict[str, Any], name: str
) -> None:
    conv = layer(9, (3, 5), **options)
    if options:
        conv.low.linear.bias.data.normal_()
        conv.high.linear.bias.data.normal_()
    x = random_states(data, 9, 9)
    with backend(name):
        found = conv(x, WidthPartition(data.edge_index, data.high))
    assert_states(data, found, literal(conv, data, x))


def test_equal_widths_and_weights_are_the_plain_layer() -> None:
    conv = layer(5, 4)
    conv.high.load_state_dict(conv.low.state_dict())
    partition = WidthPartition(MIXED.edge_index, MIXED.high)
    x = torch.randn(12, 5, dtype=torch.float64)
    plain = torch.relu(conv.low(x, Edges.of_graph(MIXED.edge_index, 12)))
    found = partition.merge(*conv(partition.split(x), partition))
    torch.testing.assert_close(found, plain, rtol=0, atol=1e-12)


@pytest.mark.parametrize("data", CASES[::3])
def test_plain_layer_is_pygs(data: Data) -> None:
    torch.manual_seed(0)
    ours, theirs = GCNLayer(3, 5).double(), GCNConv(3, 5).double()
    theirs.lin.weight.data = ours.linear.weight.data
    theirs.bias.data = torch.randn(5, dtype=torch.float64)
    ours.linear.bias.data = theirs.bias.data
    found = ours(data.x, Edges.of_graph(data.edge_index, data.num_nodes))
    torch.testing.assert_close(found, theirs(data.x, data.edge_index), rtol=0, atol=1e-12)


@pytest.mark.parametrize("widths", [((4, 6), (4, 6)), ((9, 9), (3, 5))])
def test_gradients(widths: tuple[tuple[int, int], tuple[int, int]]) -> None:
    conv = layer(*widths, activation=torch.tanh)
    partition = WidthPartition(MIXED.edge_index, MIXED.high)
    low, high = (part.requires_grad_() for part in random_states(MIXED, *widths[0]))
    assert torch.autograd.gradcheck(lambda a, b: conv((a, b), partition), (low, high))


@pytest.mark.parametrize("widths", [((4, 6), (4, 6)), ((9, 9), (3, 5))])
def test_edge_weights_learn(widths: tuple[tuple[int, int], tuple[int, int]]) -> None:
    conv = layer(*widths)
    weight = torch.rand(MIXED.num_edges, dtype=torch.float64, requires_grad=True)

    def through(values: Tensor) -> Tensor:
        partition = WidthPartition(MIXED.edge_index, MIXED.high, edge_weight=values)
        low, high = conv(random_states(MIXED, *widths[0]), partition)
        return torch.cat([low.view(-1), high.view(-1)])

    assert torch.autograd.gradcheck(through, (weight,))


def test_repr_and_names() -> None:
    expected = "PandaGCNConv(low=4 -> 5, high=6 -> 7, selector=topk"
    assert repr(PandaGCNConv((4, 6), (5, 7))).startswith(expected)
    with pytest.raises(InputError, match="high_width is 4, it must be at least width \\(6\\)"):
        PandaGCNConv((6, 4), 5)
    with pytest.raises(InputError, match="in_channels is 0"):
        PandaGCNConv(0, 5)
