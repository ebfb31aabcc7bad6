"""PANDA-GIN against its equations and against PyG's GIN."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.nn import GINConv

import panda_gnn
from panda_gnn.errors import InputError
from panda_gnn.nn import GNN, Edges, GINLayer, PandaGINConv, WidthPartition
from panda_gnn.nn.gin import BatchNorm
from tests.nn.graphs import CASES, MIXED, as_list, assert_states, random_states
from tests.nn.literal import message, sums


def layer(*widths: Any, **options: Any) -> Any:
    torch.manual_seed(0)
    return PandaGINConv(*widths, **options).double()


def literal(conv: Any, data: Data, x: tuple[Tensor, Tensor]) -> list[Tensor]:
    """MLP((1 + eps) h_v + sum_u m_uv), the MLP seeing all nodes of one width together."""
    h = as_list(data, *x)
    totals = sums(h, data.edge_index, lambda u, v: message(conv, data.high, h, u, v))
    out: dict[int, Tensor] = {}
    for side, own in ((conv.low, ~data.high), (conv.high, data.high)):
        nodes = own.nonzero().view(-1).tolist()
        if nodes:
            rows = torch.stack([(1 + side.eps) * h[v] + totals[v] for v in nodes])
            out |= dict(zip(nodes, side.mlp(rows), strict=True))
    return [out[v] for v in range(data.num_nodes)]


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("data", CASES)
def test_equals_the_equations(data: Data, training: bool) -> None:
    conv = layer((4, 6), (5, 7), eps=0.3, train_eps=True).train(training)
    x = random_states(data, 4, 6)
    found = conv(x, WidthPartition(data.edge_index, data.high))
    assert_states(data, found, literal(conv, data, x))


@pytest.mark.parametrize("data", CASES[::3])
def test_plain_layer_is_pygs(data: Data) -> None:
    torch.manual_seed(0)
    ours = GINLayer(3, 5, eps=0.2).double().eval()
    theirs = GINConv(ours.mlp, eps=0.2).double().eval()
    ours.mlp.requires_grad_(False)
    found = ours(data.x, Edges.of_graph(data.edge_index, data.num_nodes))
    torch.testing.assert_close(found, theirs(data.x, data.edge_index), rtol=0, atol=1e-12)


def test_gradients() -> None:
    conv = layer((4, 6), (4, 6), hidden_norm=False, activation=torch.tanh)
    partition = WidthPartition(MIXED.edge_index, MIXED.high)
    low, high = (part.requires_grad_() for part in random_states(MIXED, 4, 6, seed=2))
    assert torch.autograd.gradcheck(lambda a, b: conv((a, b), partition), (low, high))


def test_epsilon_is_learned_only_where_asked() -> None:
    assert "low.eps" in dict(layer(4, 5, train_eps=True).named_parameters())
    assert "low.eps" not in dict(layer(4, 5).named_parameters())


@pytest.mark.parametrize("rows", [0, 1])
def test_batch_norm_takes_few_rows(rows: int) -> None:
    norm = BatchNorm(3)
    x = torch.randn(rows, 3)
    expected = norm.eval()(x)
    torch.testing.assert_close(norm.train()(x), expected)


@pytest.mark.parametrize("training", [True, False])
def test_batch_norm_written_out_is_that_of_torch(training: bool) -> None:
    """The formula is what is compiled and exported."""
    x = torch.randn(7, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    ours, other = BatchNorm(4).double().train(training), nn.BatchNorm1d(4).double().train(training)
    for _ in range(2):
        torch.testing.assert_close(ours._written_out(x), other(x), rtol=0, atol=1e-12)
    for one, expected in zip(ours.buffers(), other.buffers(), strict=True):
        torch.testing.assert_close(one, expected, rtol=0, atol=1e-12)
    few = ours._written_out(x[:1])
    torch.testing.assert_close(few, ours.eval()(x[:1]), rtol=0, atol=1e-12)


def test_resetting_draws_anew() -> None:
    conv = layer((4, 6), (4, 6))
    before = {name: value.clone() for name, value in conv.state_dict().items()}
    conv.reset_parameters()
    changed = {name for name, value in conv.state_dict().items() if not value.equal(before[name])}
    assert {"low.mlp.0.weight", "high.mlp.3.weight", "expand.weight"} <= changed
    assert "selector.eta.first.weight" in changed


def test_epsilon_is_a_real_number() -> None:
    layer = GINLayer(3, 3, eps=0)
    layer.load_state_dict(GINLayer(3, 3, eps=0.5).state_dict())
    assert float(layer.eps) == 0.5
    assert GINLayer(3, 3, eps=1, train_eps=True).eps.is_floating_point()
    with pytest.raises(InputError, match="eps"):
        GINLayer(3, 3, eps=float("nan"))


@pytest.mark.parametrize("backend", ["compiled", "torch"])
def test_one_epsilon_may_learn_alone(backend: str) -> None:
    layer = PandaGINConv((4, 6), (4, 6), train_eps=True)
    layer.low.eps.requires_grad_(False)
    partition = WidthPartition(MIXED.edge_index, MIXED.high)
    x = torch.rand(partition.low_nodes.numel(), 4), torch.rand(partition.high_nodes.numel(), 6)
    with panda_gnn.backend(backend):
        low, high = layer(x, partition)
    (low.sum() + high.sum()).backward()
    assert layer.low.eps.grad is None
    assert layer.high.eps.grad is not None


@pytest.mark.parametrize("backend", ["compiled", "torch"])
def test_weights_of_another_precision(backend: str) -> None:
    weight = torch.rand(MIXED.num_edges)
    model = GNN(3, 2, width=4, backbone="gin").eval()
    x = torch.rand(MIXED.num_nodes, 3)
    with panda_gnn.backend(backend):
        double = model(x, MIXED.edge_index, edge_weight=weight.double())
        torch.testing.assert_close(double, model(x, MIXED.edge_index, edge_weight=weight))
