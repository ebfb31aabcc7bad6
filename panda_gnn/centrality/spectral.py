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
from panda_gnn.graph.arrays import Float64
from panda_gnn.graph.compiled import compiled
from panda_gnn.graph.parallel import over_components
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
    sums, component = over_components(_perron, graphs, _cost, "eigenvector", threads)
    vector, value, residual = sums
    if (residual > 1e-9).any():
        warnings.warn(
            "some graphs have two largest eigenvalues so close that their eigenvector centralities "
            f"are only known to {residual.max():.0e}",
            stacklevel=2,
        )
    graph = graphs.graph_of_node
    largest = np.zeros(graphs.num_graphs)
    np.maximum.at(largest, graph, value)
    mass = np.bincount(component, weights=vector)
    leads = value >= largest[graph] * (1.0 - SAME)
    eigenvector = np.where(leads, vector * mass[component], 0.0)
    strength = KATZ_SHARE / np.where(largest > 0.0, largest, np.inf)
    katz = solve(graphs, np.ones(graphs.num_nodes), strength, TOLERANCE, MAX_STEPS)
    return {"eigenvector": _unit(graphs, eigenvector), "katz": _unit(graphs, katz)}


def _cost(graphs: GraphRows) -> Float64:
    return (graphs.sizes * 8 + np.diff(graphs.row_ptr[graphs.node_ptr])).astype(np.float64)


def _perron(graphs: GraphRows) -> Float64:
    """The Perron vector, eigenvalue and residual ``[3, num_nodes]`` of connected graphs."""
    vector, value, residual = _restarted_lanczos(graphs, MAX_BASIS, MAX_RESTARTS, TOLERANCE)
    return np.stack([vector, np.repeat(value, graphs.sizes), np.repeat(residual, graphs.sizes)])


def _unit(graphs: GraphRows, vector: Float64) -> Float64:
    """Scale every graph's part of a vector to Euclidean length one."""
    graph = graphs.graph_of_node
    square = np.bincount(graph, weights=vector * vector, minlength=graphs.num_graphs)
    return vector / np.sqrt(square)[graph]


@compiled
def _top_of_tridiagonal(diagonal: Float64, beside: Float64, size: int, vector: Float64) -> float:
    r"""The largest eigenvalue of a symmetric tridiagonal matrix :math:`T` and its eigenvector.

    :math:`\sigma - T` has an elimination with positive pivots exactly if :math:`\sigma` is above
    all eigenvalues, so bisection finds the largest; inverse iteration just above it, the vector.
    """
    widest = 0.0
    for row in range(size - 1):
        widest = max(widest, beside[row])
    high = 2.0 * widest
    for row in range(size):
        high = max(high, abs(diagonal[row]) + 2.0 * widest)
    high *= 1.0 + 1e-12
    low = -high
    pivots = np.empty(size)
    while True:
        middle = 0.5 * (low + high)
        if middle <= low or middle >= high:
            break
        above = True
        for row in range(size):
            pivots[row] = middle - diagonal[row]
            if row > 0:
                pivots[row] -= beside[row - 1] * beside[row - 1] / pivots[row - 1]
            if pivots[row] <= 0.0:
                above = False
                break
        if above:
            high = middle
        else:
            low = middle
    for row in range(size):
        pivots[row] = high - diagonal[row]
        if row > 0:
            pivots[row] -= beside[row - 1] * beside[row - 1] / pivots[row - 1]
        vector[row] = 1.0
    for _ in range(4):
        for row in range(1, size):
            vector[row] += vector[row - 1] * beside[row - 1] / pivots[row - 1]
        vector[size - 1] /= pivots[size - 1]
        for row in range(size - 2, -1, -1):
            vector[row] = (vector[row] + beside[row] * vector[row + 1]) / pivots[row]
        norm = 0.0
        for row in range(size):
            norm += vector[row] * vector[row]
        for row in range(size):
            vector[row] /= np.sqrt(norm)
    return high


@compiled
def _orthogonalise(product: Float64, basis: Float64, count: int) -> float:
    """Take the first ``count`` basis vectors out of ``product``; return the part of the last."""
    last = 0.0
    for number in range(count):
        overlap = 0.0
        for node in range(len(product)):
            overlap += basis[number, node] * product[node]
        for node in range(len(product)):
            product[node] -= overlap * basis[number, node]
        last = overlap
    return last


@compiled
def _restarted_lanczos(
    graphs: GraphRows, max_basis: int, max_restarts: int, tolerance: float
) -> tuple[Float64, Float64, Float64]:
    """The Perron vector, positive and of length one, eigenvalue and residual of connected graphs.

    The first basis vector has equal entries. The search ends when the residual, relative to the
    eigenvalue, is at most ``tolerance``; a basis of ``max_basis`` vectors is restarted from the
    best vector it holds, at most ``max_restarts`` times.

    Both measures together take half of ``scipy.sparse.linalg.eigsh`` on a graph of 2000 nodes and a
    sixth of it on many small graphs.
    """
    num_graphs = len(graphs.node_ptr) - 1
    vectors = np.empty(graphs.node_ptr[-1])
    values, residuals = np.empty(num_graphs), np.empty(num_graphs)
    for graph in range(num_graphs):
        start = graphs.node_ptr[graph]
        size = graphs.node_ptr[graph + 1] - start
        rows = graphs.row_ptr[start : start + size + 1]
        vector = vectors[start : start + size]
        for node in range(size):
            vector[node] = 1.0 / np.sqrt(size)
        if size == 1:
            values[graph] = 1.0 if graphs.loops[start] else 0.0
            residuals[graph] = 0.0
            continue
        limit = min(size, max_basis)
        basis = np.empty((limit, size))
        diagonal, beside, top = np.empty(limit), np.empty(limit), np.empty(limit)
        product = np.empty(size)
        residual = 1.0
        restart = 0
        while residual > tolerance and restart < max_restarts:
            restart += 1
            for node in range(size):
                basis[0, node] = vector[node]
            count = 0
            while True:
                for node in range(size):
                    total = basis[count, node] if graphs.loops[start + node] else 0.0
                    for entry in range(rows[node], rows[node + 1]):
                        total += basis[count, graphs.neighbours[entry]]
                    product[node] = total
                count += 1
                diagonal[count - 1] = _orthogonalise(product, basis, count)
                diagonal[count - 1] += _orthogonalise(product, basis, count)
                norm = 0.0
                for node in range(size):
                    norm += product[node] * product[node]
                norm = np.sqrt(norm)
                complete = count == size or norm <= 1e-14 * abs(diagonal[0])
                if complete or count == limit or count % 8 == 0:
                    values[graph] = _top_of_tridiagonal(diagonal, beside, count, top)
                    residual = 0.0
                    if not complete:
                        residual = norm * abs(top[count - 1]) / values[graph]
                    if count == limit or residual <= tolerance:
                        break
                beside[count - 1] = norm
                for node in range(size):
                    basis[count, node] = product[node] / norm
            length = 0.0
            for node in range(size):
                vector[node] = 0.0
                for number in range(count):
                    vector[node] += top[number] * basis[number, node]
                vector[node] = abs(vector[node])
                length += vector[node] * vector[node]
            for node in range(size):
                vector[node] /= np.sqrt(length)
        residuals[graph] = residual
    return vectors, values, residuals
