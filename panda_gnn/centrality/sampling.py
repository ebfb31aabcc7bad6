r"""Betweenness, closeness and load of a large graph from the shortest paths of some pivots.

The graph is reduced as in :mod:`panda_gnn.centrality.shortest_paths`; trees and twins stay exact.
What costs a search per node is a sum over the :math:`n` nodes of a component,
:math:`Y(v) = \sum_s y_s(v)`, with :math:`y_s` the dependencies or the distances from :math:`s`. It
is estimated from :math:`S` pivots drawn without replacement, with its standard error:

.. math::
    \hat Y(v) = \frac{n}{S} \sum_{s \in \text{pivots}} y_s(v), \qquad
    e(v) = n \sqrt{\left(1 - \frac{S}{n}\right) \frac{\operatorname{var}_s y_s(v)}{S}} .

Few pivots see few of the rare large :math:`y_s`, and none of them may see any, so intervals made
of the standard error are too short. Intervals that hold follow from the range :math:`0 \le y_s \le
M` (:math:`n - 1` for dependencies, twice an eccentricity for distances). For
:math:`0 < \theta \le 1 / M` the factors :math:`1 - \theta y_s` are not negative, so by Maclaurin's
inequality the expectation of their product over pivots drawn without replacement is at most
:math:`(1 - \theta \mu)^S`, with :math:`\mu = Y / n`; by Markov's inequality, with probability
:math:`1 - a`,

.. math::
    \mu \le \frac{1}{\theta} \left( 1 - \Big( a \prod_{s \in \text{pivots}} (1 - \theta y_s)
    \Big)^{1/S} \right), \qquad
    \mu \ge \frac{1}{\theta} \left( \Big( a \prod_{s \in \text{pivots}} (1 + \theta y_s)
    \Big)^{1/S} - 1 \right),

the latter for any :math:`\theta > 0`. Each bound is taken for three values of :math:`\theta`, whose
chances to fail add up; what the pivots themselves saw is a lower bound as well.

A component with at most :math:`S` nodes is computed exactly. Time grows with :math:`S` times the
edges, memory with the edges alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from panda_gnn.centrality.brandes import ClassGraph, dependencies
from panda_gnn.centrality.shortest_paths import (
    Core,
    expand,
    normalised,
    path_sums,
    quadratic_cost,
    reduce,
)
from panda_gnn.graph.arrays import Bool, Float64, Int32, Int64
from panda_gnn.graph.components import connected_components
from panda_gnn.graph.parallel import bar_after_a_while, over_graphs
from panda_gnn.graph.rows import GraphRows

#: How sure the interval of a score is.
CONFIDENCE = 0.95
#: The values of theta, in units of 1 / M, for the upper and for the lower bound.
UPPER_STEPS = (1.0, 0.5, 0.125)
LOWER_STEPS = (1.0, 8.0, 64.0)


class Estimates(NamedTuple):
    """Estimated scores by measure, their standard errors and the ends of their intervals."""

    scores: dict[str, Float64]
    errors: dict[str, Float64]
    lower: dict[str, Float64]
    upper: dict[str, Float64]


def sampled_paths(graphs: GraphRows, *, samples: int, seed: int, threads: int) -> Estimates:
    """Estimates of betweenness, closeness and load, with errors and intervals.

    The pivots of a component depend on ``seed`` and its size, not on what else is there.
    """
    connected, order = connected_components(graphs)
    together = np.empty((4, 3, graphs.num_nodes))
    sums, errors, lower, upper = together
    for first, last in _runs(connected.sizes > samples):
        part = connected.part(first, last)
        place = order[connected.node_ptr[first] : connected.node_ptr[last]]
        if part.sizes[0] > samples:
            together[:, :, place] = _sampled(part, samples, seed, threads)
        else:
            cost = quadratic_cost(part)
            sums[:, place] = over_graphs(path_sums, part, cost, "small components", threads)
            errors[:, place] = 0.0
            lower[:, place] = upper[:, place] = sums[:, place]
    reached = np.empty_like(order)
    reached[order] = np.repeat(connected.sizes, connected.sizes)
    scores, spread = normalised(graphs, sums, reached), normalised(graphs, errors, reached)
    spread["closeness"] = scores["closeness"] * (errors[2] / np.maximum(sums[2], 1.0))
    low, high = normalised(graphs, lower, reached), normalised(graphs, upper, reached)
    low["closeness"], high["closeness"] = high["closeness"], low["closeness"]
    return Estimates(scores, spread, low, high)


def _runs(alone: Bool) -> Iterator[tuple[int, int]]:
    """Cut ``0 .. len(alone) - 1`` into runs ``(first, last)``; some stand alone."""
    first = 0
    for number in np.flatnonzero(alone).tolist():
        if first < number:
            yield first, number
        yield number, number + 1
        first = number + 1
    if first < len(alone):
        yield first, len(alone)


def _sampled(graphs: GraphRows, samples: int, seed: int, threads: int) -> Float64:
    """The path sums ``[3, num_nodes]`` of one connected graph, their errors and their bounds."""
    core = reduce(graphs)
    parent = core.tree.parent
    number = core.classes.label[_roots(parent)]
    size = graphs.num_nodes
    pivots = np.random.default_rng([seed, size]).permutation(size)[:samples]
    total, squares, shrunk, grown, theta = _add_up(core, number[pivots], size, threads)
    mean = total / samples
    variance = np.maximum(squares / samples - mean * mean, 0.0) * (samples / (samples - 1.0))
    error = size * np.sqrt((1.0 - samples / size) * variance / samples)
    errors = error[:, number]
    errors[:2, parent >= 0] = 0.0
    lower, upper = _bounds(total, shrunk, grown, theta, samples, size)
    sums, low, high = (expand(graphs, core, size * part) for part in (mean, lower, upper))
    return np.stack([sums, errors, low, high])


def _bounds(
    total: Float64, shrunk: Float64, grown: Float64, theta: Float64, samples: int, size: int
) -> tuple[Float64, Float64]:
    """Lower and upper bounds on the means, from the sums of the logarithms of the factors."""
    chance = np.log((1 - CONFIDENCE) / 2 / len(UPPER_STEPS))
    lower, upper = total / size, (total + (size - samples) / theta) / size
    for step, logarithm in zip(UPPER_STEPS, shrunk, strict=True):
        upper = np.minimum(upper, -np.expm1((logarithm + chance) / samples) / (step * theta))
    for step, logarithm in zip(LOWER_STEPS, grown, strict=True):
        lower = np.maximum(lower, np.expm1((logarithm + chance) / samples) / (step * theta))
    mean = total / samples
    return np.minimum(lower, mean), np.maximum(upper, mean)


def _roots(parent: Int32) -> Int32:
    """The node of the core that each node of one graph hangs on, by doubling the steps up."""
    root = np.where(parent >= 0, parent, np.arange(len(parent), dtype=np.int32))
    while not np.array_equal(root, above := root[root]):
        root = above
    return root


def _add_up(
    core: Core, sources: Int64, size: int, threads: int
) -> tuple[Float64, Float64, Float64, Float64, Float64]:
    """Sums ``[3, num_classes]`` of what each source finds, in their order.

    Returns the sums of the values, of their squares, of the logarithms of the two kinds of factors
    for each step, and the largest theta ``[3, 1]``.
    """
    count = len(core.members)
    graph = ClassGraph(core.classes.row_ptr, core.classes.neighbours, core.members, core.total)

    def search(room: tuple[Int32, Int32, Float64], source: int) -> Float64:
        after, whole, real = room
        dependencies(graph, source, after, whole, real)
        return np.stack([real[0], real[1], whole[0, :count]])

    lanes = min(threads, len(sources))
    entries = len(core.classes.neighbours)
    rooms = [
        (np.empty(entries // 2, np.int32), np.empty((3, count + 1), np.int32), np.empty((6, count)))
        for _ in range(lanes)
    ]
    search(rooms[0], 0)
    farthest = max(2.0 * rooms[0][1][0, :count].max(), 1.0)  # no two nodes are farther apart
    theta = 1.0 / np.array([[size - 1.0], [size - 1.0], [farthest]])
    total, squares = np.zeros((2, 3, count))
    shrunk, grown = np.zeros((2, len(UPPER_STEPS), 3, count))
    with (
        bar_after_a_while("pivots", len(sources)) as report,
        ThreadPoolExecutor(lanes) as pool,
    ):
        for first in range(0, len(sources), lanes):
            for sums in pool.map(search, rooms, sources[first : first + lanes].tolist()):
                total += sums
                squares += sums * sums
                scaled = np.minimum(sums * theta, 1.0)
                with np.errstate(divide="ignore"):  # a value at the end of its range
                    for place, step in enumerate(UPPER_STEPS):
                        shrunk[place] += np.log1p(-step * scaled)
                for place, step in enumerate(LOWER_STEPS):
                    grown[place] += np.log1p(step * scaled)
            report(first + lanes)
    return total, squares, shrunk, grown, theta
