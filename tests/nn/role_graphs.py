"""Graphs with roles for the tests of layers that read them."""

from __future__ import annotations

import torch
from torch import Tensor
from torch_geometric.data import Data

from panda_gnn.nn import Edges
from tests.nn.graphs import random_graph
from tests.odd_graphs import ODD_GRAPHS, undirected

ROLES = 3


def with_roles(data: Data) -> Data:
    """``data`` with the roles 0, 2, 0, 1, ... and random states."""
    data = data.clone()
    n = int(data.num_nodes or 0)
    generator = torch.Generator().manual_seed(n)
    data.role = (torch.arange(n) * 5 // 2) % ROLES
    data.x = torch.randn(n, 4, generator=generator, dtype=torch.float64)
    return data


GRAPHS = {name: with_roles(graph) for name, graph in ODD_GRAPHS.items()}
GRAPHS["random"] = with_roles(random_graph(12, 0.35, 0))


def edges_of(data: Data, edge_weight: Tensor | None = None) -> Edges:
    return Edges.of_graph(
        data.edge_index, int(data.num_nodes or 0), role=data.role, edge_weight=edge_weight
    )


def normalised(data: Data, self_loops: bool) -> Tensor:
    """GCN's matrix, entry by entry: row v, column u; repeated edges count as often."""
    n = int(data.num_nodes or 0)
    counts = torch.zeros(n, n, dtype=torch.float64)
    for u, v in data.edge_index.t().tolist():
        counts[v, u] += 1
    for v in range(n):
        if self_loops and counts[v, v] == 0:
            counts[v, v] = 1
    degree = counts.sum(dim=1)
    for v in range(n):
        for u in range(n):
            if counts[v, u]:
                counts[v, u] /= (degree[u] * degree[v]) ** 0.5 if degree[u] * degree[v] else 1
    return counts


TOLD_APART = (
    undirected(7, (0, 1), (0, 4), (0, 5), (1, 2), (1, 4), (2, 6), (3, 5), (3, 6), (5, 6)),
    undirected(7, (0, 1), (0, 3), (0, 6), (1, 2), (1, 4), (2, 3), (3, 5), (4, 5), (4, 6)),
)
"""Two graphs that colour refinement takes for one. In both, two nodes have a higher betweenness
than all others, and these do not stand alike."""
