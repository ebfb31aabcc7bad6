"""What every rewiring shares: a simple undirected graph in, a simple undirected graph out."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform

from panda_gnn.errors import InputError
from panda_gnn.graphs import undirected_edges


class Rewiring(BaseTransform):
    """A transform that changes the edges of an undirected graph and nothing else.

    It writes ``edge_index`` (both directions of every edge, no self-loop, no duplicate) and
    ``edge_type`` (0 where the edge was in the graph before, 1 where it was added). Attributes of
    nodes and of the graph are kept; attributes of edges are kept where the edge is, and zero on
    added edges. Self-loops of the input are dropped. The same ``seed`` gives the same edges for the
    same graph, whatever was rewired before it.
    """

    #: Raised whenever the result for some graph changes, so that caches are not trusted.
    version: int = 1

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    @abstractmethod
    def rewire(self, edges: Tensor, num_nodes: int) -> Tensor:
        """Return the new edges; ``edges`` and the result are ``[2, m]`` with ``u < v``, no duplicates."""

    def forward(self, data: Any) -> Any:
        name = type(self).__name__
        if "edge_type" in data:
            raise InputError(
                f"{name} writes edge_type, but the graph already has one: "
                "delete or rename it before rewiring"
            )
        before, order = undirected_edges(data, name)
        num_nodes = int(data.num_nodes)
        after = self.rewire(before, num_nodes)
        return _with_edges(data, before, order, after, num_nodes)

    def __repr__(self) -> str:
        options = ", ".join(f"{key}={value!r}" for key, value in vars(self).items())
        return f"{type(self).__name__}({options})"


def _with_edges(data: Data, before: Tensor, order: Tensor, after: Tensor, num_nodes: int) -> Data:
    """``data`` with the edges ``after`` in both directions, their types and their attributes."""
    edge_index = torch.cat([after, after.flip(0)], dim=1)
    rank = edge_index[0] * num_nodes + edge_index[1]
    rank, sort = rank.sort()
    edge_index = edge_index[:, sort]
    both = torch.cat([before, before.flip(0)], dim=1)
    known, place = (both[0] * num_nodes + both[1]).sort()
    position = torch.searchsorted(known, rank).clamp(max=max(known.numel() - 1, 0))
    old = known[position] == rank if known.numel() else torch.zeros_like(rank, dtype=torch.bool)
    source = order[place[position]] if known.numel() else position  # where in the input it stood
    result = data.clone()
    for key in data.edge_attrs():
        if key == "edge_index":
            continue
        values = data[key]
        moved = values.new_zeros((edge_index.size(1), *values.shape[1:]))
        moved[old] = values[source[old]]
        result[key] = moved
    result.edge_index = edge_index
    result.edge_type = (~old).long()
    result.num_nodes = num_nodes
    return result
