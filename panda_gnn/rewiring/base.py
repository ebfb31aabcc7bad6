"""What every rewiring shares: a simple undirected graph in, a simple undirected graph out."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform

from panda_gnn.errors import InputError
from panda_gnn.graph.batches import graphs_of_batch, is_batch, rebatched
from panda_gnn.graph.rows import edge_index_of, undirected_edges
from panda_gnn.options import whole_number

#: What added edges have of attributes of edges, where that is not zero.
ON_ADDED_EDGES = {"edge_weight": 1}


class Rewiring(BaseTransform):
    """A transform that changes the edges of an undirected graph and nothing else.

    It writes ``edge_index`` (both directions of every edge, no self-loop, no duplicate) and
    ``edge_type`` (0 where the edge was in the graph before, 1 where it was added). Attributes of
    nodes and of the graph are kept; attributes of edges are kept where the edge is, and zero on
    added edges, but for ``edge_weight``, which is one there: a weight of zero would make them
    none. Self-loops of the input are dropped. The same ``seed`` gives the same edges for the
    same graph, whatever was rewired before it.

    Rewirings compose: edges of a graph that has ``edge_type`` already keep theirs, and added ones
    get one more than the greatest there is. Each graph of a batch is rewired by itself, and the
    greatest type is that of the whole batch, so that a type means the same in all its graphs.

    Args:
        seed: Seeds what is drawn at random, together with the graph.

    Example:
        >>> import torch
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.rewiring import Rewiring
        >>> class FirstToLast(Rewiring):
        ...     def rewire(self, edges, num_nodes):
        ...         return torch.cat([edges, torch.tensor([[0], [num_nodes - 1]])], dim=1)
        >>> (ring,) = transfer("ring", 4, num_graphs=1)
        >>> FirstToLast()(ring).num_edges - ring.num_edges
        2
    """

    #: Raised whenever the result for some graph changes, so that caches are not trusted.
    version: int = 1
    #: Whether a dataset's result is worth a file: not where that takes longer to read than to make,
    #: nor where nodes are added.
    kept: bool = True
    #: What the result has to do with the features of nodes.
    features: Literal["ignored", "read", "changed"] = "ignored"
    #: The attributes it writes, which a graph must not have before.
    writes: tuple[str, ...] = ()

    def __init__(self, seed: int = 0) -> None:
        self.seed = whole_number("seed", seed)

    def rewire(self, edges: Tensor, num_nodes: int) -> Tensor:
        """Return the new edges; they and ``edges`` are ``[2, m]`` with ``u < v``, no duplicates."""
        raise InputError(f"{type(self).__name__} needs more than edges: call it with a graph")

    def rewired(self, edges: Tensor, data: Data) -> tuple[Tensor, dict[str, Tensor]]:
        """The new ``edge_index`` of a graph with ``edges``, and what else is written.

        By default these are both directions of what :meth:`rewire` gives, and nothing. Among what
        is written, ``edge_type`` says by how much the type of an added edge exceeds the first.
        """
        num_nodes = int(data.num_nodes or 0)
        return both_directions(self.rewire(edges, num_nodes), num_nodes), {}

    def generator(self, edges: Tensor, num_nodes: int) -> np.random.Generator:
        """Random numbers that depend on the seed and on the graph, and on nothing else."""
        digest = hashlib.sha256(f"{num_nodes}|".encode())
        digest.update(edges.detach().cpu().contiguous().numpy().tobytes())
        return np.random.default_rng([self.seed, *digest.digest()])

    def forward(self, data: Any) -> Any:
        """The rewired graph, or the batch of the rewired graphs."""
        name = type(self).__name__
        edge_index_of(data, name)
        added_type = first_free_type([data], name)
        if not is_batch(data):
            return self.rewired_graph(data, added_type)
        graphs = graphs_of_batch(data, name)
        return rebatched([self.rewired_graph(graph, added_type) for graph in graphs], data)

    def rewired_graph(self, data: Data, added_type: int) -> Data:
        """One graph, rewired; its added edges are of ``added_type`` and the types after it."""
        before, place = self.edges_of(data)
        after, written = self.rewired(before, data)
        types = added_type + written.pop("edge_type", 0)
        return with_edges(data, before, place, after, types).update(written)

    def simple_graph(self, data: Data) -> tuple[Data, Tensor]:
        """A graph to be rewired, every edge once in each direction, and its edges ``[2, m]``."""
        before, place = self.edges_of(data)
        after = both_directions(before, int(data.num_nodes or 0))
        return with_edges(data, before, place, after), before

    def edges_of(self, data: Data) -> tuple[Tensor, Tensor]:
        """What :func:`~panda_gnn.graph.rows.undirected_edges` gives for a graph to be rewired."""
        edge_index_of(data, type(self).__name__)
        self.check_free(data, *self.writes)
        return undirected_edges(data, type(self).__name__)

    def check_free(self, data: Data, *names: str) -> None:
        """Reject a graph that already has an attribute that would be written."""
        for name in names:
            if name in data:
                raise InputError(
                    f"{type(self).__name__} writes {name}, but the graph already has one: "
                    "delete or rename it before rewiring"
                )

    def __repr__(self) -> str:
        options = ", ".join(f"{key}={value!r}" for key, value in vars(self).items())
        return f"{type(self).__name__}({options})"


def first_free_type(graphs: Sequence[Data], who: str) -> int:
    """The least value from one on above every ``edge_type`` of some graphs."""
    greatest = 0
    for data in graphs:
        types = data.get("edge_type")
        if types is None:
            continue
        whole = isinstance(types, Tensor) and types.shape == (data.num_edges,)
        if not whole or types.dtype == torch.bool or types.is_floating_point():
            raise InputError(
                f"{who} adds a value to edge_type, which must hold a whole number for every edge"
            )
        if types.numel():
            greatest = max(greatest, int(types.max()))
    return greatest + 1


def features_of(data: Data, who: str) -> Tensor:
    """``data.x`` if it has a finite row for each node, else an error in the name of ``who``."""
    x = data.get("x")
    if not isinstance(x, Tensor) or x.dim() != 2 or x.size(0) != int(data.num_nodes or 0):
        kind = list(x.shape) if isinstance(x, Tensor) else type(x).__name__
        raise InputError(
            f"{who} reads features of nodes: give x the shape [{data.num_nodes}, columns], a row "
            f"for each node, not {kind}"
        )
    if not x.is_floating_point() or not bool(x.isfinite().all()):
        kind = "infinite or nan entries" if x.is_floating_point() else str(x.dtype)
        raise InputError(f"{who} reads features of nodes: give x finite numbers, not {kind}")
    return x


def both_directions(edges: Tensor, num_nodes: int) -> Tensor:
    """The ``edge_index`` with every one of ``edges`` in both directions, in lexicographic order."""
    edge_index = torch.cat([edges, edges.flip(0)], dim=1)
    return edge_index[:, (edge_index[0] * num_nodes + edge_index[1]).argsort()]


def edited(edges: Tensor, num_nodes: int, added: Tensor, removed: Tensor) -> Tensor:
    """``edges`` without ``removed`` and with ``added``, all ``[2, m]`` with ``u < v``, in order."""

    def ranks(some: Tensor) -> Tensor:
        return some[0] * num_nodes + some[1]

    kept = ranks(edges)
    kept = kept[~torch.isin(kept, ranks(removed))]
    rank = torch.cat([kept, ranks(added)]).unique()
    return torch.stack([rank // max(num_nodes, 1), rank % max(num_nodes, 1)])


def with_edges(
    data: Data, before: Tensor, place: Tensor, after: Tensor, added_type: int | Tensor = 1
) -> Data:
    """``data`` with the edge index ``after``, the types of its edges and their attributes.

    Edges that were there keep their type, which is zero where the graph had none; all others get
    ``added_type``, which may have an entry for each of ``after``. ``before`` and ``place`` are what
    :func:`panda_gnn.graph.rows.undirected_edges` returned for it.
    """
    num_nodes = int(data.num_nodes or 0)
    rank = after[0] * num_nodes + after[1]
    both = torch.cat([before, before.flip(0)], dim=1)
    known, order = (both[0] * num_nodes + both[1]).sort()
    position = torch.searchsorted(known, rank).clamp(max=max(known.numel() - 1, 0))
    old = known[position] == rank if known.numel() else torch.zeros_like(rank, dtype=torch.bool)
    source = place[order[position]] if known.numel() else position
    result = data.clone()
    for key in data.edge_attrs():
        values = data[key]
        if not isinstance(values, Tensor) or "index" in key or key == "y":  # not one row per edge
            continue
        moved = values.new_full((after.size(1), *values.shape[1:]), ON_ADDED_EDGES.get(key, 0))
        moved[old] = values[source[old]]
        result[key] = moved
    result.edge_index = after
    kept_type = result.edge_type if "edge_type" in data else torch.zeros_like(rank)
    result.edge_type = torch.where(old, kept_type, added_type)
    result.num_nodes = num_nodes
    return result


def with_virtual_nodes(data: Data, count: int, spokes: Tensor, added_type: int) -> Data:
    """A simple graph with ``count`` more nodes and ``spokes``, edges in both directions to them.

    Attributes of the new nodes are zero, those of the new edges too but for ``edge_weight``, which
    is one. The mask ``virtual`` tells new nodes, of this and of earlier rewirings, from the others.

    Args:
        data: A graph, such as :func:`with_edges` makes.
        count: How many nodes are added.
        spokes: The edges ``[2, m]`` that are added, each in one direction.
        added_type: Their ``edge_type``.
    """
    num_nodes, num_new = int(data.num_nodes or 0), 2 * spokes.size(1)
    result = data.clone()
    if "virtual" not in data:
        result.virtual = torch.zeros(num_nodes, dtype=torch.bool, device=spokes.device)
    graph_label = num_nodes == 1  # one label may be that of the graph or of its node
    for key in {*data.node_attrs(), "virtual"} - ({"y"} if graph_label else set()):
        values = result[key]
        if isinstance(values, Tensor):
            result[key] = torch.cat([values, values.new_zeros((count, *values.shape[1:]))])
    result.virtual[num_nodes:] = True
    fill = {**ON_ADDED_EDGES, "edge_type": added_type}
    for key in data.edge_attrs():
        values = data[key]
        if isinstance(values, Tensor) and "index" not in key and key != "y":
            new = values.new_full((num_new, *values.shape[1:]), fill.get(key, 0))
            result[key] = torch.cat([values, new])
    result.edge_index = torch.cat([data.edge_index, spokes, spokes.flip(0)], dim=1)
    result.num_nodes = num_nodes + count
    return result
