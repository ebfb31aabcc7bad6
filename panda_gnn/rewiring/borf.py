"""BORF: batches of edges where the Ollivier-Ricci curvature is least."""

from __future__ import annotations

import torch
from torch import Tensor
from torch_geometric.data.datapipes import functional_transform

from panda_gnn.diagnostics.curvature import neighbour_lists
from panda_gnn.errors import choose
from panda_gnn.rewiring.base import Rewiring, edited, whole_number


@functional_transform("borf")
class BORF(Rewiring):
    r"""Batch Ollivier-Ricci flow, of `"Revisiting Over-smoothing and Over-squashing Using
    Ollivier-Ricci Curvature" <https://arxiv.org/abs/2211.15779>`_.

    In each of ``batches`` batches the Ollivier-Ricci curvature of every edge
    (:func:`~panda_gnn.diagnostics.curvature.ollivier_ricci_curvature`) is computed once. For each
    of the ``added`` edges :math:`(u, v)` of least curvature, with an optimal plan :math:`\pi` that
    moves the uniform measure on the neighbours of :math:`u` to that of :math:`v`, the pair

    .. math::
        (p, q) = \arg\max_{p, q} \pi(p, q) \, d(p, q)

    becomes an edge if it is none; then the ``removed`` edges of greatest curvature are deleted.
    Equal edges are taken in the order of their nodes. A transport problem may have many optimal
    plans, and the pair depends on which one is taken: here mass that both measures have at a node
    stays there, and among nodes that nothing tells apart the first gets the largest share.
    Nothing is drawn at random. Deleting edges can disconnect a graph, and a graph with fewer edges
    than ``batches * removed`` can lose all of them; with ``removed=0`` none is ever deleted.

    Args:
        batches: How often curvatures are computed.
        added: How many edges each batch supports.
        removed: How many edges each batch deletes.
        variant: ``"paper"``, or ``"released"`` for what the public code computes, which is wrong:
            it works on a directed copy, so that an added or removed edge is one-way, and with
            ``removed=0`` it deletes every edge the batch began with. Its result is directed.
    """

    version = 2

    def __init__(
        self, batches: int = 3, added: int = 3, removed: int = 1, variant: str = "paper"
    ) -> None:
        super().__init__()
        self.batches = whole_number("batches", batches)
        self.added = whole_number("added", added)
        self.removed = whole_number("removed", removed)
        self.variant = choose("variant", variant, ("paper", "released"), "of BORF")

    def rewired_edge_index(self, edges: Tensor, num_nodes: int) -> Tensor:
        if self.variant == "paper":
            return super().rewired_edge_index(edges, num_nodes)
        from panda_gnn.rewiring.released import borf_edge_index

        options = (self.batches, self.added, self.removed)
        result = borf_edge_index(edges.cpu().numpy(), num_nodes, *options)
        return torch.from_numpy(result).to(edges.device)

    def rewire(self, edges: Tensor, num_nodes: int) -> Tensor:
        """The edges after all batches."""
        from panda_gnn.rewiring.borf_kernel import batch

        for _ in range(self.batches):
            array = edges.cpu().numpy()
            lists = neighbour_lists(array, num_nodes)
            pairs, highest = batch(*lists, array, self.added, self.removed)
            added = torch.from_numpy(pairs).to(edges.device)
            removed = edges[:, torch.from_numpy(highest).to(edges.device)]
            edges = edited(edges, num_nodes, added, removed)
        return edges
