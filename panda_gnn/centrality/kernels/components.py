# mypy: disable-error-code="untyped-decorator"
"""Connected components."""

from __future__ import annotations

import numpy as np
from numba import njit

from panda_gnn.csr import Int32, Int64


@njit("int64(int64[::1], int64[::1], int32[::1], int64[::1], int64[::1])", cache=True, nogil=True)
def components(
    node_ptr: Int64, row_ptr: Int64, neighbours: Int32, order: Int64, component_ptr: Int64
) -> int:
    """List all nodes component by component, graph by graph, and return the number of components.

    ``order`` receives the position of every node, in ascending order inside a component, and
    ``component_ptr`` where in that list each component begins.
    """
    count = 0
    component = np.full(node_ptr[-1], -1, np.int64)
    queue = np.empty(node_ptr[-1], np.int64)
    component_ptr[0] = 0
    for graph in range(len(node_ptr) - 1):
        start = node_ptr[graph]
        for root in range(start, node_ptr[graph + 1]):
            if component[root] >= 0:
                continue
            component[root] = count
            queue[0] = root
            head, tail = 0, 1
            while head < tail:
                node = queue[head]
                head += 1
                for entry in range(row_ptr[node], row_ptr[node + 1]):
                    other = start + neighbours[entry]
                    if component[other] < 0:
                        component[other] = count
                        queue[tail] = other
                        tail += 1
            component_ptr[count + 1] = component_ptr[count] + tail
            count += 1
    place = component_ptr.copy()
    for node in range(node_ptr[-1]):
        order[place[component[node]]] = node
        place[component[node]] += 1
    return count


@njit(
    "void(int64[::1], int64[::1], int32[::1], int64[::1], int64[::1], int64[::1], int32[::1])",
    cache=True,
    nogil=True,
)
def rows_of_components(
    node_ptr: Int64,
    row_ptr: Int64,
    neighbours: Int32,
    order: Int64,
    component_ptr: Int64,
    new_row_ptr: Int64,
    new_neighbours: Int32,
) -> None:
    """Write the rows of all nodes in the order of their components, numbered inside of them."""
    number = np.empty(node_ptr[-1], np.int32)
    for component in range(len(component_ptr) - 1):
        for place in range(component_ptr[component], component_ptr[component + 1]):
            number[order[place]] = place - component_ptr[component]
    written = 0
    graph = 0
    new_row_ptr[0] = 0
    for place in range(node_ptr[-1]):
        node = order[place]
        while node >= node_ptr[graph + 1]:
            graph += 1
        for entry in range(row_ptr[node], row_ptr[node + 1]):
            new_neighbours[written] = number[node_ptr[graph] + neighbours[entry]]
            written += 1
        new_row_ptr[place + 1] = written
