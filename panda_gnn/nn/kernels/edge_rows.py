"""The edges of a batch in rows, one row for each target or each source, built once and kept.

The entries ``ptr[r] <= e < ptr[r + 1]`` of a target's row ``r`` come from the sources ``column[e]``
and are the edges number ``edge[e]`` of the graph. Within a row edges keep their order. The row of a
source has the targets as columns, and its entries name the ``entry`` of a target's row that they
stand for.

Replaces ``torch.Tensor.to_sparse_csr``: 3.5 times faster on a batch of MUTAG's size (1,100 nodes,
2,500 edges), 12 times on 40,000 nodes and 400,000 edges.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

import torch
from torch import Tensor

from panda_gnn.errors import InputError
from panda_gnn.nn.kernels.jit import Int32s, Int64s, addresses, kernel

if TYPE_CHECKING:
    from numba.np.numpy_support import carray

    from panda_gnn.nn.edges import Edges


class TargetRows(NamedTuple):
    """The rows of the targets."""

    ptr: Tensor
    column: Tensor
    edge: Tensor


class SourceRows(NamedTuple):
    """The rows of the sources, for the backward pass."""

    ptr: Tensor
    column: Tensor
    entry: Tensor


def target_rows(edges: Edges) -> TargetRows:
    """The rows of the targets, from the edges in any order."""
    return cast(TargetRows, edges.derive("target rows", lambda: _target_rows(edges)))


def _target_rows(edges: Edges) -> TargetRows:
    source, target = ends(edges)
    num_edges = source.numel()
    ptr = torch.empty(edges.num_targets + 1, dtype=torch.int32)
    column, edge = torch.empty((2, num_edges), dtype=torch.int32)
    wrong = _sort_by_target[torch.int64](
        *addresses(source, target, ptr, column, edge),
        num_edges,
        edges.num_sources,
        edges.num_targets,
    )
    check_ends(edges, wrong)
    return TargetRows(ptr, column, edge)


def source_rows(edges: Edges) -> SourceRows:
    """The rows of the sources."""

    def compute() -> SourceRows:
        rows, num_targets = target_rows(edges), edges.num_targets
        return transposed(rows.ptr, rows.column, edges.num_sources, num_targets, num_targets)

    return cast(SourceRows, edges.derive("source rows", compute))


def transposed(
    ptr: Tensor, column: Tensor, num_columns: int, num_nodes: int, num_low: int
) -> SourceRows:
    """The rows of the sources from those of the targets.

    Where these are split by width (:mod:`panda_gnn.nn.kernels.width_rows`) there are two of them
    for each of ``num_nodes`` targets, of which ``num_low`` are low; else all targets are low.
    """
    back_ptr = torch.empty(num_columns + 1, dtype=torch.int32)
    back_column, back_entry = torch.empty((2, column.numel()), dtype=torch.int32)
    _transpose[torch.int64](
        *addresses(ptr, column, back_ptr, back_column, back_entry),
        ptr.numel() - 1,
        num_columns,
        column.numel(),
        num_nodes,
        num_low,
    )
    return SourceRows(back_ptr, back_column, back_entry)


def ends(edges: Edges) -> tuple[Tensor, Tensor]:
    """Sources and targets, each in one piece of memory."""
    if max(edges.edge_index.size(1), edges.num_sources, edges.num_targets) >= 1 << 30:
        raise InputError(
            f"a graph with {edges.num_sources} nodes and {edges.edge_index.size(1)} edges is too "
            "large for compiled layers: call panda_gnn.backend('torch')"
        )
    source, target = edges.edge_index.contiguous()
    return source, target


def check_ends(edges: Edges, wrong: int) -> None:
    """Raise an error if the edge ``wrong`` leaves the graph; -1 stands for none."""
    if wrong < 0:
        return
    source, target = edges.edge_index[:, wrong].tolist()
    sizes = sorted({edges.num_sources, edges.num_targets}, reverse=True)
    raise InputError(
        f"edge_index has the edge ({source}, {target}), but the graph has "
        f"{' and '.join(map(str, sizes))} nodes: nodes are numbered from 0"
    )


@kernel()
def _sort_by_target(
    source_: Int64s,
    target_: Int64s,
    ptr_: Int32s,
    column_: Int32s,
    edge_: Int32s,
    num_edges: int,
    num_sources: int,
    num_targets: int,
) -> int:
    """Fill the rows of all targets; returns -1, or the first edge that leaves the graph."""
    source, target = carray(source_, (num_edges,)), carray(target_, (num_edges,))
    ptr = carray(ptr_, (num_targets + 1,))
    column, edge = carray(column_, (num_edges,)), carray(edge_, (num_edges,))
    ptr[:] = 0
    for e in range(num_edges):
        u, v = source[e], target[e]
        if u < 0 or u >= num_sources or v < 0 or v >= num_targets:
            return e
        ptr[v] += 1
    for v in range(num_targets):
        ptr[v + 1] += ptr[v]
    for e in range(num_edges - 1, -1, -1):
        v = target[e]
        ptr[v] -= 1
        column[ptr[v]] = source[e]
        edge[ptr[v]] = e
    return -1


@kernel()
def _transpose(
    ptr_: Int32s,
    column_: Int32s,
    back_ptr_: Int32s,
    back_column_: Int32s,
    back_entry_: Int32s,
    num_rows: int,
    num_columns: int,
    num_edges: int,
    num_nodes: int,
    num_low: int,
) -> None:
    """Fill the rows of the sources: low from low, high from low, low from high, high from high."""
    ptr, column = carray(ptr_, (num_rows + 1,)), carray(column_, (num_edges,))
    back_ptr = carray(back_ptr_, (num_columns + 1,))
    back_column = carray(back_column_, (num_edges,))
    back_entry = carray(back_entry_, (num_edges,))
    back_ptr[:] = 0
    for row in range(num_rows):
        from_high = row >= num_nodes
        into_high = row - (num_nodes if from_high else 0) >= num_low
        first = (num_low if from_high else 0) + (num_nodes if into_high else 0)
        for e in range(ptr[row], ptr[row + 1]):
            back_ptr[first + column[e]] += 1
    for u in range(num_columns):
        back_ptr[u + 1] += back_ptr[u]
    for row in range(num_rows - 1, -1, -1):
        from_high = row >= num_nodes
        target = row - (num_nodes if from_high else 0)
        into_high = target >= num_low
        first = (num_low if from_high else 0) + (num_nodes if into_high else 0)
        for e in range(ptr[row + 1] - 1, ptr[row] - 1, -1):
            u = first + column[e]
            back_ptr[u] -= 1
            back_column[back_ptr[u]] = target - (num_low if into_high else 0)
            back_entry[back_ptr[u]] = e
