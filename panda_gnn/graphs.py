"""Reading undirected simple graphs out of PyG's ``edge_index``."""

from __future__ import annotations

import torch
from torch import Tensor
from torch_geometric.data import Data

from panda_gnn.errors import InputError


def directed(who: str) -> InputError:
    """The error for a graph that has an edge without its opposite."""
    return InputError(
        f"{who} needs an undirected graph, but edge_index has edges without their opposite: "
        "apply torch_geometric.transforms.ToUndirected() first"
    )


def undirected_edges(data: Data, who: str) -> tuple[Tensor, Tensor]:
    """Every edge ``u < v`` of an undirected graph once, without self-loops and duplicates.

    Returns the edges ``[2, m]`` in lexicographic order and, for the concatenation of these edges
    and their opposites, the position of each in ``data.edge_index``. A graph that is not
    undirected is refused in the name of ``who``.
    """
    num_nodes = int(data.num_nodes or 0)
    edge_index = data.edge_index
    if edge_index.numel() and not 0 <= int(edge_index.min()) <= int(edge_index.max()) < num_nodes:
        raise InputError(
            f"{who} found a node outside 0..{num_nodes - 1} in edge_index: set num_nodes correctly"
        )
    source, target = edge_index
    rank, place = torch.sort(source * num_nodes + target, stable=True)
    first = torch.ones_like(rank, dtype=torch.bool)
    first[1:] = rank[1:] != rank[:-1]
    rank, place = rank[first], place[first]  # the first copy of a repeated edge stands for all
    source, target = rank // max(num_nodes, 1), rank % max(num_nodes, 1)
    loop = source == target
    rank, place, source, target = rank[~loop], place[~loop], source[~loop], target[~loop]
    opposite, back = torch.sort(target * num_nodes + source)
    if not torch.equal(opposite, rank):
        raise directed(who)
    upper = source < target
    return torch.stack([source, target])[:, upper], torch.cat([place[upper], place[back][upper]])
