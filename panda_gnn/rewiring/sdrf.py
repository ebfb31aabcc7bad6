"""SDRF: edges that support the most negatively curved edge."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch_geometric.data.datapipes import functional_transform

from panda_gnn.errors import choose
from panda_gnn.graph.rows import rows_of_edges
from panda_gnn.options import real_number, whole_number
from panda_gnn.rewiring.base import Rewiring, edited
from panda_gnn.rewiring.released import sdrf_actions
from panda_gnn.rewiring.sdrf_kernel import flow


@functional_transform("sdrf")
class SDRF(Rewiring):
    r"""Stochastic discrete Ricci flow, of `"Understanding over-squashing and bottlenecks on graphs
    via curvature" <https://arxiv.org/abs/2111.14522>`_.

    ``iterations`` times, take the edge :math:`(x, y)` of least balanced Forman curvature
    (:func:`~panda_gnn.diagnostics.curvature.balanced_forman_curvature`). Its candidates are the
    non-edges :math:`\{k, l\}` with :math:`k \in N(x) \cup \{x\}` and :math:`l \in N(y) \cup \{y\}`.
    One of them, drawn with probability

    .. math::
        \mathrm{softmax}_{kl} \left( \tau \left( \mathrm{Ric}_{+kl}(x, y) - \mathrm{Ric}(x, y)
        \right) \right),

    where :math:`\mathrm{Ric}_{+kl}` is the curvature in the graph with that edge, is added. With a
    ``removal_bound`` the edge that had the greatest curvature at the beginning of the iteration
    is then removed if it is above the bound. Curvatures that differ by less than 1e-9
    (:mod:`panda_gnn.graph.ties`) are equal, and of several extreme edges the first is taken; the
    loop ends early where there is nothing to add and nothing to remove.

    Args:
        iterations: How many edges to add at most.
        tau: The inverse temperature; 0 draws any candidate, ``math.inf`` only the best.
        removal_bound: The curvature above which edges are removed; ``None`` removes nothing.
        variant: ``"paper"``, or ``"released"`` for what the public code computes, which is wrong: a
            row of the matrix of curvatures is read up to the first non-neighbour only, all other
            edges count as curvature 0, and the 2-paths of an edge itself count as 4-cycles.
        seed: Seeds the draws, together with the graph.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import balanced_forman_curvature
        >>> from panda_gnn.rewiring import SDRF
        >>> (lollipop,) = transfer("lollipop", 4, num_graphs=1)  # a clique and a path
        >>> round(float(balanced_forman_curvature(lollipop).min()), 6)  # where the path begins
        -0.6
        >>> SDRF(iterations=1)(lollipop).num_edges - lollipop.num_edges
        2
    """

    version = 2

    def __init__(
        self,
        iterations: int = 10,
        tau: float = 1.0,
        removal_bound: float | None = None,
        variant: str = "paper",
        seed: int = 0,
    ) -> None:
        super().__init__(seed)
        if removal_bound is not None:
            removal_bound = real_number("removal_bound", removal_bound, "a finite number or None")
        self.iterations = whole_number("iterations", iterations)
        self.tau = real_number("tau", tau, "zero or more", least=0, infinite=True)
        self.removal_bound = removal_bound
        self.variant = choose("variant", variant, ("paper", "released"), "of SDRF")

    def actions(self, edges: Tensor, num_nodes: int) -> Tensor:
        """What is done, in order: rows ``(1, u, v)`` add the edge, rows ``(0, u, v)`` remove it.

        Fewer iterations give the first of these actions.
        """
        bound = math.inf if self.removal_bound is None else self.removal_bound
        uniform = self.generator(edges, num_nodes).random(self.iterations)
        array = edges.cpu().numpy()
        if self.variant == "released":
            actions = sdrf_actions(array, num_nodes, uniform, self.tau, bound)
        else:
            graph = rows_of_edges(array, num_nodes)
            actions = flow(graph.row_ptr, graph.neighbours, uniform, self.tau, bound)
        return torch.from_numpy(actions).to(edges.device)

    def rewire(self, edges: Tensor, num_nodes: int) -> Tensor:
        """The edges after all :meth:`actions`."""
        last = {(u, v): bool(add) for add, u, v in self.actions(edges, num_nodes).tolist()}
        added = [pair for pair, add in last.items() if add]
        removed = [pair for pair, add in last.items() if not add]
        return edited(edges, num_nodes, _as_edges(added, edges), _as_edges(removed, edges))


def _as_edges(pairs: list[tuple[int, int]], like: Tensor) -> Tensor:
    return torch.tensor(pairs, dtype=like.dtype, device=like.device).reshape(-1, 2).t()
