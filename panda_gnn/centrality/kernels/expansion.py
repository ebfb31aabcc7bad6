# mypy: disable-error-code="untyped-decorator"
"""From classes of twins back to nodes, and from the core back into the trees that hung on it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from panda_gnn.csr import Int32, Int64

Float64 = npt.NDArray[np.float64]
Int8 = npt.NDArray[np.int8]

TRUE_TWINS, FALSE_TWINS = 1, 2


@njit(
    "void(int64[::1], int64[::1], int32[::1], int8[::1], float64[::1], float64[::1],"
    " float64[::1], float64[::1], float64[::1])",
    cache=True,
    nogil=True,
)
def pairs_of_false_twins(
    class_ptr: Int64,
    class_row_ptr: Int64,
    class_neighbours: Int32,
    kinds: Int8,
    members: Float64,
    total: Float64,
    squares: Float64,
    betweenness: Float64,
    load: Float64,
) -> None:
    r"""Add the paths between false twins, which run through one common neighbour each.

    The ordered pairs of different members of a class weigh :math:`\Omega^2 - \sum_i \omega_i^2`,
    and each of the common neighbours carries an equal share of them.
    """
    for graph in range(len(class_ptr) - 1):
        start = class_ptr[graph]
        for number in range(start, class_ptr[graph + 1]):
            if kinds[number] != FALSE_TWINS:
                continue
            common = 0.0
            for entry in range(class_row_ptr[number], class_row_ptr[number + 1]):
                common += members[start + class_neighbours[entry]]
            share = (total[number] * total[number] - squares[number]) / common
            for entry in range(class_row_ptr[number], class_row_ptr[number + 1]):
                betweenness[start + class_neighbours[entry]] += share
                load[start + class_neighbours[entry]] += share


@njit(
    "void(int64[::1], int64[::1], int32[::1], int8[::1], float64[::1], float64[::1], float64[::1],"
    " float64[::1])",
    cache=True,
    nogil=True,
)
def distances_in_core(
    node_ptr: Int64,
    class_ptr: Int64,
    class_of: Int32,
    kinds: Int8,
    total: Float64,
    class_distances: Float64,
    weight: Float64,
    distances: Float64,
) -> None:
    """Give each node of the core the sum of its weighted distances to the core.

    To what its class has to all others, add its twins: one step away or two.
    """
    for graph in range(len(node_ptr) - 1):
        for node in range(node_ptr[graph], node_ptr[graph + 1]):
            if class_of[node] < 0:
                continue
            number = class_ptr[graph] + class_of[node]
            twins = total[number] - weight[node]
            if kinds[number] == TRUE_TWINS:
                distances[node] = class_distances[number] + twins
            elif kinds[number] == FALSE_TWINS:
                distances[node] = class_distances[number] + 2.0 * twins
            else:
                distances[node] = class_distances[number]


@njit(
    "void(int64[::1], int32[::1], int32[::1], int64[::1], float64[::1], float64[::1],"
    " float64[::1])",
    cache=True,
    nogil=True,
)
def distances_in_trees(
    node_ptr: Int64,
    parent: Int32,
    peeled: Int32,
    num_peeled: Int64,
    weight: Float64,
    depth: Float64,
    distances: Float64,
) -> None:
    r"""Complete the sums of distances of core nodes and hand them down into the trees.

    On input ``distances`` holds, in the core, the sum over core nodes :math:`c` of their weight
    times the distance to :math:`c`. What hangs on :math:`c` is farther by its depth below
    :math:`c`, whoever looks. One step from a parent into its child brings the :math:`w` nodes
    below the child one step nearer and takes all others one step farther:
    :math:`D(child) = D(parent) + n - 2 w`. All of this is true for effective resistances as well.
    """
    for graph in range(len(node_ptr) - 1):
        start, stop = node_ptr[graph], node_ptr[graph + 1]
        hanging = 0.0
        for node in range(start, stop):
            if parent[node] < 0:
                hanging += depth[node]
        for node in range(start, stop):
            if parent[node] < 0:
                distances[node] += hanging
        for place in range(num_peeled[graph] - 1, -1, -1):
            node = start + peeled[start + place]
            distances[node] = distances[start + parent[node]] + (stop - start) - 2.0 * weight[node]
