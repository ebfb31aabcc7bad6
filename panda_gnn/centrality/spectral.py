r"""Eigenvector and Katz centrality: being central is having central neighbours.

*Eigenvector*: :math:`A x = \lambda x` for the largest eigenvalue, :math:`x \ge 0` of length one. In
a disconnected graph only the components with the largest eigenvalue have a score; where several
share it, each has the share that power iteration from equal entries gives it (networkx's choice).

*Katz*: :math:`x = \alpha A x + \mathbf 1`, scaled to length one, which exists for
:math:`\alpha < 1 / \lambda`. One :math:`\alpha` cannot serve graphs of all sizes, so it is
:math:`0.9 / \lambda` of the graph at hand (networkx has a fixed 0.1, and fails on most graphs with
more than a few dozen edges per node). A self-loop counts once in :math:`A`.
"""

from __future__ import annotations

import warnings

import numpy as np

from panda_gnn.centrality.diffusion import solve
from panda_gnn.centrality.lanczos import perron
from panda_gnn.graph.arrays import Float64
from panda_gnn.graph.components import connected_components
from panda_gnn.graph.parallel import over_graphs
from panda_gnn.graph.rows import GraphRows

KATZ_SHARE = 0.9
TOLERANCE = 1e-13
MAX_BASIS = 128
MAX_RESTARTS = 100
MAX_STEPS = 1000
#: Eigenvalues of two components that agree to this are the same.
SAME = 1e-12


def spectral(graphs: GraphRows, *, threads: int) -> dict[str, Float64]:
    """Eigenvector and Katz centrality, which share the largest eigenvalue."""
    connected, order = connected_components(graphs)
    edges = np.diff(connected.row_ptr[connected.node_ptr])
    cost = (connected.sizes * 8 + edges).astype(np.float64)
    vector, value, residual = over_graphs(
        connected, cost, _perron, threads=threads, description="eigenvector"
    )
    if (residual > 1e-9).any():
        warnings.warn(
            "some graphs have two largest eigenvalues so close that their eigenvector centralities "
            f"are only known to {residual.max():.0e}",
            stacklevel=2,
        )
    graph = graphs.graph_of_node
    largest = np.zeros(graphs.num_graphs)
    np.maximum.at(largest, graph[order], value)
    component = connected.graph_of_node
    mass = np.bincount(component, weights=vector, minlength=connected.num_graphs)
    leads = value >= largest[graph[order]] * (1.0 - SAME)
    eigenvector = np.empty(graphs.num_nodes)
    eigenvector[order] = np.where(leads, vector * mass[component], 0.0)
    strength = KATZ_SHARE / np.where(largest > 0.0, largest, np.inf)
    katz = solve(graphs, np.ones(graphs.num_nodes), strength, TOLERANCE, MAX_STEPS)
    return {"eigenvector": _unit(graphs, eigenvector), "katz": _unit(graphs, katz)}


def _perron(graphs: GraphRows) -> Float64:
    """The Perron vector, eigenvalue and residual ``[3, num_nodes]`` of connected graphs."""
    vector, value, residual = perron(graphs, MAX_BASIS, MAX_RESTARTS, TOLERANCE)
    return np.stack([vector, np.repeat(value, graphs.sizes), np.repeat(residual, graphs.sizes)])


def _unit(graphs: GraphRows, vector: Float64) -> Float64:
    """Scale every graph's part of a vector to Euclidean length one."""
    graph = graphs.graph_of_node
    square = np.bincount(graph, weights=vector * vector, minlength=graphs.num_graphs)
    return vector / np.sqrt(square)[graph]
