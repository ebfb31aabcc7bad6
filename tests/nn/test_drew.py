"""DRew against its equation."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.explain.algorithm.utils import clear_masks, set_masks

from panda_gnn.diagnostics import hop_distances
from panda_gnn.errors import InputError
from panda_gnn.nn import GNN, DRewGNN
from panda_gnn.rewiring import LASER
from panda_gnn.testing import assert_batch_invariant, assert_permutation_equivariant
from tests.odd_graphs import ODD_GRAPHS


def up_to(data: Data, reach: int) -> Data:
    return LASER(reach, rho=1.0, walk_length=0)(data)


def scores(model: DRewGNN, data: Data) -> Tensor:
    batch, types = data.get("batch"), data.edge_type
    out: Tensor = model(data.x, data.edge_index, edge_type=types, batch=batch)
    return out


def literal(model: Any, data: Data, nu: int, reach: int) -> Tensor:
    """The sums over distances with dense matrices of hop distances."""
    num_nodes = int(data.num_nodes or 0)
    hops = hop_distances(data, torch.arange(num_nodes))
    states: list[Tensor] = [data.x]
    for t, layer in enumerate(model.layers):
        total = torch.zeros(num_nodes, layer.convs[0].linear.out_features, dtype=torch.float64)
        for k in range(1, min(t + 1, reach) + 1):
            shell = (hops == k).double()
            degree = shell.sum(1)
            scale = torch.where(degree > 0, degree, 1).rsqrt()
            matrix = scale[:, None] * shell * scale
            linear = layer.convs[k - 1].linear
            total += matrix @ states[t - max(k - nu, 0)] @ linear.weight.t()
            if k == 1:
                total += linear.bias
        if t < model.num_layers:
            total = total.relu()
        same = states[t].size(1) == total.size(1)
        states.append(states[t] + total if same else total)
    return states[-1]


@pytest.mark.parametrize(("nu", "reach"), [(1, 4), (2, 4), (9, 4), (1, 2)])
@pytest.mark.parametrize("name", ["grid", "two components", "no edges", "one node"])
def test_a_model_is_its_equation(name: str, nu: int, reach: int) -> None:
    model: Any = DRewGNN(3, 2, nu=nu, reach=reach, width=5, num_layers=3, readout=None)
    model = model.double().eval()
    data = ODD_GRAPHS[name]
    for layer in model.layers:
        torch.nn.init.normal_(layer.convs[0].linear.bias)
    expected = literal(model, data, nu, reach)
    torch.testing.assert_close(scores(model, up_to(data, reach)), expected, rtol=0, atol=1e-12)


def test_the_full_delay_needs_a_layer_for_every_hop() -> None:
    """On a path, an input is first felt k hops away after k layers, with or without delay; but only
    without delay does the last layer hear it directly, by a state of the layer before."""
    path = up_to(ODD_GRAPHS["path"], 3)
    for nu, reads in ((1, (2, 1, 0)), (3, (2, 2, 2))):
        assert DRewGNN(3, 2, nu=nu, num_layers=2).layers[2].heard == reads
    x = torch.ones(6, 3, dtype=torch.float64, requires_grad=True)
    model = DRewGNN(3, 2, width=4, num_layers=2, readout=None).double().eval()
    for parameter in model.parameters():  # with positive weights no ReLU is silent
        parameter.data.abs_()
    model(x, path.edge_index, edge_type=path.edge_type)[0].sum().backward()
    assert x.grad is not None
    felt = x.grad.abs().sum(1) > 0
    assert felt.tolist() == [True, True, True, True, False, False]


def test_distances_of_one_are_the_backbone_without_self_loops() -> None:
    model = DRewGNN(3, 2, reach=1, width=5, num_layers=2).double().eval()
    plain = GNN(3, 2, width=5, num_layers=2, self_loops=False, residual=True).double().eval()
    state = {key.replace("convs.0", "conv"): value for key, value in model.state_dict().items()}
    plain.load_state_dict(state)
    data = ODD_GRAPHS["barbell"]
    torch.testing.assert_close(model(data.x, data.edge_index), plain(data.x, data.edge_index))


def test_order_and_batches() -> None:
    model = DRewGNN(3, 2, width=5, num_layers=2).double().eval()
    graphs = [up_to(ODD_GRAPHS[name], 3) for name in ("grid", "star", "one node")]
    assert_permutation_equivariant(lambda data: scores(model, data), graphs[0], level="graph")
    assert_batch_invariant(lambda data: scores(model, data), graphs)


def test_what_it_refuses() -> None:
    with pytest.raises(InputError, match="backbone must be gcn, not gin"):
        DRewGNN(3, 2, backbone="gin")
    with pytest.raises(InputError, match="nu must be a whole number, 1 or more"):
        DRewGNN(3, 2, nu=0)
    data = ODD_GRAPHS["path"]
    with pytest.raises(InputError, match="needs edge_type"):
        DRewGNN(3, 2, width=4).double()(data.x, data.edge_index)
    far, model = up_to(data, 3), DRewGNN(3, 2, width=4).double()
    with pytest.raises(InputError, match="edge_type goes from -1 on, but it is the distance"):
        model(far.x, far.edge_index, edge_type=far.edge_type - 1)
    with pytest.raises(InputError, match="no layers for expander_edge_index"):
        model(far.x, far.edge_index, edge_type=far.edge_type, expander_edge_index=far.edge_index)


def test_widths_follow_what_is_heard() -> None:
    model: Any = DRewGNN(3, 2, width=5, num_layers=2)
    shapes = [[conv.linear.in_features for conv in layer.convs] for layer in model.layers]
    assert shapes == [[3], [5, 3], [5, 5, 3]]
    assert all(len(a.convs) + 1 == len(b.convs) for a, b in pairwise(model.layers))


def test_an_explainer_leaves_edges_out() -> None:
    far = up_to(ODD_GRAPHS["grid"], 3)
    model = DRewGNN(3, 2, width=4, num_layers=2, self_loops=False).double().eval()
    kept = far.edge_type < 2
    mask = kept.double().requires_grad_()
    set_masks(model, mask, far.edge_index, apply_sigmoid=False)
    found = model(far.x, far.edge_index, edge_type=far.edge_type)
    clear_masks(model)
    near = model(far.x, far.edge_index[:, kept], edge_type=far.edge_type[kept])
    torch.testing.assert_close(found, near, rtol=0, atol=1e-12)  # degrees are those of a distance
    (gradient,) = torch.autograd.grad(found.sum(), mask)
    assert gradient.count_nonzero() > 0
