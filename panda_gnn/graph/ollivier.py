r"""Compiled, exact Ollivier-Ricci curvature, by way of the classes of twins.

The curvature of an edge :math:`(u, v)` is :math:`1 - W_1(\mu_u, \mu_v)` with :math:`\mu_u` uniform
on the neighbours of :math:`u` and the hop distance as the cost of transport. Let
:math:`d_u \ge d_v`.

- Mass that both measures have at a node stays there (the cost is a metric), so the sources are
  the neighbours of :math:`u` that are not neighbours of :math:`v`. Nothing moves further than 3.
- In units of :math:`1/(d_u d_v)` all masses are whole numbers, so the result is exact up to the one
  division at the end.
- Twins have the same distances to all others, so they are one source, or one sink, together.
- Costs are 1, 2 or 3, so the shortest augmenting path has one of three lengths, and the
  primal-dual method ends after three rounds of maximum flow.
- :math:`t` triangles on the edge give bounds (Jost and Liu, "Ollivier's Ricci Curvature, Local
  Clustering and Curvature-Dimension Inequalities on Graphs", 2014): with
  :math:`a = 1 - \frac{1}{d_u} - \frac{1}{d_v}` and :math:`(\cdot)_+ = \max(\cdot, 0)`,
  :math:`\frac{t}{d_u} - (a - \frac{t}{d_v})_+ - (a - \frac{t}{d_u})_+ \le \kappa
  \le \frac{t}{d_u}`. Where nothing moves further than 2, the first of the two terms is not there.
  Where only the extremes are wanted, an edge whose bound rules it out needs no transport.

It is 70 times faster than POT's ``ot.emd2`` for each edge of a small graph; the bounds make the
extremes 2 to 7 times faster than all values on ENZYMES, COLLAB and REDDIT-BINARY.
"""

from __future__ import annotations

import heapq

import numpy as np

from panda_gnn.graph.arrays import Bool, Float64, Int64
from panda_gnn.graph.compiled import compiled
from panda_gnn.graph.forman import slot_of
from panda_gnn.graph.transport import transport
from panda_gnn.graph.twins import TwinClasses

_ROUNDING = 1e-12


@compiled
def _problem(
    twins: TwinClasses, u: int, v: int, stamp: Int64
) -> tuple[Int64, Int64, Int64, Int64, Int64, Int64, Int64]:
    """The transport problem of the edge ``(u, v)`` with ``degree(u) >= degree(v)``.

    Returns sources and sinks, each as one node that stands for its twins, with their masses, those
    of a single node, and the distances. ``stamp`` is -1 wherever a class is untouched, before and
    after.
    """
    start, neighbour = twins.row_ptr, twins.neighbours
    of_u, of_v = twins.label[u], twins.label[v]
    degree_u, degree_v = twins.degree[of_u], twins.degree[of_v]
    surplus = degree_u - degree_v
    sources, supply = [v], [degree_v]
    sinks, demand, unit = [u], [degree_u], [degree_u]
    sink_class = [-1]
    for slot in range(start[of_u], start[of_u + 1]):
        stamp[neighbour[slot]] = of_u
    source_class = [-1]
    for slot in range(start[of_v], start[of_v + 1]):
        c = neighbour[slot]
        if c == of_u:
            continue
        shared = stamp[c] == of_u
        if shared:
            stamp[c] = -1
        mass = surplus if shared else degree_u
        if mass > 0:
            sinks.append(twins.first[c])
            sink_class.append(c)
            demand.append(mass * twins.size[c])
            unit.append(mass)
    for slot in range(start[of_u], start[of_u + 1]):
        c = neighbour[slot]
        if stamp[c] == of_u and c != of_v:
            sources.append(twins.first[c])
            source_class.append(c)
            supply.append(degree_v * twins.size[c])
        stamp[c] = -1
    if twins.inside[of_v] == 0 and twins.size[of_v] > 1:
        sources.append(twins.first[of_v] if twins.first[of_v] != v else twins.second[of_v])
        source_class.append(of_v)
        supply.append(degree_v * (twins.size[of_v] - 1))
    for end, c in ((u, of_u), (v, of_v)):
        mass = surplus if twins.inside[c] > 0 else degree_u * (end == u)
        if twins.size[c] > 1 and mass > 0:
            sinks.append(twins.first[c] if twins.first[c] != end else twins.second[c])
            sink_class.append(c)
            demand.append(mass * (twins.size[c] - 1))
            unit.append(mass)
    distance = np.ones((len(sources), len(sinks)), np.int64)
    for p in range(1, len(sources)):
        c = source_class[p]
        for slot in range(start[c], start[c + 1]):
            stamp[neighbour[slot]] = c
        for q in range(1, len(sinks)):
            other = sink_class[q]
            if stamp[other] == c:
                continue
            distance[p, q] = 3
            for slot in range(start[other], start[other + 1]):
                if stamp[neighbour[slot]] == c:
                    distance[p, q] = 2
                    break
        for slot in range(start[c], start[c + 1]):
            stamp[neighbour[slot]] = -1
    return (
        np.array(sources),
        np.array(supply),
        np.array(sinks),
        np.array(demand),
        np.array(unit),
        distance,
        np.zeros_like(distance),
    )


@compiled
def _ordered(twins: TwinClasses, u: int, v: int) -> tuple[int, int]:
    """The ends of an edge, that of the greater degree first."""
    if twins.degree[twins.label[u]] < twins.degree[twins.label[v]]:
        return v, u
    return u, v


@compiled
def ollivier_ricci_value(twins: TwinClasses, u: int, v: int, stamp: Int64) -> float:
    """The curvature of one edge."""
    u, v = _ordered(twins, u, v)
    degree_u, degree_v = twins.degree[twins.label[u]], twins.degree[twins.label[v]]
    if degree_v == 1:
        return 0.0
    if twins.label[u] == twins.label[v]:
        return float(1 - 1 / degree_u)
    _, supply, _, demand, _, distance, flow = _problem(twins, u, v, stamp)
    return float(1 - transport(supply, demand, distance, flow) / (degree_u * degree_v))


@compiled
def heaviest_pair(twins: TwinClasses, u: int, v: int, stamp: Int64) -> tuple[int, int]:
    """The pair of nodes with the largest mass times distance in an optimal plan for ``(u, v)``.

    The mass between two classes of twins can be divided among their members as one likes: the first
    members get as much of it as a single node has. Of equal pairs the first in order counts.
    """
    u, v = _ordered(twins, u, v)
    sources, supply, sinks, demand, unit, distance, flow = _problem(twins, u, v, stamp)
    transport(supply, demand, distance, flow)
    single = twins.degree[twins.label[v]]
    heaviest, low, high = 0, 0, 0
    for p in range(sources.size):
        for q in range(sinks.size):
            weight = distance[p, q] * min(flow[p, q], single, unit[q])
            a, b = min(sources[p], sinks[q]), max(sources[p], sinks[q])
            if weight > heaviest or (weight == heaviest and (a, b) < (low, high)):
                heaviest, low, high = weight, a, b
    return low, high


@compiled
def _shared_neighbours(twins: TwinClasses, c: int, other: int, stamp: Int64) -> int:
    """The triangles on an edge between two classes, those of ``c`` being stamped."""
    count = twins.inside[c] + twins.inside[other]
    for slot in range(twins.row_ptr[other], twins.row_ptr[other + 1]):
        if stamp[twins.neighbours[slot]] == c:
            count += twins.size[twins.neighbours[slot]]
    return int(count)


@compiled
def _near_hub(twins: TwinClasses) -> Bool:
    """The classes whose neighbours are all next to the node of greatest degree, or are that node.

    Between neighbours of two such classes the distance is at most two.
    """
    count = twins.first.size
    hub = int(np.argmax(twins.degree))
    reached = np.zeros(count, np.bool_)
    reached[twins.neighbours[twins.row_ptr[hub] : twins.row_ptr[hub + 1]]] = True
    reached[hub] = twins.inside[hub] == twins.size[hub] - 1
    near = np.ones(count, np.bool_)
    for c in range(count):
        near[c] = reached[c] or twins.inside[c] == 0
        for slot in range(twins.row_ptr[c], twins.row_ptr[c + 1]):
            near[c] &= reached[twins.neighbours[slot]]
    return near


@compiled
def _bounds(twins: TwinClasses) -> tuple[Int64, Int64, Float64, Float64]:
    """Ends and bounds of the curvature, one entry per slot and then one per class."""
    count, slots = twins.first.size, twins.neighbours.size
    low, high = np.full(slots + count, np.nan), np.full(slots + count, np.nan)
    near, far = np.zeros(slots + count, np.int64), np.zeros(slots + count, np.int64)
    stamp = np.full(count, -1, np.int64)
    near_hub = _near_hub(twins)
    for c in range(count):
        for slot in range(twins.row_ptr[c], twins.row_ptr[c + 1]):
            stamp[twins.neighbours[slot]] = c
        for slot in range(twins.row_ptr[c], twins.row_ptr[c + 1]):
            other = twins.neighbours[slot]
            if other < c:
                continue
            near[slot], far[slot] = twins.first[c], twins.first[other]
            more = float(max(twins.degree[c], twins.degree[other]))
            less = float(min(twins.degree[c], twins.degree[other]))
            shared = _shared_neighbours(twins, c, other, stamp)
            open_ends = 1 - 1 / more - 1 / less
            high[slot] = shared / more
            low[slot] = shared / more - max(open_ends - shared / more, 0.0)
            if not (near_hub[c] and near_hub[other]):
                low[slot] -= max(open_ends - shared / less, 0.0)
        if twins.inside[c] > 0:
            near[slots + c], far[slots + c] = twins.first[c], twins.second[c]
            low[slots + c] = high[slots + c] = 1 - 1 / twins.degree[c]
    return near, far, low, high


@compiled
def _evaluate_lowest(
    twins: TwinClasses,
    near: Int64,
    far: Int64,
    bound: Float64,
    wanted: int,
    sign: int,
    value: Float64,
) -> None:
    """Fill in ``value`` until the ``wanted`` lowest (of ``sign`` times it) are sure to be known."""
    stamp = np.full(twins.first.size, -1, np.int64)
    lowest = [-np.inf]  # a heap of what is known, negated: the greatest of them comes first
    for entry in np.argsort(bound):
        if np.isnan(bound[entry]) or bound[entry] > _ROUNDING - lowest[0]:
            break
        if np.isnan(value[entry]):
            value[entry] = ollivier_ricci_value(twins, near[entry], far[entry], stamp)
        c, other = twins.label[near[entry]], twins.label[far[entry]]
        edges = twins.size[c] * twins.size[other]
        if c == other:
            edges = twins.size[c] * twins.inside[c] // 2
        for _ in range(edges):
            if -sign * value[entry] <= lowest[0]:
                break
            if len(lowest) < wanted:
                heapq.heappush(lowest, -sign * value[entry])
            else:
                heapq.heapreplace(lowest, -sign * value[entry])


@compiled
def ollivier_ricci(twins: TwinClasses, edges: Int64, lowest: int, highest: int) -> Float64:
    """The curvature of ``edges`` (``[2, m]``, ``u < v``), nan for some that are not extreme.

    The ``lowest`` smallest and the ``highest`` greatest values, and all that are equal to one of
    them, are there; with ``lowest`` the number of edges, all of them are.
    """
    near, far, low, high = _bounds(twins)
    value = np.full(low.size, np.nan)
    if lowest > 0:
        _evaluate_lowest(twins, near, far, low, lowest, 1, value)
    if highest > 0:
        _evaluate_lowest(twins, near, far, -high, highest, -1, value)
    result = np.empty(edges.shape[1])
    for edge in range(edges.shape[1]):
        c, other = twins.label[edges[0, edge]], twins.label[edges[1, edge]]
        if c == other:
            result[edge] = value[twins.neighbours.size + c]
        else:
            result[edge] = value[
                slot_of(twins.row_ptr, twins.neighbours, min(c, other), max(c, other))
            ]
    return result
