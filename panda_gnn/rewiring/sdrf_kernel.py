"""SDRF's loop on neighbour lists, with as little work per iteration as the definition allows.

Only triangles are kept per edge, and they change at the two ends of a new edge only. The curvature
is at least its part without 4-cycles. It exceeds that part by 2 p / max(d) at most, where p is the
lesser number of neighbours that one end does not share with the other: each of them is on at most
gamma of the cycles, so s_i + s_j <= p + gamma p <= 2 gamma p. Hence 4-cycles are counted for those
edges alone that may have the least, or the greatest, curvature. The curvature of one edge with a
candidate added follows from the counts of :func:`survey` in a few operations.
Ten edges take a thirteenth of the literal counts with networkx on 30 nodes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from panda_gnn.graph.arrays import Float64, Int8, Int32, Int64
from panda_gnn.graph.compiled import compiled
from panda_gnn.graph.forman import (
    NEAR_BOTH,
    NEAR_I,
    NEAR_J,
    balanced_forman_value,
    forget,
    slot_of,
    survey,
    triangles_on_edges,
    value_of_edge,
)
from panda_gnn.graph.ties import TIE

#: What an action does.
REMOVE, ADD = 0, 1


@compiled
def extreme_edge(  # type: ignore[no-untyped-def]
    start: Int64, neighbour: Int32, triangles: Int64, sign: int, role: Int8, cycles: Int64
):
    """The first edge with the least (``sign`` 1) or greatest (-1) curvature, and its curvature.

    Curvatures within ``TIE`` of the extreme one are as extreme.
    """
    num_nodes = start.size - 1
    bound, found = np.full(neighbour.size, np.inf), np.full(neighbour.size, np.inf)
    leading, head = -1, -1
    for i in range(num_nodes):
        degree_i = start[i + 1] - start[i]
        for slot in range(start[i], start[i + 1]):
            j = neighbour[slot]
            if j < i:
                continue
            degree_j = start[j + 1] - start[j]
            value = balanced_forman_value(degree_i, degree_j, triangles[slot], 0, 0)
            private = min(degree_i, degree_j) - 1 - triangles[slot]
            if sign < 0 and min(degree_i, degree_j) > 1:
                value += 2 * private / max(degree_i, degree_j)
            bound[slot] = sign * value
            if leading < 0 or bound[slot] < bound[leading]:
                leading, head = slot, i
    best = sign * value_of_edge(start, neighbour, triangles, leading, head, role, cycles)
    for i in range(num_nodes):
        for slot in range(start[i], start[i + 1]):
            if neighbour[slot] < i or bound[slot] > best + TIE:
                continue
            value = value_of_edge(start, neighbour, triangles, slot, i, role, cycles)
            found[slot] = sign * value
            best = min(best, found[slot])
    first: Any = np.argmax(found <= best + TIE)
    tail: Any = np.searchsorted(start, first, side="right") - 1
    return tail, np.int64(neighbour[first]), sign * found[first]


@compiled
def gain_of_triangle(
    start: Int64,
    neighbour: Int32,
    ends: tuple[int, int],
    shared: int,
    members: int,
    largest: int,
    new: int,
    role: Int8,
    cycles: Int64,
) -> float:
    """The curvature of the edge ``ends`` once ``new``, next to one of them, is next to both.

    The 4-cycles through ``new`` have a diagonal then.
    """
    x, y = ends
    degree_x, degree_y = start[x + 1] - start[x], start[y + 1] - start[y]
    grown_x, grown_y = degree_x + (role[new] == NEAR_J), degree_y + (role[new] == NEAR_I)
    if cycles[new] > 0:
        for slot in range(start[new], start[new + 1]):
            k = neighbour[slot]
            if role[k] + role[new] == NEAR_BOTH and role[k] != 0:
                cycles[k] -= 1
        members = largest = 0
        for end, own in ((x, NEAR_I), (y, NEAR_J)):
            for slot in range(start[end], start[end + 1]):
                k = neighbour[slot]
                if role[k] == own and k != new and cycles[k] > 0:
                    members += 1
                    largest = max(largest, cycles[k])
        for slot in range(start[new], start[new + 1]):
            k = neighbour[slot]
            if role[k] + role[new] == NEAR_BOTH and role[k] != 0:
                cycles[k] += 1
    return balanced_forman_value(grown_x, grown_y, shared + 1, members, largest)


@compiled
def candidates(  # type: ignore[no-untyped-def]
    start: Int64, neighbour: Int32, x: int, y: int, shared: int, role: Int8, cycles: Int64
):
    """Every non-edge that may support ``(x, y)``, and the curvature of ``(x, y)`` with it.

    Non-edges ``(k, l)`` have ``k`` in N(x) + x and ``l`` in N(y) + y, and are listed once each.
    """
    members, largest = survey(start, neighbour, x, y, role, cycles)
    degree_x, degree_y = start[x + 1] - start[x], start[y + 1] - start[y]
    room = degree_x * degree_y + degree_x + degree_y
    first, second = np.empty(room, np.int64), np.empty(room, np.int64)
    value = np.empty(room)
    now = balanced_forman_value(degree_x, degree_y, shared, members, largest)
    count = 0
    for end, other, own in ((y, x, NEAR_J), (x, y, NEAR_I)):
        for slot in range(start[end], start[end + 1]):
            new = neighbour[slot]
            if role[new] == own:
                first[count], second[count] = other, new
                value[count] = gain_of_triangle(
                    start, neighbour, (x, y), shared, members, largest, new, role, cycles
                )
                count += 1
    for slot in range(start[x], start[x + 1]):
        k = np.int64(neighbour[slot])
        if k == y:
            continue
        following, last = start[k], start[k + 1]
        for other in range(start[y], start[y + 1]):
            l = np.int64(neighbour[other])  # noqa: E741
            while following < last and neighbour[following] < l:
                following += 1
            if l in (x, k) or (following < last and neighbour[following] == l):
                continue
            both = role[k] == NEAR_BOTH and role[l] == NEAR_BOTH
            if both and l < k:
                continue  # listed as (l, k)
            first[count], second[count], value[count] = k, l, now
            if role[k] == NEAR_I and role[l] == NEAR_J:
                value[count] = balanced_forman_value(
                    degree_x,
                    degree_y,
                    shared,
                    members + (cycles[k] == 0) + (cycles[l] == 0),
                    max(largest, cycles[k] + 1, cycles[l] + 1),
                )
            count += 1
    forget(start, neighbour, x, y, role, cycles)
    return first[:count], second[:count], value[:count]


@compiled
def draw(score: Float64, tau: float, uniform: float) -> int:
    """The entry that ``uniform`` in [0, 1) picks with probability ``softmax(tau * score)``."""
    top = score.max()
    weight = np.exp(tau * (score - top)) if np.isfinite(tau) else (score >= top - TIE) * 1.0
    total = np.cumsum(weight)
    place: int = np.searchsorted(total, uniform * total[-1], side="right")
    return min(place, score.size - 1)


@compiled
def _inserted(array: Any, here: int, new: int, there: int, other: int) -> Any:
    """``array`` with ``new`` before the entry ``here`` and ``other`` before the entry ``there``."""
    longer = np.empty(array.size + 2, array.dtype)
    longer[:here], longer[here] = array[:here], new
    longer[here + 1 : there + 1], longer[there + 1] = array[here:there], other
    longer[there + 2 :] = array[there:]
    return longer


@compiled
def _without(array: Any, here: int, there: int) -> Any:
    """``array`` without the entries ``here`` and ``there``."""
    return np.concatenate((array[:here], array[here + 1 : there], array[there + 1 :]))


@compiled
def changed(  # type: ignore[no-untyped-def]
    start: Int64, neighbour: Int32, triangles: Int64, u: int, v: int, action: int
):
    """Neighbour lists and triangles with the edge ``(u, v)`` added or removed."""
    step = 1 if action == ADD else -1
    common = 0
    following, last = start[v], start[v + 1]
    for slot in range(start[u], start[u + 1]):
        w = neighbour[slot]
        while following < last and neighbour[following] < w:
            following += 1
        if following < last and neighbour[following] == w:
            common += 1
            triangles[slot] += step
            triangles[following] += step
            triangles[slot_of(start, neighbour, w, u)] += step
            triangles[slot_of(start, neighbour, w, v)] += step
    low, high = min(u, v), max(u, v)
    here, there = slot_of(start, neighbour, low, high), slot_of(start, neighbour, high, low)
    if action == ADD:
        neighbour = _inserted(neighbour, here, high, there, low)
        triangles = _inserted(triangles, here, common, there, common)
    else:
        neighbour = _without(neighbour, here, there)
        triangles = _without(triangles, here, there)
    start[low + 1 : high + 1] += step
    start[high + 1 :] += 2 * step
    return neighbour, triangles


@compiled
def flow(
    start: Int64, neighbour: Int32, uniform: Float64, tau: float, removal_bound: float
) -> Int64:
    """SDRF's actions ``[steps, 3]`` in order, each ``ADD`` or ``REMOVE`` with the edge ``u < v``.

    ``uniform`` has a number in [0, 1) per iteration; an infinite ``removal_bound`` removes nothing.
    """
    num_nodes = start.size - 1
    start = start.copy()
    triangles = triangles_on_edges(start, neighbour)
    role, cycles = np.zeros(num_nodes, np.int8), np.zeros(num_nodes, np.int64)
    actions = np.empty((2 * uniform.size, 3), np.int64)
    count = 0
    for iteration in range(uniform.size):
        if neighbour.size == 0:
            break
        before = count
        x, y, value = extreme_edge(start, neighbour, triangles, 1, role, cycles)
        high_x, high_y, highest = x, y, -np.inf
        if np.isfinite(removal_bound):
            high_x, high_y, highest = extreme_edge(start, neighbour, triangles, -1, role, cycles)
        shared = triangles[slot_of(start, neighbour, x, y)]
        first, second, supported = candidates(start, neighbour, x, y, shared, role, cycles)
        if first.size > 0:
            chosen = draw(supported - value, tau, uniform[iteration])
            k, l = first[chosen], second[chosen]  # noqa: E741
            neighbour, triangles = changed(start, neighbour, triangles, k, l, ADD)
            actions[count] = ADD, min(k, l), max(k, l)
            count += 1
        if highest > removal_bound + TIE:
            neighbour, triangles = changed(start, neighbour, triangles, high_x, high_y, REMOVE)
            actions[count] = REMOVE, high_x, high_y
            count += 1
        if count == before:
            break
    return actions[:count]
