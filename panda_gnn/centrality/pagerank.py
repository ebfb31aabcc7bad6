"""PageRank: where a random surfer is."""

from __future__ import annotations

import numpy as np

from panda_gnn.centrality.diffusion import solve
from panda_gnn.graph.arrays import Float64
from panda_gnn.graph.parallel import over_graphs
from panda_gnn.graph.rows import GraphRows

DAMPING = 0.85
TOLERANCE = 1e-14
MAX_STEPS = 1000


def pagerank(graphs: GraphRows, *, threads: int) -> Float64:
    r"""The stationary distribution of a walk that starts anew with probability 0.15.

    With :math:`D` the degrees (a self-loop counts once) and nodes without edges starting anew with
    certainty, :math:`x = \alpha A D^{-1} x + \beta \mathbf 1` for the :math:`\beta` that makes
    :math:`x` sum to one. An undirected graph makes this symmetric: :math:`x = D^{1/2} z` with
    :math:`(I - \alpha D^{-1/2} A D^{-1/2}) z = \beta D^{-1/2} \mathbf 1`, a matrix of condition at
    most :math:`(1 + \alpha) / (1 - \alpha)`, which conjugate gradients solve to the last digits in
    a few dozen steps.
    """
    edges = np.diff(graphs.row_ptr[graphs.node_ptr]).astype(np.float64)
    return over_graphs(_pagerank, graphs, graphs.sizes + edges, "pagerank", threads)


def _pagerank(graphs: GraphRows) -> Float64:
    root = np.sqrt(np.maximum(graphs.degrees + graphs.loops, 1))
    strength = np.full(graphs.num_graphs, DAMPING)
    score = solve(graphs, 1.0 / root, strength, TOLERANCE, MAX_STEPS) * root
    graph = graphs.graph_of_node
    total = np.bincount(graph, weights=score, minlength=graphs.num_graphs)
    return score / total[graph]
