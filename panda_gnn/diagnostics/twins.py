# mypy: disable-error-code="untyped-decorator, no-any-return"
"""Twins: nodes with the same neighbours, which no curvature can tell apart.

Two nodes are twins if their neighbours are the same, each other aside. Twins that are adjacent form
cliques, twins that are not form independent sets, and a node never has twins of both kinds: the
classes of twins partition the nodes. Every pair of nodes from two given classes has the same hop
distance, so a graph can be replaced by its graph of classes with their sizes: the thousand leaves
of a hub become one node, and so does a clique of a collaboration network.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from panda_gnn.diagnostics.forman_kernels import adjacent

Ints = npt.NDArray[np.int64]


class TwinClasses(NamedTuple):
    """The classes of twins of a graph, numbered by their first member, and the graph they form."""

    #: The class of every node.
    label: Ints
    #: The first and the second member of every class (-1 where there is no second).
    first: Ints
    second: Ints
    #: How many nodes every class has, and how many neighbours each of them has in the graph.
    size: Ints
    degree: Ints
    #: How many neighbours a member has in its own class: size - 1 in a clique, else 0.
    inside: Ints
    #: The neighbour lists of the graph of classes, without the class itself.
    start: Ints
    neighbour: Ints


@njit(cache=True, nogil=True)
def _scrambled(num_nodes: int) -> npt.NDArray[np.uint64]:
    """One well-mixed 64-bit number per node (the finaliser of SplitMix64)."""
    numbers = np.empty(num_nodes, np.uint64)
    for v in range(num_nodes):
        z = np.uint64(v + 1) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        numbers[v] = z ^ (z >> np.uint64(31))
    return numbers


@njit(cache=True, nogil=True)
def _are_twins(start: Ints, neighbour: Ints, u: int, v: int) -> bool:
    """Whether the neighbours of ``u`` and ``v`` are the same, each other aside."""
    if start[u + 1] - start[u] != start[v + 1] - start[v]:
        return False
    here, there = start[u], start[v]
    while True:
        if here < start[u + 1] and neighbour[here] == v:
            here += 1
        if there < start[v + 1] and neighbour[there] == u:
            there += 1
        if here == start[u + 1] or there == start[v + 1]:
            return here == start[u + 1] and there == start[v + 1]
        if neighbour[here] != neighbour[there]:
            return False
        here += 1
        there += 1


@njit(cache=True, nogil=True)
def _leaders(start: Ints, neighbour: Ints) -> Ints:
    """The first twin of every node; equal sums of scrambled neighbours are only a hint."""
    num_nodes = start.size - 1
    number = _scrambled(num_nodes)
    leader = np.arange(num_nodes)
    key = np.zeros(num_nodes, np.uint64)
    for v in range(num_nodes):
        for slot in range(start[v], start[v + 1]):
            key[v] += number[neighbour[slot]]
    for among_neighbours in (False, True):
        if among_neighbours:
            key += number
        order = np.argsort(key, kind="mergesort")
        head = 0
        for place in range(1, num_nodes):
            u, v = order[head], order[place]
            if key[u] != key[v]:
                head = place
            elif leader[v] == v and leader[u] == u and _are_twins(start, neighbour, u, v):
                leader[v] = u
    return leader


@njit(cache=True, nogil=True)
def twin_classes(start: Ints, neighbour: Ints) -> TwinClasses:
    """The classes of twins of the graph with these neighbour lists."""
    num_nodes = start.size - 1
    leader = _leaders(start, neighbour)
    label = np.empty(num_nodes, np.int64)
    first, second = np.empty(num_nodes, np.int64), np.full(num_nodes, -1, np.int64)
    size = np.zeros(num_nodes, np.int64)
    count = 0
    for v in range(num_nodes):
        if leader[v] == v:
            label[v], first[count] = count, v
            count += 1
        else:
            label[v] = label[leader[v]]
            if second[label[v]] < 0:
                second[label[v]] = v
        size[label[v]] += 1
    first, second, size = first[:count], second[:count], size[:count]
    degree, inside = np.empty(count, np.int64), np.zeros(count, np.int64)
    class_start = np.zeros(count + 1, np.int64)
    class_neighbour = np.empty(neighbour.size, np.int64)
    seen = np.full(count, -1, np.int64)
    for c in range(count):
        v = first[c]
        degree[c] = start[v + 1] - start[v]
        if second[c] >= 0 and adjacent(start, neighbour, v, second[c]):
            inside[c] = size[c] - 1
        seen[c] = c
        end = class_start[c]
        for slot in range(start[v], start[v + 1]):
            other = label[neighbour[slot]]
            if seen[other] != c:
                seen[other] = c
                class_neighbour[end] = other
                end += 1
        class_neighbour[class_start[c] : end].sort()
        class_start[c + 1] = end
    return TwinClasses(
        label, first, second, size, degree, inside, class_start, class_neighbour[: class_start[-1]]
    )
