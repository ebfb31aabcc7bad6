"""The edges that layers see."""

from __future__ import annotations

import torch
from torch_geometric.nn.conv.gcn_conv import gcn_norm

from panda_gnn.nn import Edges
from tests.nn.graphs import MIXED


def test_normalisation_with_self_loops_is_pygs() -> None:
    weight = torch.rand(MIXED.num_edges, dtype=torch.float64)
    edges = Edges.of_graph(MIXED.edge_index, 12, edge_weight=weight)
    norm, loop = edges.norm(True, torch.float64)
    assert loop is not None
    _, expected = gcn_norm(MIXED.edge_index, weight, 12)
    torch.testing.assert_close(torch.cat([norm, loop]), expected, rtol=0, atol=1e-14)


def test_relations_split_the_edges() -> None:
    types = torch.arange(MIXED.num_edges) % 3
    edges = Edges.of_graph(MIXED.edge_index, 12, edge_type=types)
    found = torch.cat([edges.relation(r).edge_index for r in range(3)], dim=1)
    assert sorted(found.t().tolist()) == sorted(MIXED.edge_index.t().tolist())
    assert edges.relation(5).edge_index.size(1) == 0
