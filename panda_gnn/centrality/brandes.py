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

The three measures together take 0.8 of igraph's ``betweenness`` on one graph of 2000 nodes;
on many graphs of 30 nodes igraph is faster, and gives other bits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from panda_gnn.graph.arrays import Float64, Int32, Int64
from panda_gnn.graph.compiled import compiled
from panda_gnn.graph.twins import TwinClasses


class ClassGraph(NamedTuple):
    """A connected graph of classes, with the number of their nodes and their total weight."""

    rows: Int64
    neighbours: Int32
    members: Float64
    weights: Float64


@compiled
def dependencies(
    graph: ClassGraph, source: int, after: Int32, whole: Int32, real: Float64
) -> float:
    r"""Search a connected graph from one class, forth to count paths and back to add up.

    The search lists, node by node, who comes after whom; the way back reads that list alone.

    Args:
        after: room for half as many numbers as there are entries.
        whole: room for ``[3, size + 1]``; its first row receives the distances.
        real: room for ``[6, size]``; its first rows receive :math:`\delta_s` and :math:`\ell_s`.

    Returns:
        The sum of the weighted distances.
    """
    rows, neighbours, members, weights = graph
    size = len(members)
    distance, queue, first_after = whole[0], whole[1], whole[2]
    dependency, carried, paths = real[0], real[1], real[2]
    predecessors, share, part = real[3], real[4], real[5]
    for node in range(size):
        distance[node] = -1
        paths[node] = predecessors[node] = dependency[node] = carried[node] = 0.0
    distance[source] = 0
    paths[source] = 1.0
    queue[0] = source
    head, tail, listed = 0, 1, 0
    while head < tail:
        node = queue[head]
        if tail == size and distance[node] == distance[queue[tail - 1]]:
            break  # everybody is found, and nobody is behind the last level
        first_after[head] = listed
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
                after[listed] = other
                listed += 1
    first_after[head] = listed
    far = 0.0
    for place in range(tail - 1, 0, -1):
        node = queue[place]
        far += distance[node] * weights[node]
        behind, packets = 0.0, 0.0
        if place < head:
            for position in range(first_after[place], first_after[place + 1]):
                behind += share[after[position]]
                packets += part[after[position]]
        share[node] = weights[node] / paths[node] + members[node] * behind
        part[node] = (weights[node] + members[node] * packets) / predecessors[node]
        dependency[node] = paths[node] * behind
        carried[node] = packets
        if np.isinf(paths[node]):
            share[node] = np.nan  # too many paths to count: nobody shall take the result for one
    return far


@compiled
def _search(graph: ClassGraph, betweenness: Float64, load: Float64, distances: Float64) -> None:
    """One search per class."""
    size = len(graph.members)
    after = np.empty((graph.rows[size] - graph.rows[0]) // 2, np.int32)
    whole, real = np.empty((3, size + 1), np.int32), np.empty((6, size))
    for source in range(size):
        distances[source] = dependencies(graph, source, after, whole, real)
        for node in range(size):
            betweenness[node] += graph.weights[source] * real[0, node]
            load[node] += graph.weights[source] * real[1, node]


@compiled
def _two_steps(graph: ClassGraph, betweenness: Float64, load: Float64, distances: Float64) -> None:
    """The same for graphs in which everybody is at most two steps away: no search is needed.

    The nodes between two that are not adjacent are their common neighbours. Each is one path and
    one predecessor, so betweenness and load agree.
    """
    rows, neighbours, members, weights = graph
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


@compiled
def accumulate(classes: TwinClasses, members: Float64, total: Float64) -> Float64:
    r"""Sum over all sources what shortest paths to all targets ask of the nodes on their way.

    Returns ``[3, num_classes]``: :math:`\sum_s \Omega_s \delta_s` and
    :math:`\sum_s \Omega_s \ell_s` of one node of each class, and the sum of
    :math:`\Omega_w d(v, w)` over the other classes. Pairs inside a class are not counted. The
    graphs must be connected.
    """
    sums = np.zeros((3, len(members)))
    betweenness, load, distances = sums[0], sums[1], sums[2]
    for graph in range(len(classes.class_ptr) - 1):
        start, stop = classes.class_ptr[graph], classes.class_ptr[graph + 1]
        rows = classes.row_ptr[start : stop + 1]
        everybody_sees_one = False
        for number in range(stop - start):
            if rows[number + 1] - rows[number] == stop - start - 1:
                everybody_sees_one = True
        part = ClassGraph(rows, classes.neighbours, members[start:stop], total[start:stop])
        sums_of_part = betweenness[start:stop], load[start:stop], distances[start:stop]
        if everybody_sees_one:
            _two_steps(part, *sums_of_part)
        else:
            _search(part, *sums_of_part)
    return sums
