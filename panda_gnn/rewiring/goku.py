"""GOKU: a denser graph that the given one may have come from, thinned out again."""

from __future__ import annotations

import math
from bisect import bisect_left

import numpy as np
import torch
from scipy.optimize import brentq
from torch import Tensor
from torch.nn import functional as F
from torch_geometric.data import Data
from torch_geometric.data.datapipes import functional_transform

from panda_gnn.graph import limits
from panda_gnn.graph.arrays import Float64, Int64
from panda_gnn.graph.components import component_labels
from panda_gnn.graph.rows import rows_of_edges
from panda_gnn.graph.ties import VECTOR_DECIMALS
from panda_gnn.options import real_number, whole_number
from panda_gnn.rewiring.base import Rewiring, features_of
from panda_gnn.rewiring.goku_sketch import (
    fiedler_vectors,
    greatest_mode,
    shortlisted_pairs,
    sketched_resistances,
)

#: By how much the accuracy of the assumed sparsification is lowered at a time, and how far.
EPSILON_STEP, EPSILON_LIMIT = 0.01, 2.0
#: How much the likeness of two nodes raises the chance of their edge.
LIKENESS = 0.5


@functional_transform("goku")
class GOKU(Rewiring):
    r"""Densification and sparsification, of `"Mitigating Over-Squashing in Graph Neural Networks by
    Spectrum-Preserving Sparsification" <https://arxiv.org/abs/2506.16110>`_.

    The graph with :math:`m` edges is taken for a sparsifier of a latent one, made by :math:`q`
    draws with replacement among its :math:`n` edges, so that

    .. math::
        n \left(1 - (1 - 1/n)^q\right) = m.

    The number of draws follows from an accuracy :math:`\epsilon`, :math:`q = \lfloor c / \epsilon^2
    \rfloor` with :math:`c = \frac{\ln 8}{2} (g m / \bar d)^2`, where :math:`g` is the greatest
    :math:`(x_u - x_v)^2 / \lambda` of an edge for the greatest eigenvalue :math:`\lambda` of the
    Laplacian and its eigenvector, and :math:`\bar d` the mean degree. The least :math:`\epsilon`
    whose latent graph has ``least_added`` edges more is taken, and its :math:`n - m` more edges are
    the non-adjacent pairs with the greatest :math:`|f_u - f_v| / (d_u + d_v + 1)`, where
    :math:`\mathbf{f}` is the Fiedler vector. Where :math:`q \leq m` the graph stays as it is.

    The latent graph is then sparsified: an edge is drawn with a probability :math:`p` in proportion
    to its effective resistance times :math:`1 + s/2`, where :math:`s` in [0, 1] is
    (1 + cosine) / 2 of its nodes' features and 0 without ``x``, as often as gives ``beta * m``
    different edges on average. An edge that was drawn :math:`k` times of :math:`q` has the
    ``edge_weight``

    .. math::
        \sqrt{\frac{k \, m}{q \, p \, n}},

    whose square makes the Laplacian that of the latent graph, with uniform weights of sum
    :math:`m`, on average. ``edge_type`` tells the graph's own edges from others, as with every
    rewiring here; the public code has the rounded weight there. Components are never joined, but
    may fall apart.

    In graphs of more than :data:`~panda_gnn.graph.limits.DENSE_PROXY_NODES` nodes eigenvectors are
    found by iteration, resistances are sketched, and new edges are chosen among the nodes of lowest
    degree and those at the ends of the Fiedler vector alone
    (:mod:`panda_gnn.rewiring.goku_sketch`).

    Args:
        least_added: By how many edges the latent graph must exceed the given one.
        beta: How many edges remain, as a share of those of the given graph.
        seed: Seeds the draws, together with the graph.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.rewiring import GOKU
        >>> (tree,) = transfer("tree", 4, num_graphs=1)
        >>> rewired = GOKU(least_added=5)(tree)
        >>> rewired.edge_weight.shape == (rewired.num_edges,)
        True
    """

    features = "read"
    writes = ("edge_weight",)

    def __init__(self, least_added: int = 20, beta: float = 1.0, seed: int = 0) -> None:
        super().__init__(seed)
        self.least_added = whole_number("least_added", least_added, 1)
        self.beta = real_number("beta", beta, "above zero and finite", above=0)

    def rewired(self, edges: Tensor, data: Data) -> tuple[Tensor, dict[str, Tensor]]:
        """The ``edge_index`` that remains, and ``edge_weight``."""
        num_nodes = int(data.num_nodes or 0)
        x = data.get("x")
        if isinstance(x, Tensor) and x.is_floating_point():
            x = features_of(data, type(self).__name__)
        remaining, weight = self.sparsified(edges, num_nodes, x if isinstance(x, Tensor) else None)
        after = torch.cat([remaining, remaining.flip(0)], dim=1)
        order = (after[0] * num_nodes + after[1]).argsort()
        edge_weight = weight.repeat(2)[order].to(torch.get_default_dtype())
        return after[:, order], {"edge_weight": edge_weight}

    def sparsified(self, edges: Tensor, num_nodes: int, x: Tensor | None) -> tuple[Tensor, Tensor]:
        """The edges ``[2, m]`` that remain, each with ``u < v``, and their weights."""
        count = edges.size(1)
        latent = densified(edges.cpu().numpy(), num_nodes, self.least_added)
        goal = min(round(self.beta * count), latent.shape[1])
        if latent.shape[1] == count or goal == 0:
            return edges, edges.new_ones(count, dtype=torch.float64)
        chance = resistances(latent, num_nodes, self.seed) * (1 + LIKENESS * likeness(latent, x))
        chance = chance / chance.sum()
        draws = number_of_draws(chance, goal)
        drawn = self.generator(edges, num_nodes).multinomial(draws, chance)
        kept = np.flatnonzero(drawn)
        weight = np.sqrt(drawn[kept] / (draws * chance[kept]) * count / latent.shape[1])
        remaining = torch.from_numpy(latent[:, kept]).to(edges)
        return remaining, torch.from_numpy(weight).to(edges.device)


def latent_size(count: int, draws: int) -> float:
    """The number of edges of which ``draws`` draws hit ``count`` different ones on average."""

    def surplus(size: float) -> float:
        return -size * math.expm1(draws * math.log1p(-1 / size)) - count

    high = 2.0 * count
    while surplus(high) < 0:
        high *= 2
    return float(brentq(surplus, max(count, 1 + 1e-9), high, xtol=1e-9))


def densified(edges: Int64, num_nodes: int, least_added: int) -> Int64:
    """The edges ``[2, n]`` of the latent graph, those of the given one first."""
    count = edges.shape[1]
    if count < 2:
        return edges
    graph = rows_of_edges(edges, num_nodes)
    large = num_nodes > limits.DENSE_PROXY_NODES
    degree = graph.degrees.astype(np.float64)
    if large:
        value, vector = greatest_mode(graph)
    else:
        laplacian = _laplacian(edges, num_nodes)
        values, vectors = np.linalg.eigh(laplacian)
        value, vector = values[-1], vectors[:, -1]
    share = np.square(vector[edges[0]] - vector[edges[1]]).max() / value
    wanted = _wanted(share, degree.mean(), count, least_added)
    if wanted == 0:
        return edges
    label = component_labels(graph)
    if large:
        fiedler = fiedler_vectors(graph)
        first, second = shortlisted_pairs(graph, fiedler, label, wanted)
    else:
        fiedler = _fiedler_vectors(laplacian, label)
        first, second = np.triu_indices(num_nodes, 1)
        open_to_it = np.ones((num_nodes, num_nodes), np.bool_)
        open_to_it[edges[0], edges[1]] = False
        allowed = open_to_it[first, second] & (label[first] == label[second])
        first, second = first[allowed], second[allowed]
    gain = np.abs(fiedler[first] - fiedler[second]) / (degree[first] + degree[second] + 1)
    order = np.argsort(-np.round(gain, VECTOR_DECIMALS), kind="stable")[:wanted]
    return np.concatenate([edges, np.stack([first[order], second[order]])], axis=1)


def _wanted(share: float, mean_degree: float, count: int, least_added: int) -> int:
    """How many edges more the latent graph has; 0 where the graph is its own."""
    scale = math.log(8) / 2 * (share * count / mean_degree) ** 2
    size = 0.0
    for step in range(1, round(EPSILON_LIMIT / EPSILON_STEP) + 1):
        draws = int(scale / (step * EPSILON_STEP) ** 2)
        if draws <= count:
            return 0
        size = latent_size(count, draws)
        if size >= count + least_added:
            break
    return round(size) - count


def resistances(edges: Int64, num_nodes: int, seed: int = 0) -> Float64:
    """The effective resistance of every edge, of a large graph by a sketch."""
    graph = rows_of_edges(edges, num_nodes)
    if num_nodes > limits.DENSE_PROXY_NODES:
        return sketched_resistances(graph, edges, seed)
    label = component_labels(graph)
    joined = label[:, None] == label[None, :]
    inverse = np.linalg.inv(_laplacian(edges, num_nodes) + joined / joined.sum(axis=0))
    u, v = edges
    values: Float64 = inverse[u, u] + inverse[v, v] - 2 * inverse[u, v]
    return values


def likeness(edges: Int64, x: Tensor | None) -> Float64:
    """(1 + cosine) / 2 of the features of an edge's nodes; zero where these are no real numbers."""
    if x is None or not x.is_floating_point():
        return np.zeros(edges.shape[1])
    u, v = torch.from_numpy(edges).to(x.device)
    cosine = F.cosine_similarity(x[u].double(), x[v].double(), dim=1)
    similar: Float64 = ((1 + cosine) / 2).cpu().numpy()
    return similar


def number_of_draws(chance: Float64, goal: int) -> int:
    """The least number of draws that hit ``goal`` different edges on average, to within a half."""

    def different(draws: int) -> float:
        return float(-np.expm1(draws * np.log1p(-np.minimum(chance, 1 - 1e-15))).sum())

    high = goal
    while different(high) < goal - 0.5:
        high *= 2
    return goal + bisect_left(range(goal, high), goal - 0.5, key=different)


def _laplacian(edges: Int64, num_nodes: int) -> Float64:
    matrix = np.zeros((num_nodes, num_nodes))
    matrix[edges[0], edges[1]] = matrix[edges[1], edges[0]] = -1.0
    matrix[np.diag_indices(num_nodes)] = -matrix.sum(axis=0)
    return matrix


def _fiedler_vectors(laplacian: Float64, label: Int64) -> Float64:
    """The Fiedler vector of each component at its nodes, of length one; zero at isolated ones."""
    fiedler = np.zeros(label.size)
    for number in range(label.max() + 1):
        nodes = np.flatnonzero(label == number)
        if nodes.size > 1:
            fiedler[nodes] = np.linalg.eigh(laplacian[np.ix_(nodes, nodes)])[1][:, 1]
    return fiedler
