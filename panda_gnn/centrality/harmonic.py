r"""Harmonic centrality: the sum of the inverse distances to all other nodes.

.. math:: H(v) = \sum_{u \ne v} \frac{1}{d(u, v)}, \qquad 1 / \infty = 0

It is not normalised. Inverse distances do not add up along trees, so only twins are merged:
they have the same distances to all others, and one or two to each other.
"""

from __future__ import annotations

import numpy as np

from panda_gnn.centrality.shortest_paths import class_of_nodes, quadratic_cost
from panda_gnn.graph.arrays import Float64
from panda_gnn.graph.compiled import compiled
from panda_gnn.graph.parallel import over_components
from panda_gnn.graph.rows import GraphRows
from panda_gnn.graph.twins import TwinClasses, twin_classes


def harmonic(graphs: GraphRows, *, threads: int) -> Float64:
    """The harmonic centrality of every node."""
    return over_components(_harmonic, graphs, quadratic_cost, "harmonic", threads)[0]


def _harmonic(graphs: GraphRows) -> Float64:
    classes = twin_classes(graphs)
    distance = np.where(classes.inside > 0, 1.0, 2.0)
    of_classes = _inverse_distances(classes) + (classes.size - 1.0) / distance
    _, number = class_of_nodes(graphs, classes)
    scores: Float64 = of_classes[number]
    return scores


@compiled
def _inverse_distances(classes: TwinClasses) -> Float64:
    """Add up ``size / distance`` over all other classes of a connected graph, for each class.

    All in all this takes half of igraph's ``harmonic_centrality`` on one graph of 2000 nodes.
    """
    inverse = np.empty(len(classes.size))
    for graph in range(len(classes.class_ptr) - 1):
        start, stop = classes.class_ptr[graph], classes.class_ptr[graph + 1]
        rows = classes.row_ptr[start : stop + 1]
        size = stop - start
        found_by = np.full(size, -1, np.int32)
        queue = np.empty(size, np.int32)
        for source in range(size):
            found_by[source] = source
            queue[0] = source
            head, tail, distance = 0, 1, 0
            total = 0.0
            while head < tail:
                level_end = tail
                distance += 1
                reached = 0.0
                while head < level_end and tail < size:
                    node = queue[head]
                    head += 1
                    for entry in range(rows[node], rows[node + 1]):
                        other = classes.neighbours[entry]
                        if found_by[other] != source:
                            found_by[other] = source
                            reached += classes.size[start + other]
                            queue[tail] = other
                            tail += 1
                head = level_end
                total += reached / distance
            inverse[start + source] = total
    return inverse
