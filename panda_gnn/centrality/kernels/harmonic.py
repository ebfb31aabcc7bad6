# mypy: disable-error-code="untyped-decorator"
"""Sums of inverse distances in graphs of classes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from panda_gnn.csr import Int32, Int64

Float64 = npt.NDArray[np.float64]


@njit(
    "void(int64[::1], int64[::1], int32[::1], float64[::1], float64[::1])",
    cache=True,
    nogil=True,
    error_model="numpy",
)
def inverse_distances(
    class_ptr: Int64, row_ptr: Int64, neighbours: Int32, members: Float64, inverse: Float64
) -> None:
    """Add up ``members / distance`` over all other classes of a connected graph, for each class."""
    for graph in range(len(class_ptr) - 1):
        start, stop = class_ptr[graph], class_ptr[graph + 1]
        rows = row_ptr[start : stop + 1]
        size = stop - start
        found_by = np.full(size, -1, np.int32)
        queue = np.empty(size, np.int32)
        for source in range(size):
            found_by[source] = source
            queue[0] = source
            head, tail, distance = 0, 1, 0
            total = 0.0
            while head < tail:
                level_end = tail
                distance += 1
                reached = 0.0
                while head < level_end and tail < size:
                    node = queue[head]
                    head += 1
                    for entry in range(rows[node], rows[node + 1]):
                        other = neighbours[entry]
                        if found_by[other] != source:
                            found_by[other] = source
                            reached += members[start + other]
                            queue[tail] = other
                            tail += 1
                head = level_end
                total += reached / distance
            inverse[start + source] = total
