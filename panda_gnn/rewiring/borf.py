"""BORF: batches of edges where the Ollivier-Ricci curvature is least."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.data.datapipes import functional_transform

from panda_gnn.errors import choose
from panda_gnn.graph.arrays import Int64
from panda_gnn.graph.compiled import compiled
from panda_gnn.graph.forman import adjacent
from panda_gnn.graph.ollivier import heaviest_pair, ollivier_ricci
from panda_gnn.graph.rows import GraphRows, rows_of_edges
from panda_gnn.graph.twins import TwinClasses, twin_classes
from panda_gnn.options import whole_number
from panda_gnn.rewiring.base import Rewiring, edited
from panda_gnn.rewiring.released import borf_edge_index


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

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.rewiring import BORF
        >>> (lollipop,) = transfer("lollipop", 4, num_graphs=1)  # a clique and a path
        >>> rewired = BORF(batches=1, added=1, removed=0)(lollipop)
        >>> lollipop.num_edges, rewired.num_edges
        (26, 28)
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

    def rewired(self, edges: Tensor, data: Data) -> tuple[Tensor, dict[str, Tensor]]:
        if self.variant == "paper":
            return super().rewired(edges, data)
        options = (int(data.num_nodes or 0), self.batches, self.added, self.removed)
        result = borf_edge_index(edges.cpu().numpy(), *options)
        return torch.from_numpy(result).to(edges.device), {}

    def rewire(self, edges: Tensor, num_nodes: int) -> Tensor:
        """The edges after all batches."""
        for _ in range(self.batches):
            array = edges.cpu().numpy()
            graph = rows_of_edges(array, num_nodes)
            pairs, highest = one_batch(graph, twin_classes(graph), array, self.added, self.removed)
            added = torch.from_numpy(pairs).to(edges.device)
            removed = edges[:, torch.from_numpy(highest).to(edges.device)]
            edges = edited(edges, num_nodes, added, removed)
        return edges


@compiled
def one_batch(
    graph: GraphRows, twins: TwinClasses, edges: Int64, added: int, removed: int
) -> tuple[Int64, Int64]:
    """The non-edges ``[2, t]`` that become edges, and the columns of ``edges`` to delete.

    ``edges`` is in lexicographic order, and so are the columns among edges of equal curvature.
    """
    curvature = ollivier_ricci(twins, edges, added, removed)
    lowest = np.argsort(curvature, kind="mergesort")[:added]
    highest = np.argsort(-curvature, kind="mergesort")[:removed]
    untouched = np.full(twins.first.size, -1, np.int64)
    pairs = np.empty((2, lowest.size), np.int64)
    count = 0
    for edge in lowest:
        low, high = heaviest_pair(twins, edges[0, edge], edges[1, edge], untouched)
        if not adjacent(graph.row_ptr, graph.neighbours, low, high):
            pairs[0, count], pairs[1, count] = low, high
            count += 1
    return pairs[:, :count], highest
