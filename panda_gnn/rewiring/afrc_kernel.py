# mypy: disable-error-code="untyped-decorator"
"""AFRC's draws: a pair of nodes that makes a triangle with a given edge."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@njit(cache=True, nogil=True)
def supporting_pairs(start: Ints, neighbour: Ints, edges: Ints, uniform: Floats) -> Ints:
    """One pair ``u < v`` for every column of ``edges`` that has any, picked by ``uniform``.

    The pairs of the edge ``(u, v)`` join each node that is next to one end only to the other end.
    """
    pairs = np.empty_like(edges)
    count = 0
    options = np.empty((2, neighbour.size), np.int64)
    for edge in range(edges.shape[1]):
        u, v = edges[0, edge], edges[1, edge]
        found = 0
        here, there = start[u], start[v]
        while here < start[u + 1] or there < start[v + 1]:
            near = neighbour[here] if here < start[u + 1] else start.size
            far = neighbour[there] if there < start[v + 1] else start.size
            if near < far and near != v:
                options[0, found], options[1, found] = near, v
                found += 1
            elif far < near and far != u:
                options[0, found], options[1, found] = u, far
                found += 1
            here += near <= far
            there += far <= near
        if found > 0:
            a, b = options[:, int(uniform[edge] * found)]
            pairs[0, count], pairs[1, count] = min(a, b), max(a, b)
            count += 1
    return pairs[:, :count]
