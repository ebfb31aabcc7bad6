# mypy: disable-error-code="untyped-decorator"
"""LASER's search: from every node one breadth-first search and one count of walks."""

from __future__ import annotations

import numba
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@numba.njit(cache=True, nogil=True)
def distant_edges(
    start: Ints, neighbour: Ints, snapshots: int, rho: float, walk_length: int, seed: int
) -> tuple[Ints, Ints]:
    """LASER's additions ``[2, t]``, each as ``u < v``, and the distance of the two nodes."""
    np.random.seed(seed)  # noqa: NPY002
    num_nodes = start.size - 1
    distance = np.full(num_nodes, -1)
    queue = np.empty(num_nodes, np.int64)
    source, target, relation = [0 for _ in range(0)], [0 for _ in range(0)], [0 for _ in range(0)]
    for i in range(num_nodes):
        found = _within(start, neighbour, i, snapshots, distance, queue)
        ball = queue[:found]
        candidates = np.array([j for j in ball if j > i and distance[j] >= 2])
        if candidates.size > 0:
            walks = _log_walks(start, neighbour, i, walk_length)
            np.random.shuffle(candidates)  # noqa: NPY002
            candidates = candidates[np.argsort(walks[candidates], kind="mergesort")]
            for r in range(2, snapshots + 1):
                ring = candidates[distance[candidates] == r]
                for j in ring[: max(int(rho * ring.size), min(ring.size, 1))]:
                    source.append(i)
                    target.append(j)
                    relation.append(r)
        distance[ball] = -1
    added = np.empty((2, len(source)), np.int64)
    for e in range(len(source)):
        added[0, e], added[1, e] = source[e], target[e]
    return added, np.array(relation, dtype=np.int64)


@numba.njit(cache=True, nogil=True)
def _within(start: Ints, neighbour: Ints, i: int, radius: int, distance: Ints, queue: Ints) -> int:
    """Fill ``distance`` of the nodes within ``radius`` of ``i`` and ``queue`` with these nodes."""
    distance[i], queue[0] = 0, i
    head, tail = 0, 1
    while head < tail:
        u = queue[head]
        head += 1
        if distance[u] == radius:
            break
        for slot in range(start[u], start[u + 1]):
            v = neighbour[slot]
            if distance[v] < 0:
                distance[v] = distance[u] + 1
                queue[tail] = v
                tail += 1
    return tail


@numba.njit(cache=True, nogil=True)
def _log_walks(start: Ints, neighbour: Ints, i: int, length: int) -> Floats:
    """The logarithm of row ``i`` of ``(A + I)^length``, rounded so that equal counts stay equal."""
    num_nodes = start.size - 1
    count = np.zeros(num_nodes)
    count[i] = 1
    for _ in range(length):
        longer = count.copy()
        for u in range(num_nodes):
            if count[u] > 0:
                for slot in range(start[u], start[u + 1]):
                    longer[neighbour[slot]] += count[u]
        count = longer
    for u in range(num_nodes):
        count[u] = np.round(np.log2(count[u]), 10)
    return count
