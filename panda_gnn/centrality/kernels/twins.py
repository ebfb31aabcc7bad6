# mypy: disable-error-code="untyped-decorator"
"""Twin merging: nodes of the core that see the same graph become one class.

True twins are adjacent and have the same neighbours besides each other; false twins have the same
neighbours and are not adjacent. A hash of the neighbourhood finds candidates, a comparison of the
neighbourhoods themselves decides, so a collision may miss twins but never makes any.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from panda_gnn.csr import Int32, Int64

Float64 = npt.NDArray[np.float64]
Int8 = npt.NDArray[np.int8]
UInt64 = npt.NDArray[np.uint64]

SINGLE, TRUE_TWINS, FALSE_TWINS = 0, 1, 2


@njit(cache=True, nogil=True)
def _random_word(number: int) -> np.uint64:
    """A fixed 64-bit word per number that looks random (the finaliser of splitmix64)."""
    word = np.uint64(number + 1) * np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@njit(cache=True, nogil=True)
def _relation(first: int, second: int, rows: Int64, neighbours: Int32, parent: Int32) -> int:
    """What kind of twins two nodes of the core are, by their sorted neighbours in the core."""
    kind = FALSE_TWINS
    a, b = rows[first], rows[second]
    while True:
        while a < rows[first + 1] and (neighbours[a] == second or parent[neighbours[a]] >= 0):
            if neighbours[a] == second:
                kind = TRUE_TWINS
            a += 1
        while b < rows[second + 1] and (neighbours[b] == first or parent[neighbours[b]] >= 0):
            b += 1
        if a == rows[first + 1] or b == rows[second + 1]:
            return kind if a == rows[first + 1] and b == rows[second + 1] else SINGLE
        if neighbours[a] != neighbours[b]:
            return SINGLE
        a += 1
        b += 1


@njit(cache=True, nogil=True)
def _find_twins(
    key: UInt64,
    core: Int32,
    rows: Int64,
    neighbours: Int32,
    parent: Int32,
    leader: Int32,
    kind: Int8,
) -> None:
    """Among nodes with equal ``key``, let the first one lead those that are its twins."""
    capacity = 2
    while capacity < 2 * len(core):
        capacity *= 2
    table = np.full(capacity, -1, np.int32)
    for place in range(len(core)):
        slot = np.int64(key[place] >> np.uint64(1)) % capacity
        while table[slot] >= 0 and key[table[slot]] != key[place]:
            slot = (slot + 1) % capacity
        if table[slot] < 0:
            table[slot] = place
            continue
        first, node = core[table[slot]], core[place]
        relation = _relation(first, node, rows, neighbours, parent)
        if relation != SINGLE and kind[node] == SINGLE and kind[first] in (SINGLE, relation):
            leader[node] = first
            kind[node] = kind[first] = relation


@njit(
    "void(int64[::1], int64[::1], int32[::1], int32[::1], float64[::1], int32[::1], int64[::1],"
    " int64[::1], int32[::1], int8[::1], float64[::1], float64[::1], float64[::1])",
    cache=True,
    nogil=True,
)
def merge_twins(
    node_ptr: Int64,
    row_ptr: Int64,
    neighbours: Int32,
    parent: Int32,
    weight: Float64,
    class_of: Int32,
    class_ptr: Int64,
    class_row_ptr: Int64,
    class_neighbours: Int32,
    kinds: Int8,
    members: Float64,
    total: Float64,
    squares: Float64,
) -> None:
    """Merge the twins of every graph's core and write the graph of the classes.

    Args:
        parent: -1 in the core (see :func:`panda_gnn.centrality.kernels.peeling.peel`).
        weight: of every node.
        class_of: receives each node's class, a number inside its graph; -1 outside the core.
        class_ptr, class_row_ptr, class_neighbours: receive the graphs of the classes in the layout
            of :class:`panda_gnn.csr.BlockCSR`; a class is no neighbour of itself.
        kinds: receives SINGLE, TRUE_TWINS or FALSE_TWINS per class.
        members: receives the number of nodes of each class.
        total: receives the sum of their weights.
        squares: receives the sum of their squared weights.
    """
    class_ptr[0] = class_row_ptr[0] = 0
    number = entries = 0
    for graph in range(len(node_ptr) - 1):
        start, stop = node_ptr[graph], node_ptr[graph + 1]
        rows = row_ptr[start : stop + 1]
        hanging = parent[start:stop]
        classes = class_of[start:stop]
        core = np.empty(stop - start, np.int32)
        word = np.empty(stop - start, np.uint64)
        leader = np.empty(stop - start, np.int32)
        size = 0
        for node in range(stop - start):
            leader[node] = node
            classes[node] = -1
            if hanging[node] < 0:
                core[size] = node
                word[node] = _random_word(node)
                size += 1
        core = core[:size]
        open_key, closed_key = np.zeros(len(core), np.uint64), np.empty(len(core), np.uint64)
        for place in range(len(core)):
            node = core[place]
            for entry in range(rows[node], rows[node + 1]):
                if hanging[neighbours[entry]] < 0:
                    open_key[place] += word[neighbours[entry]]
            closed_key[place] = open_key[place] + word[node]
        kind = np.zeros(stop - start, np.int8)
        _find_twins(closed_key, core, rows, neighbours, hanging, leader, kind)
        _find_twins(open_key, core, rows, neighbours, hanging, leader, kind)
        for node in core:
            if leader[node] == node:
                classes[node] = number - class_ptr[graph]
                kinds[number] = kind[node]
                members[number] = total[number] = squares[number] = 0.0
                number += 1
            else:
                classes[node] = classes[leader[node]]
            mine = class_ptr[graph] + classes[node]
            members[mine] += 1.0
            total[mine] += weight[start + node]
            squares[mine] += weight[start + node] * weight[start + node]
        class_ptr[graph + 1] = number
        written = np.full(number - class_ptr[graph], -1, np.int32)
        for node in core:
            if leader[node] == node:
                written[classes[node]] = classes[node]
                for entry in range(rows[node], rows[node + 1]):
                    other = classes[neighbours[entry]]
                    if other >= 0 and written[other] != classes[node]:
                        written[other] = classes[node]
                        class_neighbours[entries] = other
                        entries += 1
                class_row_ptr[class_ptr[graph] + classes[node] + 1] = entries
