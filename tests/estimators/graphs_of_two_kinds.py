"""Small graphs whose class and number can be learned: cycles and stars with random features."""

from __future__ import annotations

import torch
from torch_geometric.data import Data
from torch_geometric.utils import to_undirected


def graphs_and_labels(count: int = 40) -> tuple[list[Data], list[str]]:
    """Cycles ("ring") and stars ("star") of 5 to 9 nodes; degree tells them apart."""
    generator = torch.Generator().manual_seed(0)
    graphs, labels = [], []
    for number in range(count):
        size = 5 + number % 5
        node = torch.arange(size)
        if number % 2:
            edges = torch.stack([node, (node + 1) % size])
            labels.append("ring")
        else:
            edges = torch.stack([torch.zeros(size - 1, dtype=torch.long), node[1:]])
            labels.append("star")
        edges = to_undirected(edges)
        degree = torch.bincount(edges[0], minlength=size).float().view(-1, 1)
        noise = torch.randn(size, 1, generator=generator)
        graphs.append(Data(x=torch.cat([degree, noise], dim=1), edge_index=edges))
    return graphs, labels
