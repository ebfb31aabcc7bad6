# mypy: disable-error-code="untyped-decorator"
"""From sorted lists of edges to rows, and whether the rows are those of undirected graphs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from panda_gnn.csr import Int32, Int64

LEAVES_GRAPH, UNSORTED, SORTED = -1, 0, 1


@njit(
    "int64(int64[:, :], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1],"
    " int64[::1], int32[::1], boolean[::1])",
    cache=True,
    nogil=True,
)
def read(
    edge_index: Int64,
    begin: Int64,
    end: Int64,
    shift: Int64,
    limit: Int64,
    graph_start: Int64,
    degree: Int64,
    neighbours: Int32,
    loops: npt.NDArray[np.bool_],
) -> int:
    """Copy the edges of every node, provided that they arrive in ascending order, each once.

    Segment ``k`` is ``edge_index[:, begin[k] : end[k]]``; its nodes ``0 .. limit[k] - 1`` stand at
    ``shift[k], ...``, and ``graph_start`` holds the first node of each node's graph. Returns
    SORTED, UNSORTED (then the other outputs mean nothing) or LEAVES_GRAPH.
    """
    state = SORTED
    written = 0
    last_row, last_column = np.int64(-1), np.int64(-1)
    for segment in range(len(begin)):
        for entry in range(begin[segment], end[segment]):
            row, column = edge_index[0, entry], edge_index[1, entry]
            if min(row, column) < 0 or max(row, column) >= limit[segment]:
                return LEAVES_GRAPH
            row += shift[segment]
            column += shift[segment]
            if graph_start[row] != graph_start[column]:
                return LEAVES_GRAPH
            if row < last_row or (row == last_row and column <= last_column):
                state = UNSORTED
            last_row, last_column = row, column
            if row == column:
                loops[row] = True
            else:
                degree[row] += 1
                neighbours[written] = column - graph_start[row]
                written += 1
    return state


@njit("boolean(int64[::1], int64[::1], int32[::1])", cache=True, nogil=True)
def symmetric(node_ptr: Int64, row_ptr: Int64, neighbours: Int32) -> bool:
    """Whether a walk over the sorted rows meets, in every column, the entries of its row."""
    place = row_ptr.copy()
    for graph in range(len(node_ptr) - 1):
        start = node_ptr[graph]
        for node in range(node_ptr[graph + 1] - start):
            for entry in range(row_ptr[start + node], row_ptr[start + node + 1]):
                column = start + neighbours[entry]
                mirror = place[column]
                if mirror >= row_ptr[column + 1] or neighbours[mirror] != node:
                    return False
                place[column] = mirror + 1
    return True
