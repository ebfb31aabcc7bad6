"""The weight of each entry of the rows: that of its edge, or normalised for a graph convolution.

Replaces ``index_add`` of degrees and ``pow``, which take as long on a small batch and half as long
on a large one, but leave the weights in the order of the edges and not of the rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor

from panda_gnn.nn.kernels.edge_rows import TargetRows, target_rows
from panda_gnn.nn.kernels.jit import Int32s, Reals, addresses, kernel
from panda_gnn.nn.kernels.width_rows import WidthTargetRows, width_target_rows

if TYPE_CHECKING:
    from numba.np.numpy_support import carray

    from panda_gnn.nn.edges import Edges
    from panda_gnn.nn.partition import WidthPartition

Weights = tuple[Tensor, Tensor | None]
"""The weight of each entry, and that of each node's own state where it has one."""


def edge_weights(edges: Edges, weight: Tensor | None, dtype: torch.dtype) -> Tensor:
    """A weight for each edge (one, where there is none) in the order of the rows."""
    rows = target_rows(edges)
    if weight is not None:
        return weight.to(dtype).view(-1).index_select(0, rows.edge)
    ones = edges.derive(("ones", dtype), lambda: torch.ones(rows.edge.numel(), dtype=dtype))
    return cast(Tensor, ones)


def width_edge_weights(partition: WidthPartition, dtype: torch.dtype) -> Tensor:
    """The weight of each edge, in the order of the rows split by width."""

    def compute() -> Tensor:
        return partition.whole.weight(dtype).index_select(0, width_target_rows(partition).edge)

    return cast(Tensor, partition.whole.derive_weights(("width weights", dtype), compute))


def normalised_weights(edges: Edges, self_loops: bool, dtype: torch.dtype) -> Weights:
    """:meth:`Edges.norm`, its first part in the order of the rows."""

    def compute() -> Weights:
        rows = target_rows(edges)
        learned = edges.edge_weight is not None and edges.edge_weight.requires_grad
        if learned or edges.whole is not None:
            norm, loop = edges.norm(self_loops, dtype)
            return norm.index_select(0, rows.edge), loop
        return _normalised(edges, rows, self_loops, dtype, 1, 0)

    return cast(Weights, edges.derive_weights(("normalised weights", self_loops, dtype), compute))


def width_normalised_weights(
    partition: WidthPartition, self_loops: bool, dtype: torch.dtype
) -> Weights:
    """:meth:`Edges.norm` of the whole graph, in the order of the rows split by width."""

    def compute() -> Weights:
        rows = width_target_rows(partition)
        return _normalised(partition.whole, rows, self_loops, dtype, 2, rows.num_low)

    key = ("width normalised weights", self_loops, dtype)
    return cast(Weights, partition.whole.derive_weights(key, compute))


def _normalised(
    edges: Edges,
    rows: TargetRows | WidthTargetRows,
    self_loops: bool,
    dtype: torch.dtype,
    parts: int,
    num_low: int,
) -> Weights:
    weight = torch.empty(rows.edge.numel(), dtype=dtype)
    scale, loop = torch.empty((2, edges.num_targets), dtype=dtype)
    edge_weight = None
    if edges.edge_weight is not None:
        edge_weight = edges.edge_weight.detach().to(dtype).contiguous()

    def normalise(edge_weight: Tensor | None) -> int:
        found: int = _normalise[dtype](
            *addresses(rows.ptr, rows.column, rows.edge, edge_weight, scale, weight, loop),
            edge_weight is not None,
            self_loops,
            edges.num_targets,
            parts,
            num_low,
        )
        return found

    if normalise(edge_weight) and self_loops:
        normalise(edges.weight(dtype).detach() * edges.counted())
    if edge_weight is not None and bool(scale.isnan().any()):
        edges.norm(self_loops, dtype)  # which says what is wrong with the weights
    return weight, loop if self_loops else None


@kernel()
def _normalise(
    ptr_: Int32s,
    column_: Int32s,
    edge_: Int32s,
    edge_weight_: Reals,
    scale_: Reals,
    weight_: Reals,
    loop_: Reals,
    weighted: int,
    self_loops: int,
    num_nodes: int,
    parts: int,
    num_low: int,
) -> int:
    """The weights ``w / sqrt(d_u d_v)`` of all entries, and of the self-loops that are added.

    Returns the number of self-loops that are there already.

    There are ``parts`` rows for each node, the second one (if any) for high sources, whose columns
    count from ``num_low``. ``scale`` is room for one number per node. Where an edge weight is not
    ``weighted`` it is one.
    """
    ptr = carray(ptr_, (parts * num_nodes + 1,))
    column, edge = carray(column_, (ptr[-1],)), carray(edge_, (ptr[-1],))
    edge_weight, weight = carray(edge_weight_, (ptr[-1],)), carray(weight_, (ptr[-1],))
    scale, loop = carray(scale_, (num_nodes,)), carray(loop_, (num_nodes,))
    found = 0
    for v in range(num_nodes):
        scale[v] = 0  # there is anything in it, NaN for one
        degree = scale[v]
        own = self_loops
        for part in range(parts):
            row = v + part * num_nodes
            for e in range(ptr[row], ptr[row + 1]):
                degree += edge_weight[edge[e]] if weighted else 1
                if column[e] + part * num_low == v:
                    own = 0
                    found += 1
        degree += own
        if self_loops:
            loop[v] = own
        scale[v] = degree**-0.5 if degree != 0 else 0
    for v in range(num_nodes):
        for part in range(parts):
            row = v + part * num_nodes
            for e in range(ptr[row], ptr[row + 1]):
                factor = scale[v] * scale[column[e] + part * num_low]
                weight[e] = factor * edge_weight[edge[e]] if weighted else factor
        if self_loops:
            loop[v] *= scale[v] * scale[v]
    return found
