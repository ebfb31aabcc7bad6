"""Odd graphs that every layer, transform and diagnostic must take as ordinary inputs."""

from __future__ import annotations

import torch
from torch import Tensor
from torch_geometric.data import Data


def undirected(num_nodes: int, *edges: tuple[int, int]) -> Data:
    """The graph with ``edges`` in both directions (a self-loop once) and three random features."""
    pairs = [pair for u, v in edges for pair in ({(u, v), (v, u)})]
    edge_index: Tensor = torch.tensor(sorted(set(pairs)), dtype=torch.long).reshape(-1, 2).t()
    generator = torch.Generator().manual_seed(num_nodes)
    x = torch.randn(num_nodes, 3, generator=generator, dtype=torch.float64)
    return Data(x=x, edge_index=edge_index.contiguous(), num_nodes=num_nodes)


def clique(num_nodes: int) -> Data:
    """Every pair of nodes is an edge."""
    return undirected(
        num_nodes, *((u, v) for u in range(num_nodes) for v in range(u + 1, num_nodes))
    )


ODD_GRAPHS: dict[str, Data] = {
    "one node": undirected(1),
    "no edges": undirected(4),
    "one edge": undirected(2, (0, 1)),
    "path": undirected(6, *((i, i + 1) for i in range(5))),
    "cycle": undirected(7, *((i, (i + 1) % 7) for i in range(7))),
    "star": undirected(8, *((0, i) for i in range(1, 8))),
    "clique": clique(6),
    "isolated nodes": undirected(7, (1, 2), (2, 3), (3, 1), (3, 5)),
    "trailing isolated node": undirected(5, (0, 1), (1, 2), (2, 3)),
    "self-loops": undirected(5, (0, 0), (0, 1), (1, 2), (2, 2), (2, 3), (3, 4)),
    "two components": undirected(8, (0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 6), (6, 7)),
    "barbell": undirected(
        9,
        *((u, v) for u in range(4) for v in range(u + 1, 4)),
        *((u, v) for u in range(5, 9) for v in range(u + 1, 9)),
        (3, 4),
        (4, 5),
    ),
    "grid": undirected(
        12,
        *((4 * r + c, 4 * r + c + 1) for r in range(3) for c in range(3)),
        *((4 * r + c, 4 * (r + 1) + c) for r in range(2) for c in range(4)),
    ),
}
