r"""Resistance and current-flow centrality: how well a node is wired to the rest.

With every edge a resistor of one ohm, :math:`R_{uv}` is the effective resistance between
:math:`u` and :math:`v`, and :math:`S(v) = \sum_u R_{uv}` over the nodes of its component.

*resistance* is :math:`S(v)` itself: **high values are badly wired, peripheral nodes**, the ends of
the bottlenecks. *current-flow* turns it around: :math:`1 / S(v)`, high for central nodes, is
networkx's ``information_centrality`` (current-flow closeness). In a disconnected graph, which
networkx refuses, a component with :math:`r` of the :math:`n` nodes has
:math:`\frac{1}{S(v)} \left(\frac{r-1}{n-1}\right)^2`, the correction that closeness makes, and a
lone node has zero in both.

Trees hanging on the graph cost nothing: the resistance across them is their distance. What is left,
the core, costs a dense factorisation.
That makes it 22 times faster than ``numpy.linalg.inv`` on a graph of 2000 nodes of which 500 are
leaves; on many graphs of 30 nodes ``inv`` is faster, and gives other bits.
"""

from __future__ import annotations

import numpy as np

from panda_gnn.centrality.peeling import Peeled, distances_in_trees, peel
from panda_gnn.graph.arrays import Float64, Int64
from panda_gnn.graph.compiled import compiled
from panda_gnn.graph.limits import CORE_NODES, refuse_above
from panda_gnn.graph.parallel import over_components
from panda_gnn.graph.rows import GraphRows, pointer


def resistance(graphs: GraphRows, *, threads: int) -> dict[str, Float64]:
    """The sum of a node's effective resistances, and its inverse, current-flow centrality."""
    total, component = over_components(_resistance, graphs, _cubic_cost, "resistance", threads)
    reached = np.bincount(component)[component].astype(np.float64)
    others = np.maximum(np.repeat(graphs.sizes, graphs.sizes) - 1.0, 1.0)
    share = (reached - 1.0) / others
    flow = share**2 / np.where(reached > 1.0, total, 1.0)
    return {"resistance": total, "current-flow": flow}


def _cubic_cost(graphs: GraphRows) -> Float64:
    return graphs.sizes.astype(np.float64) ** 3


def _resistance(graphs: GraphRows) -> Float64:
    tree = peel(graphs)
    core_ptr = pointer(graphs.sizes - tree.num_peeled)
    refuse_above(
        CORE_NODES,
        int(np.diff(core_ptr).max(initial=0)),
        "the resistance or current-flow of a graph, less its hanging trees,",
        "panda_gnn.diagnostics.resistance_sketch or another centrality",
    )
    sums = _resistance_sums(graphs, core_ptr, _elimination_order(graphs, tree), tree.weight)
    distances_in_trees(graphs, tree, sums)
    return sums


def _elimination_order(graphs: GraphRows, tree: Peeled) -> Int64:
    """The nodes of every core, those with few neighbours in it first: it keeps rows sparse."""
    graph = graphs.graph_of_node
    hangs = tree.parent >= 0
    below = np.repeat(graphs.node_ptr[:-1], graphs.sizes)[hangs] + tree.parent[hangs]
    degree = graphs.degrees - np.bincount(below, minlength=graphs.num_nodes)
    place = np.flatnonzero(~hangs)
    order: Int64 = place[np.lexsort((degree[place], graph[place]))]
    return order


@compiled
def _inverse_factor(matrix: Float64) -> None:
    r"""Replace :math:`M`, positive definite, by the upper triangular :math:`X` with
    :math:`X X^\top = M^{-1}`. Only the upper triangle is read and written.
    """
    size = len(matrix)
    for pivot in range(size):  # Cholesky: M = U^T U
        upper = matrix[pivot]
        scale = 1.0 / np.sqrt(upper[pivot])
        for column in range(pivot, size):
            upper[column] *= scale
        for row in range(pivot + 1, size):
            factor = upper[row]
            if factor != 0.0:
                below = matrix[row]
                for column in range(row, size):
                    below[column] -= factor * upper[column]
    work = np.empty(size)
    for row in range(size - 1, -1, -1):  # X = U^-1, from the last row up
        upper = matrix[row]
        for column in range(row, size):
            work[column] = 0.0
        for pivot in range(row + 1, size):
            factor = upper[pivot]
            if factor != 0.0:
                inverse = matrix[pivot]
                for column in range(pivot, size):
                    work[column] -= factor * inverse[column]
        scale = 1.0 / upper[row]
        upper[row] = scale
        for column in range(row + 1, size):
            upper[column] = work[column] * scale


@compiled
def _resistance_sums(graphs: GraphRows, core_ptr: Int64, core: Int64, weight: Float64) -> Float64:
    r"""For each node of a core, add up weight times effective resistance over its core.

    ``core[core_ptr[g] : core_ptr[g + 1]]`` are the places of the core's nodes in the order of
    elimination, low degrees first. The last one is grounded: with :math:`G` the inverse of the
    Laplacian without its row and column (and zero in them),
    :math:`R_{uv} = G_{uu} + G_{vv} - 2 G_{uv}`.
    """
    sums = np.empty(graphs.node_ptr[-1])
    number = np.full(graphs.node_ptr[-1], -1, np.int64)
    for graph in range(len(graphs.node_ptr) - 1):
        nodes = core[core_ptr[graph] : core_ptr[graph + 1]]
        size = len(nodes) - 1
        for place in range(size + 1):
            number[nodes[place]] = place
        matrix = np.zeros((size, size))
        for place in range(size):
            node = nodes[place]
            for entry in range(graphs.row_ptr[node], graphs.row_ptr[node + 1]):
                other = number[graphs.node_ptr[graph] + graphs.neighbours[entry]]
                if other >= 0:
                    matrix[place, place] += 1.0
                    if other < size:
                        matrix[place, other] = -1.0
        _inverse_factor(matrix)
        potential = np.zeros(size)  # X^T w, w the weights
        total = weight[nodes[size]]
        for place in range(size):
            total += weight[nodes[place]]
            for column in range(place, size):
                potential[column] += matrix[place, column] * weight[nodes[place]]
        trace = 0.0
        for place in range(size):
            own, mixed = 0.0, 0.0
            for column in range(place, size):
                own += matrix[place, column] * matrix[place, column]
                mixed += matrix[place, column] * potential[column]
            trace += weight[nodes[place]] * own
            sums[nodes[place]] = total * own - 2.0 * mixed
        sums[nodes[size]] = 0.0
        for place in range(size + 1):
            sums[nodes[place]] += trace
    return sums
