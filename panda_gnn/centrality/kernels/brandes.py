# mypy: disable-error-code="untyped-decorator"
r"""Weighted Brandes: betweenness, load and distances of a graph of classes in one pass per class.

A class :math:`c` stands for :math:`m_c` nodes of total weight :math:`\Omega_c`. With
:math:`\sigma_v` the number of shortest paths from one node of the source class to one node of
class :math:`v`, and :math:`\pi_v` the number of predecessors of such a node, both counted in nodes,
one node of a class on the way has the dependencies

.. math::
    \delta_s(v) = \sum_{w \text{ after } v} \frac{\sigma_v}{\sigma_w}
        \left(\Omega_w + m_w \delta_s(w)\right), \qquad
    \ell_s(v) = \sum_{w \text{ after } v} \frac{1}{\pi_w}
        \left(\Omega_w + m_w \ell_s(w)\right).

With all members and weights one this is Brandes' algorithm.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from panda_gnn.csr import Int32, Int64

Float64 = npt.NDArray[np.float64]


@njit(
    "float64(int64[::1], int32[::1], float64[::1], float64[::1], int64, int32[::1], int32[::1],"
    " float64[::1], float64[::1], float64[::1], float64[::1])",
    cache=True,
    nogil=True,
    error_model="numpy",
)
def dependencies(
    rows: Int64,
    neighbours: Int32,
    members: Float64,
    weights: Float64,
    source: int,
    queue: Int32,
    distance: Int32,
    paths: Float64,
    predecessors: Float64,
    dependency: Float64,
    carried: Float64,
) -> float:
    r"""Search a connected graph from one class, forth to count paths and back to add up.

    ``dependency``, ``carried`` and ``distance`` receive :math:`\delta_s`, :math:`\ell_s` and the
    distances; the other arrays are room to work in. Returns the sum of the weighted distances.
    """
    size = len(members)
    for node in range(size):
        distance[node] = -1
        paths[node] = predecessors[node] = dependency[node] = carried[node] = 0.0
    distance[source] = 0
    paths[source] = 1.0
    queue[0] = source
    head, tail = 0, 1
    while head < tail:
        node = queue[head]
        if tail == size and distance[node] == distance[queue[tail - 1]]:
            break  # everybody is found, and nobody is behind the last level
        head += 1
        step = distance[node] + 1
        copies = 1.0 if node == source else members[node]
        arriving = paths[node] * copies
        for entry in range(rows[node], rows[node + 1]):
            other = neighbours[entry]
            if distance[other] < 0:
                distance[other] = step
                queue[tail] = other
                tail += 1
            if distance[other] == step:
                paths[other] += arriving
                predecessors[other] += copies
    far = 0.0
    for place in range(tail - 1, 0, -1):
        node = queue[place]
        far += distance[node] * weights[node]
        back = distance[node] - 1
        if back > 0:
            share = (weights[node] + members[node] * dependency[node]) / paths[node]
            if np.isinf(paths[node]):
                share = np.nan  # too many paths to count: nobody shall take the result for one
            part = (weights[node] + members[node] * carried[node]) / predecessors[node]
            for entry in range(rows[node], rows[node + 1]):
                other = neighbours[entry]
                if distance[other] == back:
                    dependency[other] += paths[other] * share
                    carried[other] += part
    return far


@njit(cache=True, nogil=True)
def _search(
    rows: Int64,
    neighbours: Int32,
    members: Float64,
    weights: Float64,
    betweenness: Float64,
    load: Float64,
    distances: Float64,
) -> None:
    """One search per class."""
    size = len(members)
    queue, distance = np.empty(size, np.int32), np.empty(size, np.int32)
    paths, predecessors = np.empty(size), np.empty(size)
    dependency, carried = np.empty(size), np.empty(size)
    for source in range(size):
        distances[source] = dependencies(
            rows, neighbours, members, weights, source, queue, distance, paths, predecessors,
            dependency, carried,
        )  # fmt: skip
        for node in range(size):
            betweenness[node] += weights[source] * dependency[node]
            load[node] += weights[source] * carried[node]


@njit(cache=True, nogil=True, error_model="numpy")
def _two_steps(
    rows: Int64,
    neighbours: Int32,
    members: Float64,
    weights: Float64,
    betweenness: Float64,
    load: Float64,
    distances: Float64,
) -> None:
    """The same for graphs in which everybody is at most two steps away: no search is needed.

    The nodes between two that are not adjacent are their common neighbours. Each is one path and
    one predecessor, so betweenness and load agree.
    """
    size = len(members)
    everybody = 0.0
    for node in range(size):
        everybody += weights[node]
    between = np.empty(size)
    for source in range(size):
        near = 0.0
        for target in range(size):
            between[target] = 0.0
        for entry in range(rows[source], rows[source + 1]):
            middle = neighbours[entry]
            near += weights[middle]
            for onward in range(rows[middle], rows[middle + 1]):
                between[neighbours[onward]] += members[middle]
        for target in range(size):
            between[target] = weights[source] * weights[target] / between[target]
        between[source] = 0.0
        for entry in range(rows[source], rows[source + 1]):
            between[neighbours[entry]] = 0.0
        for entry in range(rows[source], rows[source + 1]):
            middle = neighbours[entry]
            share = 0.0
            for onward in range(rows[middle], rows[middle + 1]):
                share += between[neighbours[onward]]
            betweenness[middle] += share
        distances[source] = near + 2.0 * (everybody - near - weights[source])
    for node in range(size):
        load[node] = betweenness[node]


@njit(
    "void(int64[::1], int64[::1], int32[::1], float64[::1], float64[::1], float64[::1],"
    " float64[::1], float64[::1])",
    cache=True,
    nogil=True,
)
def accumulate(
    class_ptr: Int64,
    row_ptr: Int64,
    neighbours: Int32,
    members: Float64,
    total: Float64,
    betweenness: Float64,
    load: Float64,
    distances: Float64,
) -> None:
    r"""Sum over all sources what shortest paths to all targets ask of the nodes on their way.

    Per class, ``betweenness`` and ``load`` receive :math:`\sum_s \Omega_s \delta_s` and
    :math:`\sum_s \Omega_s \ell_s` of one of its nodes, ``distances`` the sum of
    :math:`\Omega_w d(v, w)` over the other classes. Pairs inside a class are not counted. The
    graphs must be connected.
    """
    for graph in range(len(class_ptr) - 1):
        start, stop = class_ptr[graph], class_ptr[graph + 1]
        rows = row_ptr[start : stop + 1]
        everybody_sees_one = False
        for number in range(stop - start):
            betweenness[start + number] = load[start + number] = 0.0
            if rows[number + 1] - rows[number] == stop - start - 1:
                everybody_sees_one = True
        arguments = (
            rows,
            neighbours,
            members[start:stop],
            total[start:stop],
            betweenness[start:stop],
            load[start:stop],
            distances[start:stop],
        )
        if everybody_sees_one:
            _two_steps(*arguments)
        else:
            _search(*arguments)
