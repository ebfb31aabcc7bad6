"""Weights for every pair of roles: against the equation, and as an R-GCN."""

from __future__ import annotations

import pytest
import torch
from torch_geometric.nn import RGCNConv

import panda_gnn
from panda_gnn.nn import Edges, GCNLayer, RGCNLayer, RolePairsGCN
from panda_gnn.testing import assert_permutation_equivariant
from tests.nn.role_graphs import GRAPHS, ROLES, edges_of, normalised, with_roles
from tests.odd_graphs import undirected


def layer_with(self_loops: bool = True, bias: bool = True) -> RolePairsGCN:
    torch.manual_seed(0)
    layer = RolePairsGCN(4, 5, num_roles=ROLES, self_loops=self_loops, bias=bias).double()
    for parameter in layer.parameters():
        torch.nn.init.normal_(parameter)
    return layer


@pytest.mark.parametrize("backend", ["compiled", "torch"])
@pytest.mark.parametrize("self_loops", [True, False])
@pytest.mark.parametrize("name", GRAPHS)
def test_every_pair_of_roles_has_its_weights(name: str, self_loops: bool, backend: str) -> None:
    data = GRAPHS[name]
    layer = layer_with(self_loops)
    assert layer.bias is not None
    with panda_gnn.backend(backend):
        found = layer(data.x, edges_of(data))
    matrix = normalised(data, self_loops)
    for v in range(data.num_nodes):
        expected = layer.bias.clone()
        for u in range(data.num_nodes):
            weight = layer.weight[data.role[u], :, data.role[v]]
            expected = expected + matrix[v, u] * (data.x[u] @ weight)
        torch.testing.assert_close(found[v], expected, rtol=0, atol=1e-12)


def test_it_is_an_rgcn_over_pairs_of_roles() -> None:
    """R-GCN takes means over each relation; weighted by how many edges of a relation a node has
    and by GCN's normalisation, these are GCN's sums."""
    data = GRAPHS["random"]
    layer = layer_with(self_loops=False)
    source, target = data.edge_index
    relation = data.role[source] * ROLES + data.role[target]
    count = torch.tensor(
        [
            float(((relation == r) & (target == v)).sum())
            for r, v in zip(relation, target, strict=True)
        ]
    )
    weight = normalised(data, False)[target, source] * count
    rgcn = RGCNLayer(4, 5, num_relations=ROLES**2).double()
    rgcn.weight.data = layer.weight.transpose(1, 2).flatten(0, 1)
    rgcn.root.weight.data.zero_()
    assert layer.bias is not None
    rgcn.root.bias.data = layer.bias
    edges = Edges.of_graph(data.edge_index, 12, edge_weight=weight, edge_type=relation)
    found = layer(data.x, edges_of(data))
    torch.testing.assert_close(found, rgcn(data.x, edges), rtol=0, atol=1e-12)


def test_on_a_regular_graph_it_is_pyg_s_rgcn() -> None:
    """Where every node has three neighbours, the normalisation is a third."""
    data = with_roles(undirected(6, *((i, j) for i in range(3) for j in range(3, 6))))
    layer = layer_with(self_loops=False, bias=False)
    source, target = data.edge_index
    pyg = RGCNConv(4, 5, ROLES**2, aggr="add", root_weight=False, bias=False).double()
    pyg.weight.data = layer.weight.transpose(1, 2).flatten(0, 1)
    expected = pyg(data.x, data.edge_index, data.role[source] * ROLES + data.role[target]) / 3
    torch.testing.assert_close(layer(data.x, edges_of(data)), expected, rtol=0, atol=1e-12)


def test_it_starts_as_gcn_and_reads_weights() -> None:
    data = GRAPHS["random"]
    layer, gcn = layer_with(), GCNLayer(4, 5).double()
    layer.reset_parameters()
    gcn.linear.weight.data = layer.weight[1, :, 2].t()
    weight = torch.rand(data.num_edges, dtype=torch.float64)
    edges = edges_of(data, weight)
    torch.testing.assert_close(layer(data.x, edges), gcn(data.x, edges), rtol=0, atol=1e-12)


def test_order_and_gradients() -> None:
    data = GRAPHS["random"]
    layer = layer_with()
    assert_permutation_equivariant(lambda graph: layer(graph.x, edges_of(graph)), data)
    found: list[torch.Tensor] = []
    for backend in ("compiled", "torch"):
        layer.zero_grad()
        with panda_gnn.backend(backend):
            layer(data.x, edges_of(data)).square().sum().backward()
        assert layer.weight.grad is not None
        found.append(layer.weight.grad.clone())
    torch.testing.assert_close(*found, rtol=0, atol=1e-10)
