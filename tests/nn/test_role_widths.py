"""A width for each role: PANDA with two, and three against the equation."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor

import panda_gnn
from panda_gnn.errors import InputError
from panda_gnn.nn import (
    Edges,
    GCNLayer,
    GINLayer,
    PandaConv,
    PandaGCNConv,
    PandaGINConv,
    PandaRGCNConv,
    RGCNLayer,
    RolePartition,
    RoleWidthConv,
    WidthPartition,
)
from tests.nn.literal import g
from tests.nn.role_graphs import GRAPHS, ROLES, edges_of, normalised


def as_panda(layer: Any, panda: Any) -> None:
    """Give a layer of two roles the parameters of PANDA."""
    layer.convs[0].load_state_dict(panda.low.state_dict())
    layer.convs[1].load_state_dict(panda.high.state_dict())
    if panda.expand is not None and panda.selector is not None:
        layer.expand["0 to 1"].load_state_dict(panda.expand.state_dict())
        layer.select["1 to 0"].load_state_dict(panda.selector.state_dict())


@pytest.mark.parametrize("backend", ["compiled", "torch"])
@pytest.mark.parametrize("widths", [((3, 6), (3, 6)), ((4, 4), (3, 6)), ((3, 6), (2, 2))])
@pytest.mark.parametrize("kind", ["gcn", "gin", "rgcn"])
def test_two_roles_are_panda(
    kind: str, widths: tuple[tuple[int, int], tuple[int, int]], backend: str
) -> None:
    torch.manual_seed(0)
    if kind == "gcn":
        panda: PandaConv = PandaGCNConv(*widths).double()
        conv = partial(GCNLayer, self_loops=False, bias=False)
        layer = RoleWidthConv(conv, *widths, activation=torch.relu, residual=True).double()
    elif kind == "gin":
        panda = PandaGINConv(*widths).double().eval()
        layer = RoleWidthConv(GINLayer, *widths).double().eval()
    else:
        panda = PandaRGCNConv(*widths, num_relations=2).double()
        layer = RoleWidthConv(partial(RGCNLayer, num_relations=2), *widths).double()
    as_panda(layer, panda)
    for data in GRAPHS.values():
        high = data.role == 2
        masks = ~high, high
        relation = torch.arange(data.num_edges) % 2 if kind == "rgcn" else None
        partition = WidthPartition(data.edge_index, high, edge_type=relation)
        x = [torch.randn(int(m.sum()), w).double() for m, w in zip(masks, widths[0], strict=True)]
        role = high.long()
        edges = Edges.of_graph(data.edge_index, data.num_nodes, role=role, edge_type=relation)
        with panda_gnn.backend(backend):
            expected = panda((x[0], x[1]), partition)
            found = layer(x, edges)
        for one, other in zip(found, expected, strict=True):
            torch.testing.assert_close(one, other, rtol=0, atol=1e-12)


@pytest.mark.parametrize("backend", ["compiled", "torch"])
@pytest.mark.parametrize("name", GRAPHS)
def test_three_roles_expand_and_select(name: str, backend: str) -> None:
    """Widths 3, 5 and 4: a role may be wider than one and narrower than another."""
    data = GRAPHS[name]
    torch.manual_seed(0)
    widths = (3, 5, 4)
    layer: Any = RoleWidthConv(GCNLayer, widths, (2, 2, 2)).double()
    partition = RolePartition(edges_of(data), ROLES)
    x = [
        torch.randn(len(nodes), w).double()
        for nodes, w in zip(partition.nodes, widths, strict=True)
    ]
    h: list[Tensor] = [torch.empty(0)] * int(data.num_nodes)
    for nodes, states in zip(partition.nodes, x, strict=True):
        for v, state in zip(nodes.tolist(), states, strict=True):
            h[v] = state
    with panda_gnn.backend(backend):
        found = partition.merge(layer(x, edges_of(data)))
    matrix = normalised(data, True)
    role = data.role.tolist()
    for v in range(len(h)):
        total = torch.zeros(widths[role[v]], dtype=torch.float64)
        for u in range(len(h)):
            pair = f"{role[u]} to {role[v]}"
            message = h[u]
            if widths[role[u]] < widths[role[v]]:
                message = layer.expand[pair].weight @ h[u]
            elif widths[role[u]] > widths[role[v]]:
                message = g(layer.select[pair], h[v], h[u])
            total = total + matrix[v, u] * message if matrix[v, u] else total
        linear = layer.convs[role[v]].linear
        expected = linear.weight @ total + linear.bias
        torch.testing.assert_close(found[v], expected, rtol=0, atol=1e-12)


def test_parameters_are_reset_and_widths_checked() -> None:
    layer = RoleWidthConv(GCNLayer, (3, 5, 4), (3, 5, 4))
    before = [parameter.clone() for parameter in layer.parameters() if parameter.dim() > 1]
    layer.reset_parameters()
    after = [parameter for parameter in layer.parameters() if parameter.dim() > 1]
    assert not any(torch.equal(a, b) for a, b in zip(before, after, strict=True))
    with pytest.raises(InputError, match="one width of each for every role"):
        RoleWidthConv(GCNLayer, (3, 5), (3, 5, 4))
    with pytest.raises(InputError, match="out_channels must be a whole number, 1 or more"):
        RoleWidthConv(GCNLayer, (3, 5), (3, 1.5))  # type: ignore[arg-type]


def test_states_fit_the_nodes_of_each_role() -> None:
    edges = Edges.of_graph(torch.tensor([[0, 1], [1, 0]]), 3, role=torch.tensor([0, 1, 0]))
    layer = RoleWidthConv(GCNLayer, (3, 5), (2, 2))
    low, high = torch.rand(2, 3), torch.rand(1, 5)
    assert len(layer([low, high], edges)) == 2
    for wrong in ([low], [low, high, high], [low[1:], high], [high, low]):
        with pytest.raises(
            InputError, match=r"x has parts of the shapes .*, but the nodes of each"
        ):
            layer(wrong, edges)


def test_a_partition_checks_roles_before_anything_is_split() -> None:
    data = GRAPHS["random"]
    with pytest.raises(InputError, match="role goes from 0 to 2, but there are num_roles=2"):
        RolePartition(edges_of(data), 2)
    with pytest.raises(InputError, match="the edges have no roles"):
        RolePartition(Edges.of_graph(data.edge_index, data.num_nodes), ROLES)
