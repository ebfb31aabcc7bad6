"""Gains and low-rank changes by role, against their equations node by node."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv

import panda_gnn
from panda_gnn.errors import InputError
from panda_gnn.nn import Edges, GCNLayer, GINLayer, RoleGain, RoleLowRank
from panda_gnn.testing import assert_permutation_equivariant
from tests.nn.role_graphs import GRAPHS, ROLES, edges_of


def randomised(layer: torch.nn.Module) -> Any:
    torch.manual_seed(0)
    for parameter in layer.parameters():
        torch.nn.init.normal_(parameter)
    return layer.double().eval()


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("conv", [GCNLayer, GINLayer])
def test_a_role_has_its_gain_and_bias(name: str, conv: type[GCNLayer]) -> None:
    data = GRAPHS[name]
    layer = randomised(RoleGain(conv, 4, 5, num_roles=ROLES))
    plain: Tensor = layer.conv(data.x, edges_of(data))
    expected = [layer.gain[q] * h + layer.bias[q] for q, h in zip(data.role, plain, strict=True)]
    found = layer(data.x, edges_of(data))
    torch.testing.assert_close(found, torch.stack(expected) if expected else found)


@pytest.mark.parametrize("name", GRAPHS)
def test_a_role_has_weights_of_low_rank_more(name: str) -> None:
    """GCN with the weights W + U V' W and the bias b + U V' b of the node's role."""
    data = GRAPHS[name]
    layer = randomised(RoleLowRank(GCNLayer, 4, 5, num_roles=ROLES, rank=2))
    found = layer(data.x, edges_of(data))
    for q in range(ROLES):
        change = layer.up[q].t() @ layer.down[q]
        assert int(torch.linalg.matrix_rank(change)) == 2
        own = GCNLayer(4, 5).double()
        linear = layer.conv.linear
        own.linear.weight.data = linear.weight + change @ linear.weight
        own.linear.bias.data = linear.bias + change @ linear.bias
        mask = data.role == q
        expected = own(data.x, edges_of(data))[mask]
        torch.testing.assert_close(found[mask], expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("make", [RoleGain, RoleLowRank])
def test_a_layer_starts_and_restarts_as_its_convolution(make: type[RoleGain]) -> None:
    data = GRAPHS["random"]
    layer = randomised(make(GCNLayer, 4, 4, num_roles=ROLES))
    assert_permutation_equivariant(lambda graph: layer(graph.x, edges_of(graph)), data)
    before = layer.conv.linear.weight.clone()
    layer.reset_parameters()
    assert not torch.equal(layer.conv.linear.weight, before)
    assert torch.equal(layer(data.x, edges_of(data)), layer.conv(data.x, edges_of(data)))


@pytest.mark.parametrize("make", [RoleGain, RoleLowRank])
def test_gradients(make: type[RoleGain]) -> None:
    data = GRAPHS["random"]
    layer = randomised(make(GCNLayer, 4, 3, num_roles=ROLES))
    x = data.x.clone().requires_grad_()
    with panda_gnn.backend("torch"):
        assert torch.autograd.gradcheck(lambda x: layer(x, edges_of(data)), x)


def test_roles_that_are_missing_or_too_many_get_a_sentence() -> None:
    data = GRAPHS["random"]
    layer = RoleGain(GCNLayer, 4, 4, num_roles=2).double()
    with pytest.raises(InputError, match="role goes from 0 to 2, but there are num_roles=2"):
        layer(data.x, edges_of(data))
    with pytest.raises(InputError, match="the edges have no roles"):
        layer(data.x, Edges.of_graph(data.edge_index, data.num_nodes))
    with pytest.raises(InputError, match="a whole number for each of 12 nodes"):
        edges_of(Data(edge_index=data.edge_index, num_nodes=12, role=data.role.double()))
    with pytest.raises(InputError, match="conv makes GCNConv"):
        RoleGain(GCNConv, 4, 4, num_roles=2)
    with pytest.raises(InputError, match="num_roles"):
        RoleGain(partial(GCNLayer, bias=False), 4, 4, num_roles=0)
