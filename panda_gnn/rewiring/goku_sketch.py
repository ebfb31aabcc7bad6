r"""GOKU where no dense matrix fits: two eigenvectors by iteration, resistances by a sketch.

With the incidence matrix :math:`\mathbf{B}` and random signs :math:`\mathbf{Q}` over
:math:`\sqrt{k}`, the rows of :math:`\mathbf{Z} = \mathbf{L}^+ \mathbf{B}^\top \mathbf{Q}` have
:math:`\mathbb{E} \lVert \mathbf{z}_u - \mathbf{z}_v \rVert^2 = R_{uv}` with a relative standard
error of at most :math:`\sqrt{2 / k}` (Spielman and Srivastava, STOC 2008); a bridge comes out
exactly. Edges are drawn by these estimates and weighted by what they were drawn by, so the
Laplacian is still kept on average.
"""

from __future__ import annotations

import math
import warnings

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh, lobpcg

from panda_gnn.graph.arrays import Float64, Int64
from panda_gnn.graph.components import connected_components
from panda_gnn.graph.laplacian_solver import LaplacianSolver
from panda_gnn.graph.rows import GraphRows

#: How many coordinates the sketch has, and how many of them are made at a time.
COORDINATES, AT_ONCE = 64, 8
#: How many pairs of nodes are compared for every edge that is added.
PAIRS_PER_EDGE = 16
#: Up to this size a component's Laplacian is decomposed densely.
DENSE_NODES = 200


def greatest_mode(graph: GraphRows) -> tuple[float, Float64]:
    """The greatest eigenvalue of the Laplacian, and its eigenvector."""
    solver = LaplacianSolver(graph)
    size = graph.num_nodes
    laplacian = LinearOperator(
        (size, size),
        matvec=lambda x: solver.multiply(x.reshape(-1, 1)).ravel(),
        dtype=np.float64,
    )
    start = np.random.default_rng(0).standard_normal(size)
    values, vectors = eigsh(laplacian, k=1, which="LA", v0=start)
    return float(values[0]), vectors[:, 0]


def fiedler_vectors(graph: GraphRows) -> Float64:
    """The Fiedler vector of each component at its nodes, of length one; zero at isolated ones."""
    fiedler = np.zeros(graph.num_nodes)
    connected, order = connected_components(graph)
    for number, size in enumerate(connected.sizes.tolist()):
        if size > 1:
            part = connected.part(number, number + 1)
            nodes = order[connected.node_ptr[number] : connected.node_ptr[number + 1]]
            fiedler[nodes] = _fiedler_vector(part)
    return fiedler


def _fiedler_vector(part: GraphRows) -> Float64:
    size = part.num_nodes
    solver = LaplacianSolver(part)
    vector: Float64
    if size <= DENSE_NODES:
        vector = np.linalg.eigh(solver.multiply(np.eye(size)))[1][:, 1]
        return vector

    def operator(function: object) -> LinearOperator:
        return LinearOperator((size, size), matvec=function, matmat=function, dtype=np.float64)

    start = np.random.default_rng(0).standard_normal((size, 4))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of vectors that have not settled yet
        values, vectors = lobpcg(
            operator(solver.multiply),
            start,
            M=operator(solver.precondition),
            Y=np.ones((size, 1)),
            tol=1e-8,
            maxiter=100,
            largest=False,
        )
    vector = vectors[:, np.argmin(values)]
    return vector / np.linalg.norm(vector)


def shortlisted_pairs(
    graph: GraphRows, fiedler: Float64, label: Int64, wanted: int
) -> tuple[Int64, Int64]:
    """Non-adjacent pairs ``u < v`` of one component, among the nodes of lowest degree and those at
    both ends of the Fiedler vector: some :data:`PAIRS_PER_EDGE` or more for every edge wanted."""
    count = math.ceil(math.sqrt(PAIRS_PER_EDGE * wanted)) + 1
    ranks = graph.degrees, fiedler, -fiedler
    nodes = np.unique([np.argsort(rank, kind="stable")[:count] for rank in ranks])
    first, second = (nodes[place] for place in np.triu_indices(nodes.size, 1))
    one = label[first] == label[second]
    first, second = first[one], second[one]
    present = graph.edges[0].astype(np.int64) * graph.num_nodes + graph.edges[1]
    new = ~np.isin(first * graph.num_nodes + second, present)
    return first[new], second[new]


def sketched_resistances(graph: GraphRows, edges: Int64, seed: int) -> Float64:
    """About the effective resistance of every column of ``edges``, which are edges."""
    solver = LaplacianSolver(graph)
    random = np.random.default_rng(seed)
    total = np.zeros(edges.shape[1])
    for _ in range(COORDINATES // AT_ONCE):
        signs = random.choice([-1.0, 1.0], size=(graph.edges.shape[1], AT_ONCE))
        z = solver.pseudoinverse(solver.incidence @ signs)
        total += np.square(z[edges[0]] - z[edges[1]]).sum(axis=1)
    return total / COORDINATES
