# mypy: disable-error-code="untyped-decorator"
"""Edges sorted by target, by source and by width, and the weights of a graph convolution.

The edges into a target stand in one *row*. The entries ``ptr[r] <= e < ptr[r+1]`` of row ``r`` come
from the sources ``column[e]`` and are the edges number ``edge[e]`` of the graph. Within a row
edges keep their order. The transposed rows belong to the sources; their entries name the entry
they stand for.

Split by width, nodes are numbered low ones first, and there are two rows for each target: row ``v``
holds the edges from low sources, row ``num_nodes + v`` those from high sources, and columns count
the sources of one width. So the rows fall into four ranges: low to low, low to high, high to low,
high to high. Transposed, the four are low from low, high from low, low from high, high from high.
"""

from __future__ import annotations

from numba.np.numpy_support import carray

from panda_gnn.nn.kernels.typed import Pointer, kernel, kernels


@kernel("int64(int64*, int64*, int64, int64, int64, int32*, int32*, int32*)")
def sort_edges(
    source_: Pointer,
    target_: Pointer,
    num_edges: int,
    num_sources: int,
    num_targets: int,
    ptr_: Pointer,
    column_: Pointer,
    edge_: Pointer,
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


@kernel("void(int32*, int32*, int64, int64, int64, int32*, int32*, int32*)")
def transpose(
    ptr_: Pointer,
    column_: Pointer,
    num_rows: int,
    num_columns: int,
    num_edges: int,
    back_ptr_: Pointer,
    back_column_: Pointer,
    back_entry_: Pointer,
) -> None:
    """The rows of the sources from those of the targets."""
    ptr, column = carray(ptr_, (num_rows + 1,)), carray(column_, (num_edges,))
    back_ptr = carray(back_ptr_, (num_columns + 1,))
    back_column, back_entry = carray(back_column_, (num_edges,)), carray(back_entry_, (num_edges,))
    back_ptr[:] = 0
    for e in range(num_edges):
        back_ptr[column[e]] += 1
    for u in range(num_columns):
        back_ptr[u + 1] += back_ptr[u]
    for v in range(num_rows - 1, -1, -1):
        for e in range(ptr[v + 1] - 1, ptr[v] - 1, -1):
            u = column[e]
            back_ptr[u] -= 1
            back_column[back_ptr[u]] = v
            back_entry[back_ptr[u]] = e


@kernel(
    "int64(int64*, int64*, uint8*, int64, int64,"
    " int64*, int32*, int64*, int32*, int32*, int32*, int32*)"
)
def sort_by_width(
    source_: Pointer,
    target_: Pointer,
    high_: Pointer,
    num_edges: int,
    num_nodes: int,
    nodes_: Pointer,
    position_: Pointer,
    num_low_: Pointer,
    ptr_: Pointer,
    column_: Pointer,
    edge_: Pointer,
    crossing_target_: Pointer,
) -> int:
    """Number the nodes low ones first and fill their rows.

    ``nodes`` gets the nodes in the new order, ``position`` the new number of each, and
    ``crossing_target`` the target of each entry from a high to a low node. Returns -1, or the
    first edge that leaves the graph.
    """
    source, target = carray(source_, (num_edges,)), carray(target_, (num_edges,))
    high, position = carray(high_, (num_nodes,)), carray(position_, (num_nodes,))
    nodes, ptr = carray(nodes_, (num_nodes,)), carray(ptr_, (2 * num_nodes + 1,))
    column, edge = carray(column_, (num_edges,)), carray(edge_, (num_edges,))
    crossing_target = carray(crossing_target_, (num_edges,))
    num_low = 0
    for v in range(num_nodes):
        if high[v] == 0:
            position[v] = num_low
            nodes[num_low] = v
            num_low += 1
    num_high = 0
    for v in range(num_nodes):
        if high[v] != 0:
            position[v] = num_low + num_high
            nodes[num_low + num_high] = v
            num_high += 1
    carray(num_low_, (1,))[0] = num_low
    ptr[:] = 0
    for e in range(num_edges):
        u, v = source[e], target[e]
        if u < 0 or u >= num_nodes or v < 0 or v >= num_nodes:
            return e
        ptr[position[v] + (num_nodes if high[u] else 0)] += 1
    for row in range(2 * num_nodes):
        ptr[row + 1] += ptr[row]
    for e in range(num_edges - 1, -1, -1):
        u, v = source[e], target[e]
        from_high = high[u] != 0
        row = position[v] + (num_nodes if from_high else 0)
        ptr[row] -= 1
        column[ptr[row]] = position[u] - (num_low if from_high else 0)
        edge[ptr[row]] = e
    for v in range(num_low):
        for e in range(ptr[num_nodes + v], ptr[num_nodes + v + 1]):
            crossing_target[e - ptr[num_nodes]] = v
    return -1


@kernel("void(int32*, int32*, int64, int64, int64, int32*, int32*, int32*)")
def transpose_by_width(
    ptr_: Pointer,
    column_: Pointer,
    num_low: int,
    num_nodes: int,
    num_edges: int,
    back_ptr_: Pointer,
    back_column_: Pointer,
    back_entry_: Pointer,
) -> None:
    """The rows of the sources, split by width, from those of the targets."""
    ptr, column = carray(ptr_, (2 * num_nodes + 1,)), carray(column_, (num_edges,))
    back_ptr = carray(back_ptr_, (2 * num_nodes + 1,))
    back_column, back_entry = carray(back_column_, (num_edges,)), carray(back_entry_, (num_edges,))
    back_ptr[:] = 0
    for row in range(2 * num_nodes):
        first = (num_low if row >= num_nodes else 0) + (
            num_nodes if row % num_nodes >= num_low else 0
        )
        for e in range(ptr[row], ptr[row + 1]):
            back_ptr[first + column[e]] += 1
    for row in range(2 * num_nodes):
        back_ptr[row + 1] += back_ptr[row]
    for row in range(2 * num_nodes - 1, -1, -1):
        target = row % num_nodes
        into_high = target >= num_low
        first = (num_low if row >= num_nodes else 0) + (num_nodes if into_high else 0)
        for e in range(ptr[row + 1] - 1, ptr[row] - 1, -1):
            u = first + column[e]
            back_ptr[u] -= 1
            back_column[back_ptr[u]] = target - (num_low if into_high else 0)
            back_entry[back_ptr[u]] = e


@kernels(
    "void(int32*, int32*, int32*, real*, int64, int64, int64, int64, int64, real*, real*, real*)"
)
def normalise(
    ptr_: Pointer,
    column_: Pointer,
    edge_: Pointer,
    edge_weight_: Pointer,
    weighted: int,
    self_loops: int,
    num_nodes: int,
    parts: int,
    num_low: int,
    scale_: Pointer,
    weight_: Pointer,
    loop_: Pointer,
) -> None:
    """The weights ``w / sqrt(d_u d_v)`` of all entries, and of the self-loops that are added.

    There are ``parts`` rows for each node, the second one (if any) for high sources, whose columns
    count from ``num_low``. ``scale`` is room for one number per node. Where an edge weight is not
    ``weighted`` it is one.
    """
    ptr = carray(ptr_, (parts * num_nodes + 1,))
    column, edge = carray(column_, (ptr[-1],)), carray(edge_, (ptr[-1],))
    edge_weight, weight = carray(edge_weight_, (ptr[-1],)), carray(weight_, (ptr[-1],))
    scale, loop = carray(scale_, (num_nodes,)), carray(loop_, (num_nodes,))
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
        degree += own
        if self_loops:
            loop[v] = own
        scale[v] = degree**-0.5 if degree > 0 else 0
    for v in range(num_nodes):
        for part in range(parts):
            row = v + part * num_nodes
            for e in range(ptr[row], ptr[row + 1]):
                factor = scale[v] * scale[column[e] + part * num_low]
                weight[e] = factor * edge_weight[edge[e]] if weighted else factor
        if self_loops:
            loop[v] *= scale[v] * scale[v]
