"""The spectral gap: how far a graph is from falling into two parts."""

from __future__ import annotations

import warnings

import numpy as np
import torch
from scipy.sparse.linalg import LinearOperator, lobpcg
from torch_geometric.data import Data

from panda_gnn.graph.arrays import Float64
from panda_gnn.graph.components import component_labels
from panda_gnn.graph.laplacian_solver import LaplacianSolver
from panda_gnn.graph.limits import DENSE_SPECTRUM_NODES
from panda_gnn.graph.rows import GraphRows, read_graph


def spectral_gap(data: Data, *, dense_nodes: int = DENSE_SPECTRUM_NODES) -> float:
    r"""The second smallest eigenvalue of the normalised Laplacian.

    .. math::
        \mathbf{N} = \mathbf{I} - \mathbf{D}^{-1/2} \mathbf{A} \mathbf{D}^{-1/2}

    By Cheeger's inequality it is small if and only if the graph has a bottleneck. It is zero for a
    disconnected graph (an isolated node is a component too), positive for a connected one, and at
    most :math:`n / (n - 1)`, which only cliques reach. A graph of one node, or none, has no second
    eigenvalue: its gap is zero by definition. Weights, duplicates and self-loops play no part.

    Graphs of up to ``dense_nodes`` nodes are solved densely, larger ones by LOBPCG with a Laplacian
    preconditioner, to about eight digits.

    Args:
        data: An undirected graph.
        dense_nodes: The largest graph that is solved densely.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import spectral_gap
        >>> graphs = [transfer(topology, 5, num_graphs=1)[0] for topology in ("ring", "lollipop")]
        >>> [round(spectral_gap(data), 3) for data in graphs]
        [0.191, 0.086]
    """
    graph = read_graph(data, "spectral_gap")
    if graph.num_nodes < 2 or component_labels(graph).max() > 0:
        return 0.0
    return _dense_gap(graph) if graph.num_nodes <= dense_nodes else _sparse_gap(graph)


def _dense_gap(graph: GraphRows) -> float:
    scale = torch.from_numpy(graph.degrees).double().rsqrt()
    normalised = torch.eye(graph.num_nodes, dtype=torch.float64)
    normalised[graph.sources, graph.columns] = -scale[graph.sources] * scale[graph.columns]
    return max(float(torch.linalg.eigvalsh(normalised)[1]), 0.0)


def _sparse_gap(graph: GraphRows) -> float:
    solver, num_nodes = LaplacianSolver(graph), graph.num_nodes
    root = np.sqrt(solver.degree)[:, None]

    def operator(function: object) -> LinearOperator:
        return LinearOperator((num_nodes, num_nodes), matvec=function, matmat=function, dtype=float)

    def normalised(x: Float64) -> Float64:
        return solver.multiply(x / root) / root

    def inverse(x: Float64) -> Float64:
        return root * solver.precondition(root * x)

    value = 1.0
    vectors = np.random.default_rng(0).standard_normal((num_nodes, 4))
    for _ in range(2):  # a tiny gap, once seen, needs smaller residuals
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # the value settles before the vectors do
            values, vectors = lobpcg(
                operator(normalised),
                vectors,
                M=operator(inverse),
                Y=root,
                tol=1e-3 * min(value, 1e-4),
                maxiter=100,
                largest=False,
            )
        value = max(float(values.min()), 0.0)
        if value > 1e-4:
            break
    return value
