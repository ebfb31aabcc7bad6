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


def test_a_mean_of_weighted_edges_is_divided_by_their_number() -> None:
    """(w_1 x_1 + ... + w_n x_n) / n for n edges of one relation, whatever the weights."""
    edge_index = torch.tensor([[0, 1, 2, 3, 0, 1], [2, 2, 2, 0, 0, 3]])
    weight = torch.tensor([0.5, 2.0, 3.0, 7.0, 1.0, 4.0], dtype=torch.float64)
    edges = Edges.of_graph(edge_index, 4, edge_weight=weight)
    expected = torch.tensor([0.5 / 3, 2.0 / 3, 1.0, 3.5, 0.5, 4.0], dtype=torch.float64)
    torch.testing.assert_close(edges.mean(torch.float64), expected, rtol=0, atol=1e-15)
    types = torch.tensor([0, 0, 1, 1, 1, 0])
    typed = Edges.of_graph(edge_index, 4, edge_weight=weight, edge_type=types).relation(0)
    assert typed.mean(torch.float64).tolist() == [0.25, 1.0, 4.0]
