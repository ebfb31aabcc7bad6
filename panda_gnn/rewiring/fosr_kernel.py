# mypy: disable-error-code="untyped-decorator"
"""FoSR's loop: one power step and one exact search of the best pair per edge, both O(n + m).

For one node ``i`` the product ``s_i s_j`` is least where ``s_j`` is greatest (if ``s_i`` is
negative) or least (if it is positive). Walking down the sorted values of ``s`` from that end, at
most ``d_i + 1`` steps lead to the first node that is neither ``i`` nor a neighbour; and where the
walk starts alone tells whether ``i`` can beat the best pair so far.
"""

from __future__ import annotations

import numba
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@numba.njit(cache=True, nogil=True)
def greedy_edges(edges: Ints, start: Floats, iterations: int, warmup: int) -> Ints:
    """FoSR's additions ``[2, t]`` in order, each as ``u < v``, to the undirected ``edges``."""
    num_nodes = start.size
    missing = num_nodes * (num_nodes - 1) // 2 - edges.shape[1]
    count = min(iterations, missing)
    present = edges.shape[1]
    both = np.empty((2, present + count), dtype=np.int64)
    both[:, :present] = edges
    # Half-edges 2e and 2e + 1 of edge e, in one linked list per node.
    first, following = np.full(num_nodes, -1), np.full(2 * (present + count), -1)
    degree = np.zeros(num_nodes)
    for e in range(present):
        _link(both, e, first, following, degree)
    x = start.copy()
    for _ in range(warmup):
        x = _power_step(both[:, :present], degree, x)
    mark = np.full(num_nodes, -1)
    for added in range(count):
        u, v = _best_pair(np.round(x / np.sqrt(degree + 1), 12), both, first, following, mark)
        both[0, present + added], both[1, present + added] = u, v
        _link(both, present + added, first, following, degree)
        x = _power_step(both[:, : present + added + 1], degree, x)
    return both[:, present:].copy()


@numba.njit(cache=True, nogil=True)
def _link(edges: Ints, e: int, first: Ints, following: Ints, degree: Floats) -> None:
    """Enter edge ``e`` in the lists of both its ends."""
    for end in range(2):
        node = edges[end, e]
        following[2 * e + end] = first[node]
        first[node] = 2 * e + end
        degree[node] += 1


@numba.njit(cache=True, nogil=True)
def _power_step(edges: Ints, degree: Floats, x: Floats) -> Floats:
    """One step towards the second eigenvector of the normalised adjacency matrix."""
    root = np.sqrt(degree)
    if edges.shape[1] > 0:
        x = x - (x * root).sum() / degree.sum() * root
    y = x.copy()
    for e in range(edges.shape[1]):
        u, v = edges[0, e], edges[1, e]
        scale = 1 / (root[u] * root[v])
        y[u] += scale * x[v]
        y[v] += scale * x[u]
    length = np.sqrt((y * y).sum())
    return y / length if length > 0 else y


@numba.njit(cache=True, nogil=True)
def _best_pair(  # type: ignore[no-untyped-def]
    s: Floats, edges: Ints, first: Ints, following: Ints, mark: Ints
):
    """The first pair ``i < j`` of non-adjacent nodes with the least ``s_i s_j``; one must exist."""
    order = np.argsort(s)
    num_nodes = s.size
    least, greatest = s[order[0]], s[order[-1]]
    best, best_i = np.inf, -1
    mark[:] = -1
    for i in range(num_nodes):
        descending = s[i] < 0
        if s[i] * (greatest if descending else least) >= best:
            continue
        _mark_closed(i, edges, first, following, mark)
        for step in range(num_nodes):
            j = order[num_nodes - 1 - step] if descending else order[step]
            if mark[j] != i:
                if s[i] * s[j] < best:
                    best, best_i = s[i] * s[j], i
                break
    _mark_closed(best_i, edges, first, following, mark)
    best_j = 0
    while mark[best_j] == best_i or s[best_i] * s[best_j] != best:
        best_j += 1
    return best_i, best_j


@numba.njit(cache=True, nogil=True)
def _mark_closed(i: int, edges: Ints, first: Ints, following: Ints, mark: Ints) -> None:
    """Mark ``i`` and its neighbours with ``i``."""
    mark[i] = i
    half = first[i]
    while half >= 0:
        mark[edges[1 - half % 2, half // 2]] = i
        half = following[half]
