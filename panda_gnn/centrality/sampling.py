r"""Betweenness, closeness and load of a large graph from the shortest paths of some pivots.

The graph is reduced as in :mod:`panda_gnn.centrality.shortest_paths`; trees and twins stay exact.
What costs a search per node is a sum over the :math:`n` nodes of a component,
:math:`Y(v) = \sum_s y_s(v)`, with :math:`y_s` the dependencies or the distances from :math:`s`. It
is estimated from :math:`S` pivots drawn without replacement, with its standard error:

.. math::
    \hat Y(v) = \frac{n}{S} \sum_{s \in \text{pivots}} y_s(v), \qquad
    e(v) = n \sqrt{\left(1 - \frac{S}{n}\right) \frac{\operatorname{var}_s y_s(v)}{S}} .

A component with at most :math:`S` nodes is computed exactly. Time grows with :math:`S` times the
edges, memory with the edges alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

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


def sampled_paths(
    graphs: GraphRows, *, samples: int, seed: int, threads: int
) -> tuple[dict[str, Float64], dict[str, Float64]]:
    """Estimates of betweenness, closeness and load, and the standard error of each.

    The pivots of a component depend on ``seed`` and its size, not on what else is there.
    """
    connected, order = connected_components(graphs)
    sums, errors = np.empty((2, 3, graphs.num_nodes))
    for first, last in _runs(connected.sizes > samples):
        part = connected.part(first, last)
        place = order[connected.node_ptr[first] : connected.node_ptr[last]]
        if part.sizes[0] > samples:
            sums[:, place], errors[:, place] = _sampled(part, samples, seed, threads)
        else:
            cost = quadratic_cost(part)
            sums[:, place] = over_graphs(path_sums, part, cost, "small components", threads)
            errors[:, place] = 0.0
    reached = np.empty_like(order)
    reached[order] = np.repeat(connected.sizes, connected.sizes)
    scores, spread = normalised(graphs, sums, reached), normalised(graphs, errors, reached)
    spread["closeness"] = scores["closeness"] * (errors[2] / np.maximum(sums[2], 1.0))
    return scores, spread


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


def _sampled(graphs: GraphRows, samples: int, seed: int, threads: int) -> tuple[Float64, Float64]:
    """The path sums ``[3, num_nodes]`` of one connected graph, estimated, and their errors."""
    core = reduce(graphs)
    parent = core.tree.parent
    number = core.classes.label[_roots(parent)]
    size = graphs.num_nodes
    pivots = np.random.default_rng([seed, size]).permutation(size)[:samples]
    total, squares = _add_up(core, number[pivots], threads)
    mean = total / samples
    variance = np.maximum(squares / samples - mean * mean, 0.0) * (samples / (samples - 1.0))
    error = size * np.sqrt((1.0 - samples / size) * variance / samples)
    errors = error[:, number]
    errors[:2, parent >= 0] = 0.0
    return expand(graphs, core, size * mean), errors


def _roots(parent: Int32) -> Int32:
    """The node of the core that each node of one graph hangs on, by doubling the steps up."""
    root = np.where(parent >= 0, parent, np.arange(len(parent), dtype=np.int32))
    while not np.array_equal(root, above := root[root]):
        root = above
    return root


def _add_up(core: Core, sources: Int64, threads: int) -> tuple[Float64, Float64]:
    """Sums and sums of squares ``[3, num_classes]`` of what each source finds, in their order."""
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
    total, squares = np.zeros((2, 3, count))
    with (
        bar_after_a_while("pivots", len(sources)) as report,
        ThreadPoolExecutor(lanes) as pool,
    ):
        for first in range(0, len(sources), lanes):
            for sums in pool.map(search, rooms, sources[first : first + lanes].tolist()):
                total += sums
                squares += sums * sums
            report(first + lanes)
    return total, squares
