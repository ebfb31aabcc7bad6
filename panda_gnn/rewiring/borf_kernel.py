# mypy: disable-error-code="untyped-decorator"
"""One batch of BORF, compiled: which pairs to add and which edges to delete."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from panda_gnn.diagnostics.forman_kernels import adjacent
from panda_gnn.diagnostics.ollivier_kernels import heaviest_pair, ollivier_ricci
from panda_gnn.diagnostics.twins import twin_classes

Ints = npt.NDArray[np.int64]


@njit(cache=True, nogil=True)
def batch(start: Ints, neighbour: Ints, edges: Ints, added: int, removed: int) -> tuple[Ints, Ints]:
    """The non-edges ``[2, t]`` that become edges, and the columns of ``edges`` to delete.

    ``edges`` is in lexicographic order, and so are the columns among edges of equal curvature.
    """
    twins = twin_classes(start, neighbour)
    curvature = ollivier_ricci(twins, edges, added, removed)
    lowest = np.argsort(curvature, kind="mergesort")[:added]
    highest = np.argsort(-curvature, kind="mergesort")[:removed]
    untouched = np.full(twins.first.size, -1, np.int64)
    pairs = np.empty((2, lowest.size), np.int64)
    count = 0
    for edge in lowest:
        low, high = heaviest_pair(twins, edges[0, edge], edges[1, edge], untouched)
        if not adjacent(start, neighbour, low, high):
            pairs[0, count], pairs[1, count] = low, high
            count += 1
    return pairs[:, :count], highest
