"""Compiled counts of triangles and 4-cycles on edges, and the Forman curvatures made of them.

A graph is given by its neighbour lists: the neighbours of ``v``, ascending, are
``neighbour[start[v]:start[v + 1]]``, so every edge has two slots, one in the list of each end.

The counts are 5 to 20 times faster than ``A * (A @ A)`` and ``A * (A @ A @ A)`` of scipy.sparse.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from panda_gnn.errors import InputError
from panda_gnn.graph.arrays import Float64, Int8, Int32, Int64
from panda_gnn.graph.compiled import compiled
from panda_gnn.graph.rows import GraphRows

#: What a node is to the edge ``(i, j)`` under inspection.
NEITHER, NEAR_I, NEAR_J, NEAR_BOTH = 0, 1, 2, 3


@compiled
def slot_of(start: Int64, neighbour: Int32, u: int, v: int) -> int:
    """Where ``v`` stands, or would stand, in the list of ``u``."""
    low, high = start[u], start[u + 1]
    while low < high:
        middle = (low + high) // 2
        if neighbour[middle] < v:
            low = middle + 1
        else:
            high = middle
    return int(low)


@compiled
def adjacent(start: Int64, neighbour: Int32, u: int, v: int) -> bool:
    """Whether ``(u, v)`` is an edge."""
    slot = slot_of(start, neighbour, u, v)
    return bool(slot < start[u + 1] and neighbour[slot] == v)


@compiled
def triangles_on_edges(start: Int64, neighbour: Int32) -> Int64:
    """The number of triangles on the edge of every slot."""
    num_nodes = start.size - 1
    triangles = np.zeros(neighbour.size, np.int64)
    slot_in = np.full(num_nodes, -1, np.int64)
    for i in range(num_nodes):
        for slot in range(start[i], start[i + 1]):
            slot_in[neighbour[slot]] = slot
        for slot in range(start[i], start[i + 1]):
            j = neighbour[slot]
            if j < i:
                continue
            common = 0
            for other in range(start[j], start[j + 1]):
                common += slot_in[neighbour[other]] >= 0
            triangles[slot] = common
            triangles[slot_of(start, neighbour, j, i)] = common
        for slot in range(start[i], start[i + 1]):
            slot_in[neighbour[slot]] = -1
    return triangles


@compiled
def survey(
    start: Int64, neighbour: Int32, i: int, j: int, role: Int8, cycles: Int64
) -> tuple[int, int]:
    """Count the diagonal-free 4-cycles ``i - k - w - j`` through each neighbour of ``(i, j)``.

    Fills ``role`` of the neighbours of ``i`` and ``j`` (other than ``i`` and ``j``) and ``cycles``
    of those that are neighbours of one end only; both arrays must be zero before, and
    :func:`forget` makes them zero again. Returns how many nodes have such a cycle and the largest
    number of cycles through one of them.
    """
    for slot in range(start[i], start[i + 1]):
        role[neighbour[slot]] = NEAR_I
    for slot in range(start[j], start[j + 1]):
        role[neighbour[slot]] |= NEAR_J
    role[i] = role[j] = NEITHER
    work_i = work_j = 0
    for slot in range(start[i], start[i + 1]):
        k = neighbour[slot]
        if role[k] == NEAR_I:
            work_i += start[k + 1] - start[k]
    for slot in range(start[j], start[j + 1]):
        w = neighbour[slot]
        if role[w] == NEAR_J:
            work_j += start[w + 1] - start[w]
    near, own, far = (i, NEAR_I, NEAR_J) if work_i <= work_j else (j, NEAR_J, NEAR_I)
    members = largest = 0
    for slot in range(start[near], start[near + 1]):
        k = neighbour[slot]
        if role[k] != own:
            continue
        for other in range(start[k], start[k + 1]):
            w = neighbour[other]
            if role[w] == far:
                members += (cycles[k] == 0) + (cycles[w] == 0)
                cycles[k] += 1
                cycles[w] += 1
                largest = max(largest, cycles[k], cycles[w])
    return members, largest


@compiled
def forget(start: Int64, neighbour: Int32, i: int, j: int, role: Int8, cycles: Int64) -> None:
    """Make ``role`` and ``cycles`` zero again after :func:`survey` of ``(i, j)``."""
    for end in (i, j):
        for slot in range(start[end], start[end + 1]):
            role[neighbour[slot]] = NEITHER
            cycles[neighbour[slot]] = 0


@compiled
def balanced_forman_value(
    degree_i: int, degree_j: int, triangles: int, members: int, largest: int
) -> float:
    """Balanced Forman curvature of an edge from its counts (``members`` is s_i + s_j)."""
    low, high = min(degree_i, degree_j), max(degree_i, degree_j)
    if low <= 1:
        return 0.0
    value = 2 / low + 2 / high - 2 + 2 * triangles / high + triangles / low
    if members > 0:
        value += members / (largest * high)
    return value


@compiled
def value_of_edge(
    start: Int64, neighbour: Int32, triangles: Int64, slot: int, i: int, role: Int8, cycles: Int64
) -> float:
    """Balanced Forman curvature of the edge in ``slot``, which is in the list of ``i``."""
    j: Any = np.int64(neighbour[slot])
    degree_i, degree_j = start[i + 1] - start[i], start[j + 1] - start[j]
    members = largest = 0
    if triangles[slot] + 1 < min(degree_i, degree_j):
        members, largest = survey(start, neighbour, i, j, role, cycles)
        forget(start, neighbour, i, j, role, cycles)
    return balanced_forman_value(degree_i, degree_j, triangles[slot], members, largest)


@compiled
def balanced_forman(start: Int64, neighbour: Int32) -> Float64:
    """Balanced Forman curvature of the edge of every slot."""
    num_nodes = start.size - 1
    degree = start[1:] - start[:-1]
    triangles = triangles_on_edges(start, neighbour)
    curvature = np.zeros(neighbour.size)
    role, cycles = np.zeros(num_nodes, np.int8), np.zeros(num_nodes, np.int64)
    for i in range(num_nodes):
        for slot in range(start[i], start[i + 1]):
            j = neighbour[slot]
            if j < i or min(degree[i], degree[j]) == 1:
                continue
            value = value_of_edge(start, neighbour, triangles, slot, i, role, cycles)
            curvature[slot] = curvature[slot_of(start, neighbour, j, i)] = value
    return curvature


@compiled
def four_cycles_on_edges(start: Int64, neighbour: Int32) -> Int64:
    """The number of 4-cycles, with or without diagonals, on the edge of every slot.

    They are the walks ``i - k - w - j`` with ``k != j`` and ``w != i``.
    """
    num_nodes = start.size - 1
    paths = np.zeros(num_nodes, np.int64)  # walks of length two from i
    cycles = np.zeros(neighbour.size, np.int64)
    for i in range(num_nodes):
        for slot in range(start[i], start[i + 1]):
            k = neighbour[slot]
            for other in range(start[k], start[k + 1]):
                paths[neighbour[other]] += 1
        for slot in range(start[i], start[i + 1]):
            j = neighbour[slot]
            for other in range(start[j], start[j + 1]):
                w = neighbour[other]
                if w != i:
                    cycles[slot] += paths[w] - 1  # not by way of j
        for slot in range(start[i], start[i + 1]):
            k = neighbour[slot]
            for other in range(start[k], start[k + 1]):
                paths[neighbour[other]] = 0
    return cycles


def augmented_forman(graph: GraphRows, cycles: int) -> Float64:
    """The curvature AFR-3 or AFR-4 of every edge ``u < v`` of one graph."""
    if cycles not in (3, 4):
        raise InputError(f"cycles is the longest cycle that counts, 3 or 4, not {cycles!r}")
    degree = graph.degrees
    value = 4 - degree[graph.sources] - degree[graph.neighbours]
    value += 3 * triangles_on_edges(graph.row_ptr, graph.neighbours)
    if cycles == 4:
        value += 2 * four_cycles_on_edges(graph.row_ptr, graph.neighbours)
    return value[graph.sources < graph.neighbours].astype(np.float64)
