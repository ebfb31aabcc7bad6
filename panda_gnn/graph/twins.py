"""Twins: nodes with the same neighbours, which no distance or curvature can tell apart.

Two nodes are twins if their neighbours are the same, each other aside. Twins that are adjacent
(true twins) form cliques, twins that are not (false twins) form independent sets, and a node never
has twins of both kinds: the classes of twins partition the nodes. Every pair of nodes from two
given classes has the same hop distance, so a graph can be replaced by its graph of classes with
their sizes: the thousand leaves of a hub become one node, and so does a clique of a collaboration
network.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from panda_gnn.graph.arrays import Bool, Int32, Int64
from panda_gnn.graph.compiled import compiled
from panda_gnn.graph.rows import GraphRows


class TwinClasses(NamedTuple):
    """The classes of twins of some graphs, numbered by first member, and the graphs they form.

    Class ``c`` of graph ``g`` stands at ``class_ptr[g] + c``.
    """

    #: The class of every node, as a number inside its graph; -1 for nodes that take no part.
    label: Int64
    class_ptr: Int64
    #: The first and the second member of every class (-1 where there is no second).
    first: Int64
    second: Int64
    #: How many nodes every class has, and how many neighbours each of them has that take part.
    size: Int64
    degree: Int64
    #: How many neighbours a member has in its own class: size - 1 for true twins, else 0.
    inside: Int64
    #: The rows of the graphs of classes; a class is not in its own row.
    row_ptr: Int64
    neighbours: Int32

    @property
    def graphs(self) -> GraphRows:
        """The graphs of classes; classes of true twins have a self-loop."""
        return GraphRows(self.class_ptr, self.row_ptr, self.neighbours, self.inside > 0)


def twin_classes(graphs: GraphRows, takes_part: Bool | None = None) -> TwinClasses:
    """The classes of twins of each graph, or of the subgraph of the nodes that take part.

    This replaces ``numpy.unique`` of the rows of the adjacency matrix; it is 20 times faster on a
    small graph and 270 times on one of 2000 nodes.
    """
    if takes_part is None:
        takes_part = np.ones(graphs.num_nodes, np.bool_)
    return _classes(graphs, takes_part)


@compiled
def _random_word(number: int) -> np.uint64:
    """A fixed 64-bit word per number that looks random (the finaliser of SplitMix64)."""
    word = np.uint64(number + 1) * np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@compiled
def _are_twins(u: int, v: int, rows: Int64, neighbours: Int32, part: Bool) -> bool:
    """Whether the neighbours of ``u`` and ``v`` that take part are the same, each other aside."""
    here, there = rows[u], rows[v]
    while True:
        while here < rows[u + 1] and (neighbours[here] == v or not part[neighbours[here]]):
            here += 1
        while there < rows[v + 1] and (neighbours[there] == u or not part[neighbours[there]]):
            there += 1
        if here == rows[u + 1] or there == rows[v + 1]:
            return bool(here == rows[u + 1] and there == rows[v + 1])
        if neighbours[here] != neighbours[there]:
            return False
        here += 1
        there += 1


@compiled
def _leaders(rows: Int64, neighbours: Int32, part: Bool) -> Int64:
    """The first twin of every node of a graph that takes part.

    Equal sums of the neighbours' words are only a hint: a collision may miss twins but never makes
    any.
    """
    nodes = np.flatnonzero(part)
    leader = np.arange(len(part))
    word, key = np.zeros(len(part), np.uint64), np.zeros(len(part), np.uint64)
    for node in nodes:
        word[node] = _random_word(int(node))
    for node in nodes:
        for entry in range(rows[node], rows[node + 1]):
            key[node] += word[neighbours[entry]]
    for _ in range(2):  # false twins, then true twins
        order = nodes[np.argsort(key[nodes], kind="mergesort")]
        head = 0
        for place in range(1, len(order)):
            u, v = order[head], order[place]
            if key[u] != key[v]:
                head = place
            elif leader[u] == u and leader[v] == v and _are_twins(u, v, rows, neighbours, part):
                leader[v] = u
        key += word
    return leader


@compiled
def _classes(graphs: GraphRows, takes_part: Bool) -> TwinClasses:
    num_nodes = graphs.node_ptr[-1]
    label = np.full(num_nodes, -1, np.int64)
    class_ptr = np.zeros(len(graphs.node_ptr), np.int64)
    first, second = np.empty(num_nodes, np.int64), np.full(num_nodes, -1, np.int64)
    size, degree = np.zeros(num_nodes, np.int64), np.zeros(num_nodes, np.int64)
    inside = np.zeros(num_nodes, np.int64)
    row_ptr = np.zeros(num_nodes + 1, np.int64)
    neighbours = np.empty(len(graphs.neighbours), np.int32)
    count = written = 0
    for graph in range(len(graphs.node_ptr) - 1):
        start, stop = graphs.node_ptr[graph], graphs.node_ptr[graph + 1]
        rows, part = graphs.row_ptr[start : stop + 1], takes_part[start:stop]
        labels = label[start:stop]
        leader = _leaders(rows, graphs.neighbours, part)
        before = count
        for node in range(stop - start):
            if not part[node]:
                continue
            if leader[node] == node:
                labels[node] = count - before
                first[count] = node
                count += 1
            else:
                labels[node] = labels[leader[node]]
                if second[before + labels[node]] < 0:
                    second[before + labels[node]] = node
            size[before + labels[node]] += 1
        class_ptr[graph + 1] = count
        seen = np.full(count - before, -1, np.int64)
        for number in range(before, count):
            own = number - before
            seen[own] = own
            for entry in range(rows[first[number]], rows[first[number] + 1]):
                other = labels[graphs.neighbours[entry]]
                degree[number] += other >= 0
                if other == own:
                    inside[number] = size[number] - 1
                elif other >= 0 and seen[other] != own:
                    seen[other] = own
                    neighbours[written] = other
                    written += 1
            row_ptr[number + 1] = written
    return TwinClasses(
        label,
        class_ptr,
        first[:count],
        second[:count],
        size[:count],
        degree[:count],
        inside[:count],
        row_ptr[: count + 1],
        neighbours[:written],
    )
