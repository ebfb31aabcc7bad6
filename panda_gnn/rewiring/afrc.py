"""AFRC: edges by augmented Forman curvature, with thresholds that the graph sets itself."""

from __future__ import annotations

import math
import threading
import warnings

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data.datapipes import functional_transform

from panda_gnn.errors import InputError
from panda_gnn.graph.arrays import Float64, Int32, Int64
from panda_gnn.graph.compiled import compiled
from panda_gnn.graph.forman import augmented_forman
from panda_gnn.graph.rows import rows_of_edges
from panda_gnn.options import real_number, whole_number
from panda_gnn.rewiring.base import Rewiring, edited

_ONE_AT_A_TIME = threading.Lock()


@functional_transform("afrc")
class AFRC(Rewiring):
    r"""Rewiring by augmented Forman curvature, of `"Mitigating Over-Smoothing and Over-Squashing
    using Augmentations of Forman-Ricci Curvature" <https://arxiv.org/abs/2309.09384>`_.

    Two Gaussians with means :math:`m_1 \le m_2` and deviations :math:`s_1, s_2` are fitted to the
    curvatures of the graph
    (:func:`~panda_gnn.diagnostics.curvature.augmented_forman_curvature`), once. The lower bound
    lies between them, the upper bound one deviation above the upper one:

    .. math::
        \frac{m_1 s_2 + m_2 s_1}{s_1 + s_2} \qquad \textrm{and} \qquad m_2 + s_2

    In each of ``rounds`` rounds every edge :math:`(u, v)` below the lower bound gets a triangle:
    one pair out of all :math:`\{w, v\}` with :math:`w \in N(u) \setminus N(v)` and all
    :math:`\{u, w\}` with :math:`w \in N(v) \setminus N(u)`, drawn uniformly, is added. Then the
    edges above the upper bound are deleted. A round looks at the graph as it was at its beginning,
    so that the order of the edges does not matter; a pair that is drawn twice is added once. A
    graph whose edges all have the same curvature has no two Gaussians and stays as it is.

    Args:
        rounds: How many rounds.
        cycles: 3 for triangles only (AFR-3), 4 for 4-cycles too (AFR-4).
        lower_bound: Support the edges below this curvature, instead of the automatic bound.
        upper_bound: Delete the edges above this curvature, instead of the automatic bound;
            ``math.inf`` deletes nothing.
        seed: Seeds the draws, together with the graph.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.rewiring import AFRC
        >>> (lollipop,) = transfer("lollipop", 4, num_graphs=1)
        >>> rewired = AFRC(rounds=1)(lollipop)
        >>> rewired.edge_index[:, rewired.edge_type == 1].t().tolist()
        [[0, 5], [4, 6], [5, 0], [5, 7], [6, 4], [7, 5]]
    """

    def __init__(
        self,
        rounds: int = 1,
        cycles: int = 3,
        lower_bound: float | None = None,
        upper_bound: float | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(seed)
        if cycles not in (3, 4):
            raise InputError(f"cycles is the longest cycle that counts, 3 or 4, not {cycles!r}")
        for name, value in (("lower_bound", lower_bound), ("upper_bound", upper_bound)):
            if value is not None:
                real_number(name, value, "a number or None", infinite=True)
        self.rounds = whole_number("rounds", rounds)
        self.cycles = cycles
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound

    def rewire(self, edges: Tensor, num_nodes: int) -> Tensor:
        """The edges after all rounds."""
        random = self.generator(edges, num_nodes)
        lower, upper = math.nan, math.nan
        for step in range(self.rounds):
            array = edges.cpu().numpy()
            graph = rows_of_edges(array, num_nodes)
            curvature = augmented_forman(graph, self.cycles)
            if step == 0:
                lower, upper = self._bounds(curvature)
            low = array[:, curvature < lower]
            uniform = random.random(size=(low.shape[1],))
            pairs = supporting_pairs(graph.row_ptr, graph.neighbours, low, uniform)
            added = torch.from_numpy(pairs).to(edges.device)
            removed = edges[:, torch.from_numpy(curvature > upper).to(edges.device)]
            edges = edited(edges, num_nodes, added, removed)
        return edges

    def _bounds(self, curvature: Float64) -> tuple[float, float]:
        """The lower and the upper bound; nothing is below or above a bound that is ``nan``."""
        lower, upper = self.lower_bound, self.upper_bound
        if lower is not None and upper is not None:
            return lower, upper
        low, high = automatic_bounds(curvature)
        return low if lower is None else lower, high if upper is None else upper


def automatic_bounds(curvature: Float64) -> tuple[float, float]:
    """The bounds that two Gaussians give, ``nan`` for fewer than two different values."""
    if np.unique(curvature).size < 2:
        return math.nan, math.nan
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture

    mixture = GaussianMixture(2, random_state=0)
    with _ONE_AT_A_TIME, warnings.catch_warnings():  # filters are shared by all threads
        warnings.simplefilter("ignore", ConvergenceWarning)
        mixture.fit(curvature[:, None])
    order = np.argsort(mixture.means_.ravel())
    low_mean, high_mean = mixture.means_.ravel()[order]
    low_spread, high_spread = np.sqrt(mixture.covariances_.ravel()[order])
    between = low_mean * high_spread + high_mean * low_spread
    return float(between / (low_spread + high_spread)), float(high_mean + high_spread)


@compiled
def supporting_pairs(start: Int64, neighbour: Int32, edges: Int64, uniform: Float64) -> Int64:
    """One pair ``u < v`` for every column of ``edges`` that has any, picked by ``uniform``.

    The pairs of the edge ``(u, v)`` join each node that is next to one end only to the other end.
    This is 11 times faster than Python's symmetric difference of sets for 6000 edges.
    """
    pairs = np.empty_like(edges)
    count = 0
    options = np.empty((2, neighbour.size), np.int64)
    for edge in range(edges.shape[1]):
        u, v = edges[0, edge], edges[1, edge]
        size = 0
        here, there = start[u], start[v]
        while here < start[u + 1] or there < start[v + 1]:
            near = neighbour[here] if here < start[u + 1] else start.size
            far = neighbour[there] if there < start[v + 1] else start.size
            if near < far and near != v:
                options[0, size], options[1, size] = near, v
                size += 1
            elif far < near and far != u:
                options[0, size], options[1, size] = u, far
                size += 1
            here += near <= far
            there += far <= near
        if size > 0:
            a, b = options[:, int(uniform[edge] * size)]
            pairs[0, count], pairs[1, count] = min(a, b), max(a, b)
            count += 1
    return pairs[:, :count]
