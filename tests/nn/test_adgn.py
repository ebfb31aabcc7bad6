"""A-DGN against its equation and against PyG's layer."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch_geometric.nn import AntiSymmetricConv, GCNConv

from panda_gnn.errors import InputError
from panda_gnn.nn import GNN, ADGNLayer, Edges, PandaGNN
from panda_gnn.nn.convolution import small_graph
from panda_gnn.testing import assert_reduces_to_plain
from tests.nn.graphs import MIXED


def literal_step(layer: Any, x: Tensor, adjacency: Tensor) -> Tensor:
    """The equation, node by node and with dense matrices."""
    step = layer.step
    matrix = step.W - step.W.t() - step.gamma * torch.eye(x.size(1), dtype=x.dtype)
    with_loops = adjacency + torch.eye(len(x), dtype=x.dtype)
    degree = with_loops.sum(1)
    new = []
    for v in range(len(x)):
        total = matrix @ x[v] + step.bias
        for u in range(len(x)):
            norm = with_loops[u, v] / (degree[u] * degree[v]).sqrt()
            total = total + norm * step.phi.conv.linear.weight @ x[u]
        new.append(x[v] + step.epsilon * total.tanh())
    return torch.stack(new)


def dense(edge_index: Tensor, num_nodes: int) -> Tensor:
    adjacency = torch.zeros(num_nodes, num_nodes, dtype=torch.float64)
    adjacency[edge_index[0], edge_index[1]] = 1
    return adjacency


def test_a_layer_is_its_equation() -> None:
    layer = ADGNLayer(3, 5).double()
    torch.nn.init.normal_(layer.step.bias)
    edges = Edges.of_graph(MIXED.edge_index, 12)
    expected = literal_step(layer, layer.embed(MIXED.x), dense(MIXED.edge_index, 12))
    torch.testing.assert_close(layer(MIXED.x, edges), expected, rtol=0, atol=1e-12)


def test_a_layer_is_the_one_of_pyg() -> None:
    layer = ADGNLayer(4, 4, epsilon=0.3, gamma=0.2).double()
    other = AntiSymmetricConv(4, GCNConv(4, 4, bias=False), epsilon=0.3, gamma=0.2).double()
    state = layer.step.state_dict()
    state["phi.lin.weight"] = state.pop("phi.conv.linear.weight")
    other.load_state_dict(state)
    x = MIXED.x[:, [0, 1, 2, 0]]
    found = layer(x, Edges.of_graph(MIXED.edge_index, 12))
    torch.testing.assert_close(found, other(x, MIXED.edge_index), rtol=0, atol=1e-12)


def test_equal_widths_and_weights_give_the_plain_layer() -> None:
    assert_reduces_to_plain(ADGNLayer, edge_weight=torch.linspace(0.5, 2, 10))


def test_models_have_no_other_activation() -> None:
    """Embedding, steps and a linear read-out: the network of the paper."""
    model = GNN(3, 2, backbone="adgn", width=5, num_layers=3, head_layers=1, readout=None)
    model = model.double().eval()
    x, adjacency = MIXED.x, dense(MIXED.edge_index, 12)
    layers: Any = model.layers
    for layer in layers:
        x = literal_step(layer.conv, layer.conv.embed(x), adjacency)
    expected = model.head[0](x)
    torch.testing.assert_close(model(MIXED.x, MIXED.edge_index), expected, rtol=0, atol=1e-12)
    assert all(layer.activation is None for layer in GNN(3, 2, backbone="adgn").layers)


def test_a_width_aware_model() -> None:
    x, partition = small_graph(5, torch.float32)
    model = PandaGNN(5, 3, backbone="adgn", width=8, high_width=12, num_layers=2).eval()
    assert all(layer.activation is None for layer in model.layers)
    out = model(x, partition)
    assert out.shape == (1, 3)
    assert bool(out.isfinite().all())


def test_steps_that_are_none_are_refused() -> None:
    for wrong in (0, -1, torch.nan, "a"):
        with pytest.raises(InputError, match="epsilon must be above zero and finite"):
            ADGNLayer(4, 4, epsilon=wrong)  # type: ignore[arg-type]
    for wrong in (-1, torch.nan):
        with pytest.raises(InputError, match="gamma must be zero or more and finite"):
            GNN(4, 2, backbone="adgn", gamma=wrong)
