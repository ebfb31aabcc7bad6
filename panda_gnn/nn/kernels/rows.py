"""The edges of a batch in rows, built once and kept with the edges.

What rows are is said in :mod:`panda_gnn.nn.kernels.sorting`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

import torch
from torch import Tensor

from panda_gnn.errors import InputError
from panda_gnn.nn.kernels import loaded

if TYPE_CHECKING:
    from panda_gnn.nn.partition import Edges, WidthPartition


class Rows(NamedTuple):
    """The rows of the targets."""

    ptr: Tensor
    column: Tensor
    edge: Tensor


class Back(NamedTuple):
    """The rows of the sources, whose entries name entries of the rows of the targets."""

    ptr: Tensor
    column: Tensor
    entry: Tensor


class WidthRows(NamedTuple):
    """The rows of low and high targets, for low and high sources.

    ``nodes`` are all nodes, low ones first. The entries from high to low nodes begin with the entry
    ``first_crossing``, and ``crossing_target`` is the target of each of them.
    """

    ptr: Tensor
    column: Tensor
    edge: Tensor
    nodes: Tensor
    crossing_target: Tensor
    num_low: int
    first_crossing: int


def _ends(edges: Edges) -> tuple[Tensor, Tensor]:
    """Sources and targets, each in one piece of memory."""
    if max(edges.edge_index.size(1), edges.num_sources, edges.num_targets) >= 1 << 30:
        raise InputError(
            f"a graph with {edges.num_sources} nodes and {edges.edge_index.size(1)} edges is too "
            "large for compiled layers: call panda_gnn.backend('torch')"
        )
    source, target = edges.edge_index.contiguous()
    return source, target


def _leaves_graph(edge: int, edge_index: Tensor, num_sources: int, num_targets: int) -> InputError:
    source, target = edge_index[:, edge].tolist()
    nodes = f"{num_sources}" if num_sources == num_targets else f"{num_sources} and {num_targets}"
    return InputError(
        f"edge_index has the edge ({source}, {target}), but the graph has {nodes} nodes: "
        "nodes are numbered from 0"
    )


def rows_of(edges: Edges) -> Rows:
    """The rows of the targets, from the edges in any order."""
    return cast(Rows, edges.derive("rows", lambda: _rows_of(edges)))


def _rows_of(edges: Edges) -> Rows:
    source, target = _ends(edges)
    num_edges = source.numel()
    ptr = torch.empty(edges.num_targets + 1, dtype=torch.int32)
    column, edge = torch.empty((2, num_edges), dtype=torch.int32)
    wrong = loaded("sorting").sort_edges(
        source.data_ptr(),
        target.data_ptr(),
        num_edges,
        edges.num_sources,
        edges.num_targets,
        ptr.data_ptr(),
        column.data_ptr(),
        edge.data_ptr(),
    )
    if wrong >= 0:
        raise _leaves_graph(wrong, edges.edge_index, edges.num_sources, edges.num_targets)
    return Rows(ptr, column, edge)


def back_of(edges: Edges) -> Back:
    """The rows of the sources."""
    return cast(Back, edges.derive("back", lambda: _back_of(edges)))


def _back_of(edges: Edges) -> Back:
    rows = rows_of(edges)
    ptr = torch.empty(edges.num_sources + 1, dtype=torch.int32)
    column, entry = torch.empty((2, rows.column.numel()), dtype=torch.int32)
    loaded("sorting").transpose(
        rows.ptr.data_ptr(),
        rows.column.data_ptr(),
        edges.num_targets,
        edges.num_sources,
        rows.column.numel(),
        ptr.data_ptr(),
        column.data_ptr(),
        entry.data_ptr(),
    )
    return Back(ptr, column, entry)


def width_rows_of(partition: WidthPartition) -> WidthRows:
    """The rows of both kinds of targets for both kinds of sources."""
    return cast(WidthRows, partition.whole.derive("width rows", lambda: _width_rows_of(partition)))


def _width_rows_of(partition: WidthPartition) -> WidthRows:
    source, target = _ends(partition.whole)
    high = partition.high.contiguous()
    num_edges, num_nodes = source.numel(), high.numel()
    nodes = torch.empty(num_nodes + 1, dtype=torch.int64)
    position = torch.empty(num_nodes, dtype=torch.int32)
    ptr = torch.empty(2 * num_nodes + 1, dtype=torch.int32)
    column, edge, crossing_target = torch.empty((3, num_edges), dtype=torch.int32)
    wrong = loaded("sorting").sort_by_width(
        source.data_ptr(),
        target.data_ptr(),
        high.data_ptr(),
        num_edges,
        num_nodes,
        nodes.data_ptr(),
        position.data_ptr(),
        nodes[num_nodes:].data_ptr(),
        ptr.data_ptr(),
        column.data_ptr(),
        edge.data_ptr(),
        crossing_target.data_ptr(),
    )
    if wrong >= 0:
        raise _leaves_graph(wrong, partition.whole.edge_index, num_nodes, num_nodes)
    num_low = int(nodes[num_nodes])
    first, last = int(ptr[num_nodes]), int(ptr[num_nodes + num_low])
    return WidthRows(
        ptr, column, edge, nodes[:num_nodes], crossing_target[: last - first], num_low, first
    )


def width_back_of(partition: WidthPartition) -> Back:
    """The rows of both kinds of sources for both kinds of targets."""
    return cast(Back, partition.whole.derive("width back", lambda: _width_back_of(partition)))


def _width_back_of(partition: WidthPartition) -> Back:
    rows = width_rows_of(partition)
    ptr = torch.empty_like(rows.ptr)
    column, entry = torch.empty((2, rows.column.numel()), dtype=torch.int32)
    loaded("sorting").transpose_by_width(
        rows.ptr.data_ptr(),
        rows.column.data_ptr(),
        rows.num_low,
        rows.nodes.numel(),
        rows.column.numel(),
        ptr.data_ptr(),
        column.data_ptr(),
        entry.data_ptr(),
    )
    return Back(ptr, column, entry)


def weight_of(edges: Edges, weight: Tensor | None, dtype: torch.dtype) -> Tensor:
    """A weight for each edge (one, where there is none) in the order of the rows."""
    rows = rows_of(edges)
    if weight is not None:
        return weight.to(dtype).view(-1).index_select(0, rows.edge)
    ones = edges.derive(("ones", dtype), lambda: torch.ones(rows.edge.numel(), dtype=dtype))
    return cast(Tensor, ones)


def width_weight_of(partition: WidthPartition, dtype: torch.dtype) -> Tensor:
    """The weight of each edge, in the order of the rows split by width."""

    def compute() -> Tensor:
        return partition.whole.weight(dtype).index_select(0, width_rows_of(partition).edge)

    return cast(Tensor, partition.whole.derive(("width weight", dtype), compute))


def norm_of(edges: Edges, self_loops: bool, dtype: torch.dtype) -> tuple[Tensor, Tensor | None]:
    """:meth:`Edges.norm`, its first part in the order of the rows."""

    def compute() -> tuple[Tensor, Tensor | None]:
        rows = rows_of(edges)
        learned = edges.edge_weight is not None and edges.edge_weight.requires_grad
        if learned or edges.whole is not None:
            norm, loop = edges.norm(self_loops, dtype)
            return norm.index_select(0, rows.edge), loop
        return _norm_of(edges, rows, self_loops, dtype, 1, 0)

    found = edges.derive(("row norm", self_loops, dtype), compute)
    return cast("tuple[Tensor, Tensor | None]", found)


def width_norm_of(
    partition: WidthPartition, self_loops: bool, dtype: torch.dtype
) -> tuple[Tensor, Tensor | None]:
    """:meth:`Edges.norm` of the whole graph, in the order of the rows split by width."""

    def compute() -> tuple[Tensor, Tensor | None]:
        rows = width_rows_of(partition)
        return _norm_of(partition.whole, rows, self_loops, dtype, 2, rows.num_low)

    found = partition.whole.derive(("width norm", self_loops, dtype), compute)
    return cast("tuple[Tensor, Tensor | None]", found)


def _norm_of(
    edges: Edges,
    rows: Rows | WidthRows,
    self_loops: bool,
    dtype: torch.dtype,
    parts: int,
    num_low: int,
) -> tuple[Tensor, Tensor | None]:
    weight = torch.empty(rows.edge.numel(), dtype=dtype)
    scale, loop = torch.empty((2, edges.num_targets), dtype=dtype)
    edge_weight = None
    if edges.edge_weight is not None:
        edge_weight = edges.edge_weight.detach().to(dtype).contiguous()
    loaded("sorting").normalise[dtype](
        rows.ptr.data_ptr(),
        rows.column.data_ptr(),
        rows.edge.data_ptr(),
        None if edge_weight is None else edge_weight.data_ptr(),
        edge_weight is not None,
        self_loops,
        edges.num_targets,
        parts,
        num_low,
        scale.data_ptr(),
        weight.data_ptr(),
        loop.data_ptr(),
    )
    return weight, loop if self_loops else None
