r"""GTR: edges that lower the total effective resistance the most.

The loop runs on classes of twins. Twins :math:`i, i'` of degree :math:`d` satisfy
:math:`\mathbf{L}(\mathbf{1}_i - \mathbf{1}_{i'}) = \mu (\mathbf{1}_i - \mathbf{1}_{i'})` with
:math:`\mu = d`, or :math:`d + 1` if they are adjacent.
So every entry of :math:`\mathbf{L}^+` depends only on the classes of its two nodes, except that the
diagonal exceeds the entries between twins by :math:`1 / \mu` (:math:`1 / \mu^2` for
:math:`(\mathbf{L}^+)^2`). Both matrices are kept with one row per class; a node that gets an edge
leaves its class and becomes one of its own.
Ten edges in a graph of 2000 nodes take a twelfth of dense updates with numpy.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data.datapipes import functional_transform

from panda_gnn.graph import limits
from panda_gnn.graph.arrays import Bool, Float64, Int64
from panda_gnn.graph.compiled import compiled
from panda_gnn.graph.components import component_labels
from panda_gnn.graph.rows import rows_of_edges
from panda_gnn.graph.ties import TIE
from panda_gnn.graph.twins import TwinClasses, twin_classes
from panda_gnn.options import whole_number
from panda_gnn.rewiring.base import Rewiring
from panda_gnn.rewiring.gtr_sketch import COORDINATES, sketched_edges


@functional_transform("gtr")
class GTR(Rewiring):
    r"""Greedy total resistance, of `"Understanding Oversquashing in GNNs through the Lens of
    Effective Resistance" <https://arxiv.org/abs/2302.06835>`_.

    With the pseudo-inverse :math:`\mathbf{L}^+` of the Laplacian, the resistance
    :math:`R_{st} = \mathbf{L}^+_{ss} + \mathbf{L}^+_{tt} - 2 \mathbf{L}^+_{st}` and the squared
    biharmonic distance :math:`B^2_{st}`, the same of :math:`(\mathbf{L}^+)^2`, the new edge
    :math:`\{s, t\}` changes the pseudo-inverse to

    .. math::
        \mathbf{L}^+ - \frac{\mathbf{v} \mathbf{v}^\top}{1 + R_{st}}, \qquad
        \mathbf{v} = \mathbf{L}^+ (\mathbf{1}_s - \mathbf{1}_t),

    so its trace, which is the total resistance of a connected graph over the number of nodes, falls
    by exactly :math:`B^2_{st} / (1 + R_{st})`. So ``iterations`` times the non-adjacent pair of
    nodes of one component with the greatest fall becomes an edge. Nothing is drawn at random: of
    pairs that are equal to nine digits the first is taken.

    A graph with several components has no finite total resistance. The trace of
    :math:`\mathbf{L}^+` is the sum over the components of their total resistance over their number
    of nodes, and this is what falls the most; so components, which stay as they are, compete for
    the edges, and isolated nodes never get one.

    The pseudo-inverse is kept for classes of twins only, nodes that nothing but their number tells
    apart (such as the leaves of a hub), until one of them gets an edge; this is exact. In graphs
    with more than :data:`~panda_gnn.graph.limits.DENSE_GTR_CLASSES` classes both distances are
    sketched (:mod:`panda_gnn.rewiring.gtr_sketch`): all pairs are compared by estimates with a
    relative standard error of :math:`\sqrt{2 / \mathrm{sketch}}` in memory linear in the number of
    nodes, and the best 64 of them again by solving linear systems. Time stays quadratic.

    Args:
        iterations: How many edges to add; fewer where no pair is left.
        sketch: The number of coordinates of a sketch, for graphs of any size; with ``None`` small
            graphs are exact and large ones have 64.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import total_resistance
        >>> from panda_gnn.rewiring import GTR
        >>> (ring,) = transfer("ring", 4, num_graphs=1)
        >>> rewired = GTR(iterations=1)(ring)
        >>> rewired.edge_index[:, rewired.edge_type == 1].t().tolist()
        [[0, 4], [4, 0]]
        >>> round(total_resistance(ring), 2), round(total_resistance(rewired), 2)
        (42.0, 34.0)
    """

    def __init__(self, iterations: int = 10, sketch: int | None = None) -> None:
        super().__init__()
        self.iterations = whole_number("iterations", iterations)
        self.sketch = None if sketch is None else whole_number("sketch", sketch, 1)

    def additions(self, edges: Tensor, num_nodes: int) -> Tensor:
        """The edges that are added, in order: fewer iterations give the first of them."""
        graph = rows_of_edges(edges.cpu().numpy(), num_nodes)
        twins = twin_classes(graph)
        room = min(twins.size.size + 2 * self.iterations, num_nodes)
        if self.sketch is not None or room > limits.DENSE_GTR_CLASSES:
            random = self.generator(edges, num_nodes)
            added = sketched_edges(graph, self.iterations, self.sketch or COORDINATES, random)
        else:
            added = greedy_edges(twins, *class_matrices(twins), self.iterations)
        return torch.from_numpy(added).to(edges.device)

    def rewire(self, edges: Tensor, num_nodes: int) -> Tensor:
        """The edges and their :meth:`additions`."""
        return torch.cat([edges, self.additions(edges, num_nodes)], dim=1)


def class_matrices(twins: TwinClasses) -> tuple[Int64, Float64, Float64, Float64]:
    r"""The component and :math:`1 / \mu` of every class, :math:`\mathbf{L}^+` and its square.

    On functions that are constant on classes, in the basis of normalised indicators, the Laplacian
    is the matrix with the entries :math:`-\sqrt{|C| |C'|}` for adjacent classes and, on the
    diagonal, the number of a member's neighbours outside its class.
    """
    count = twins.size.size
    source = np.repeat(np.arange(count), np.diff(twins.row_ptr))
    component = component_labels(twins.graphs)
    root = np.sqrt(twins.size)
    constant = root / np.sqrt(np.bincount(component, weights=twins.size))[component]
    kernel = np.outer(constant, constant)
    kernel[component[:, None] != component[None, :]] = 0
    laplacian = kernel.copy()
    laplacian[source, twins.neighbours] -= root[source] * root[twins.neighbours]
    laplacian[np.diag_indices(count)] += twins.degree - twins.inside
    factor = torch.linalg.cholesky(torch.from_numpy(laplacian))
    inverse = torch.cholesky_inverse(factor) - torch.from_numpy(kernel)
    square = inverse @ inverse
    scale = np.outer(root, root)
    first, second = inverse.numpy() / scale, square.numpy() / scale
    rate = twins.degree + (twins.inside > 0)
    excess = np.divide(1.0, rate, out=np.zeros(count), where=rate > 0)
    first[np.diag_indices(count)] += excess * (1 - 1 / twins.size)
    second[np.diag_indices(count)] += excess**2 * (1 - 1 / twins.size)
    return component, excess, first, second


class _State(NamedTuple):
    """The classes, with room for those that nodes form when they leave theirs."""

    #: How many nodes a class has; ``member[head]`` is the first of them, the others follow it.
    size: Int64
    head: Int64
    member: Int64
    #: Whether no edge can be added between two classes, or inside of one.
    closed: Bool
    #: The pseudo-inverse and its square, between different nodes of the classes but for the
    #: diagonal, which is that of one node and exceeds the entry between twins by ``excess``.
    excess: Float64
    inverse: Float64
    square: Float64


@compiled
def greedy_edges(
    twins: TwinClasses,
    component: Int64,
    excess: Float64,
    inverse: Float64,
    square: Float64,
    iterations: int,
) -> Int64:
    """GTR's additions ``[2, t]`` in order, each as ``u < v``."""
    count, num_nodes = twins.size.size, twins.label.size
    iterations = min(iterations, num_nodes * (num_nodes - 1) // 2)
    room = min(count + 2 * iterations, num_nodes)
    state = _State(
        np.ones(room, np.int64),
        np.zeros(room, np.int64),
        np.empty(num_nodes, np.int64),
        np.zeros((room, room), np.bool_),
        np.zeros(room),
        np.zeros((room, room)),
        np.zeros((room, room)),
    )
    state.size[:count] = twins.size
    state.head[1:count] = np.cumsum(twins.size)[: count - 1]
    place = state.head.copy()
    for v in range(num_nodes):
        state.member[place[twins.label[v]]] = v
        place[twins.label[v]] += 1
    state.excess[:count] = excess
    state.inverse[:count, :count], state.square[:count, :count] = inverse, square
    for c in range(count):
        for d in range(count):
            state.closed[c, d] = component[c] != component[d]
        state.closed[c, c] = twins.inside[c] > 0 or twins.degree[c] == 0
        for slot in range(twins.row_ptr[c], twins.row_ptr[c + 1]):
            state.closed[c, twins.neighbours[slot]] = True
    added = np.empty((2, iterations), np.int64)
    for step in range(iterations):
        u, v, s, t = _best_pair(state, count)
        if u < 0:
            return added[:, :step].copy()
        added[0, step], added[1, step] = u, v
        s, count = _alone(state, s, count)
        t, count = _alone(state, t, count)
        _join(state, s, t, count)
    return added


@compiled
def _best_pair(state: _State, count: int) -> tuple[int, int, int, int]:
    """The first pair of nodes with the greatest fall of the trace, and their classes."""
    inverse, square = state.inverse, state.square
    best, u, v, s, t = 0.0, -1, -1, -1, -1
    for c in range(count):
        for d in range(c, count):
            if d == c:
                resistance, distance = 2 * state.excess[c], 2 * state.excess[c] ** 2
            else:
                resistance = inverse[c, c] + inverse[d, d] - 2 * inverse[c, d]
                distance = square[c, c] + square[d, d] - 2 * square[c, d]
            if distance < (1 - TIE) * best * (1 + resistance) or state.closed[c, d]:
                continue
            if d == c and state.size[c] == 1:
                continue
            one = state.member[state.head[c]]
            other = state.member[state.head[d] + (d == c)]
            fall, low, high = distance / (1 + resistance), min(one, other), max(one, other)
            if fall > (1 + TIE) * best or low < u or (low == u and high < v):
                best, u, v, s, t = fall, low, high, c, d
    return u, v, s, t


@compiled
def _alone(state: _State, c: int, count: int) -> tuple[int, int]:
    """Let the first node of class ``c`` form a class; its number, and how many there are now."""
    if state.size[c] == 1:
        return c, count
    for matrix in (state.inverse, state.square):
        matrix[count, :count] = matrix[c, :count]
        matrix[:count, count] = matrix[:count, c]
        matrix[count, count] = matrix[c, c]
    state.inverse[c, count] -= state.excess[c]
    state.inverse[count, c] -= state.excess[c]
    state.square[c, count] -= state.excess[c] ** 2
    state.square[count, c] -= state.excess[c] ** 2
    state.closed[count, :count] = state.closed[c, :count]
    state.closed[:count, count] = state.closed[:count, c]
    state.head[count] = state.head[c]
    state.head[c] += 1
    state.size[c] -= 1
    return count, count + 1


@compiled
def _join(state: _State, s: int, t: int, count: int) -> None:
    """The rank-one update of both matrices for an edge between the single nodes of two classes."""
    state.closed[s, t] = state.closed[t, s] = True
    inverse, square = state.inverse, state.square
    size, excess = state.size[:count], state.excess[:count]
    v = inverse[:count, s] - inverse[:count, t]
    weighted = size * v
    w = np.empty(count)
    for c in range(count):
        w[c] = (inverse[c, :count] * weighted).sum() - (size[c] - 1) * excess[c] * v[c]
    factor = 1 / (1 + v[s] - v[t])
    w = factor * w - factor**2 * (weighted * v).sum() / 2 * v
    for c in range(count):
        for d in range(count):
            inverse[c, d] -= factor * v[c] * v[d]
            square[c, d] -= w[c] * v[d] + v[c] * w[d]
