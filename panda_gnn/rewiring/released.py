"""What the public code of SDRF and BORF computes instead of SDRF and BORF.

Published rows depend on it, so it can be had by ``variant="released"``; nothing else should use it.
It is written on dense matrices, as slow as it is meant to be rare. Defects other than those named
below are not imitated; one such is that SDRF's scan of the candidates, too, stops short of some.
"""

from __future__ import annotations

import numpy as np

from panda_gnn.graph.arrays import Bool, Float64, Int64
from panda_gnn.graph.compiled import compiled
from panda_gnn.graph.transport import transport
from panda_gnn.rewiring.sdrf_kernel import ADD, REMOVE, draw


@compiled
def forman_value(adjacency: Int64, paths: Int64, i: int, j: int) -> float:
    """Balanced Forman curvature with a wrong count of 4-cycles.

    ``paths`` counts walks of length two. A neighbour ``k`` of ``j`` counts if there are more of
    them from ``i`` to ``k`` than edges, so that by way of ``j`` does, and ``k = i`` does too: C6
    has 1 instead of 0, K5 1.75 instead of 1.25.
    """
    edge, degree_i, degree_j = adjacency[i, j], paths[i, i], paths[j, j]
    low, high = min(degree_i, degree_j), max(degree_i, degree_j)
    if low == 0:
        return 0.0
    members = largest = 0
    for k in range(adjacency.shape[0]):
        for near, far in ((i, j), (j, i)):
            count = edge * adjacency[k, far] * (paths[near, k] - adjacency[near, k])
            members += count > 0
            largest = max(largest, count)
    triangles = edge * paths[i, j]
    value: float = 2 / high + 2 / low - 2 + (2 / high + 1 / low) * triangles
    if largest > 0:
        value += members / (high * largest)
    return value


@compiled
def scan(adjacency: Int64, paths: Int64, curvature: Float64) -> int:
    """Fill in ``curvature`` row by row up to the first non-neighbour; return how many were.

    What lies behind the first non-neighbour stays as it was.
    """
    count = 0
    for i in range(adjacency.shape[0]):
        for j in range(adjacency.shape[0]):
            if adjacency[i, j] == 0:
                curvature[i, j] = 0
                break
            curvature[i, j] = forman_value(adjacency, paths, i, j)
            count += 1
    return count


@compiled
def _toggle(adjacency: Int64, paths: Int64, k: int, l: int, step: int) -> None:  # noqa: E741
    """Add (``step`` 1) or remove (-1) the edge ``(k, l)`` and the walks over it."""
    adjacency[k, l] = adjacency[l, k] = 0
    for near, far in ((k, l), (l, k)):
        paths[near] += step * adjacency[far]
        paths[:, near] += step * adjacency[far]
        paths[near, near] += step
    adjacency[k, l] = adjacency[l, k] = step > 0


@compiled
def _flow(
    adjacency: Int64, paths: Int64, uniform: Float64, tau: float, removal_bound: float
) -> Int64:
    num_nodes = adjacency.shape[0]
    curvature = np.zeros((num_nodes, num_nodes))
    actions = np.empty((2 * uniform.size, 3), np.int64)
    count = 0
    for iteration in range(uniform.size):
        before = count
        scan(adjacency, paths, curvature)
        x, y = divmod(curvature.argmin(), num_nodes)
        high_x, high_y = divmod(curvature.argmax(), num_nodes)
        pairs, supported = [(0, 0) for _ in range(0)], [0.0 for _ in range(0)]
        for k in np.append(np.flatnonzero(adjacency[x]), x):
            for l in np.append(np.flatnonzero(adjacency[y]), y):  # noqa: E741
                if k != l and adjacency[k, l] == 0:
                    _toggle(adjacency, paths, k, l, 1)
                    pairs.append((k, l))
                    supported.append(forman_value(adjacency, paths, x, y))
                    _toggle(adjacency, paths, k, l, -1)
        if len(pairs) > 0:
            k, l = pairs[draw(np.array(supported), tau, uniform[iteration])]  # noqa: E741
            _toggle(adjacency, paths, k, l, 1)
            actions[count] = ADD, min(k, l), max(k, l)
            count += 1
        if curvature[high_x, high_y] > removal_bound and adjacency[high_x, high_y] > 0:
            _toggle(adjacency, paths, high_x, high_y, -1)
            actions[count] = REMOVE, min(high_x, high_y), max(high_x, high_y)
            count += 1
        if count == before:
            break
    return actions[:count]


def dense(edges: Int64, num_nodes: int) -> tuple[Int64, Int64]:
    """The adjacency matrix and its square."""
    adjacency = np.zeros((num_nodes, num_nodes))
    adjacency[edges[0], edges[1]] = adjacency[edges[1], edges[0]] = 1
    paths = adjacency @ adjacency
    return adjacency.astype(np.int64), paths.astype(np.int64)


def sdrf_actions(
    edges: Int64, num_nodes: int, uniform: Float64, tau: float, removal_bound: float
) -> Int64:
    """SDRF's actions with the wrong formula for a part of the edges.

    The least curvature is that of the whole matrix, in which non-edges and unread edges are 0.
    """
    actions: Int64 = _flow(*dense(edges, num_nodes), uniform, tau, removal_bound)
    return actions


def borf_edge_index(edges: Int64, num_nodes: int, batches: int, added: int, removed: int) -> Int64:
    """BORF on a directed copy of the graph: the directed edges it ends with.

    Mass moves from the predecessors of ``u`` to the successors of ``v`` along directed paths. When
    the new edges are in, the ``removed`` last edges of the list sorted by curvature are deleted,
    and the last 0 of a Python list are all of them.
    """
    adjacency = dense(edges, num_nodes)[0].astype(bool)
    for _ in range(batches):
        distance = np.where(adjacency, 1, np.where(adjacency @ adjacency, 2, 3))
        np.fill_diagonal(distance, 0)
        sources, targets = np.nonzero(adjacency)
        plans = [_plan(adjacency, distance, u, v) for u, v in zip(sources, targets, strict=True)]
        order = np.argsort([curvature for curvature, _ in plans], kind="stable")
        for edge in order[:added]:
            p, q = plans[edge][1]
            if p != q:
                adjacency[p, q] = True
        for edge in order[-removed:] if removed else order:
            adjacency[sources[edge], targets[edge]] = False
    return np.stack(np.nonzero(adjacency)).astype(np.int64)


def _plan(
    adjacency: Bool, distance: Int64, u: np.int64, v: np.int64
) -> tuple[float, tuple[int, int]]:
    """The curvature of the directed edge ``(u, v)`` and the heaviest pair of its plan."""
    before, after = np.flatnonzero(adjacency[:, u]), np.flatnonzero(adjacency[v])
    before = before if before.size else np.array([u])
    after = after if after.size else np.array([v])
    supply, demand = np.full(before.size, after.size), np.full(after.size, before.size)
    cost = np.ascontiguousarray(distance[np.ix_(before, after)])
    flow = np.zeros_like(cost)
    total = transport(supply, demand, cost, flow)
    p, q = divmod(int((flow * cost).argmax()), after.size)
    return 1 - total / (before.size * after.size), (int(before[p]), int(after[q]))
