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
import numpy.typing as npt

from panda_gnn.centrality.compiled import compiled
from panda_gnn.centrality.components import connected_components
from panda_gnn.centrality.parallel import over_graphs
from panda_gnn.csr import BlockCSR

Float64 = npt.NDArray[np.float64]

KATZ_SHARE = 0.9
TOLERANCE = 1e-13
MAX_BASIS = 128
MAX_RESTARTS = 100
MAX_STEPS = 1000
#: Eigenvalues of two components that agree to this are the same.
SAME = 1e-12


def spectral(csr: BlockCSR, *, threads: int) -> dict[str, Float64]:
    """Eigenvector and Katz centrality, which share the largest eigenvalue."""
    connected, order = connected_components(csr)
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
    graph = np.repeat(np.arange(csr.num_graphs), csr.sizes)
    largest = np.zeros(csr.num_graphs)
    np.maximum.at(largest, graph[order], value)
    component = np.repeat(np.arange(connected.num_graphs), connected.sizes)
    mass = np.bincount(component, weights=vector, minlength=connected.num_graphs)
    leads = value >= largest[graph[order]] * (1.0 - SAME)
    eigenvector = np.empty(csr.num_nodes)
    eigenvector[order] = np.where(leads, vector * mass[component], 0.0)
    strength = KATZ_SHARE / np.where(largest > 0.0, largest, np.inf)
    katz = np.empty(csr.num_nodes)
    compiled("diffusion").solve(
        csr.node_ptr, csr.row_ptr, csr.neighbours, csr.loops, np.ones(csr.num_nodes), strength,
        TOLERANCE, MAX_STEPS, katz,
    )  # fmt: skip
    return {"eigenvector": _unit(csr, eigenvector), "katz": _unit(csr, katz)}


def _perron(csr: BlockCSR) -> Float64:
    """The Perron vector, eigenvalue and residual ``[3, num_nodes]`` of connected graphs."""
    vector = np.empty(csr.num_nodes)
    value, residual = np.empty((2, csr.num_graphs))
    compiled("lanczos").perron(
        csr.node_ptr, csr.row_ptr, csr.neighbours, csr.loops, MAX_BASIS, MAX_RESTARTS, TOLERANCE,
        value, vector, residual,
    )  # fmt: skip
    return np.stack([vector, np.repeat(value, csr.sizes), np.repeat(residual, csr.sizes)])


def _unit(csr: BlockCSR, vector: Float64) -> Float64:
    """Scale every graph's part of a vector to Euclidean length one."""
    graph = np.repeat(np.arange(csr.num_graphs), csr.sizes)
    square = np.bincount(graph, weights=vector * vector, minlength=csr.num_graphs)
    return vector / np.sqrt(square)[graph]
