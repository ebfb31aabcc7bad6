"""LASER: edges to distant nodes, those with the fewest walks first, one relation per distance."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch_geometric.data.datapipes import functional_transform

from panda_gnn.diagnostics.curvature import neighbour_lists
from panda_gnn.errors import InputError
from panda_gnn.rewiring.base import Rewiring, whole_number, with_edges


@functional_transform("laser")
class LASER(Rewiring):
    r"""Locality-aware sequential rewiring, of `"Locality-Aware Graph-Rewiring in GNNs"
    <https://arxiv.org/abs/2310.01668>`_.

    For every distance :math:`r = 2, \dots, R` and every node :math:`i`, among the nodes
    :math:`j > i` at distance exactly :math:`r` (so that each pair is offered once), the fraction
    ``rho`` with the smallest number of walks of length 8,

    .. math::
        \left((\mathbf{A} + \mathbf{I})^8\right)_{ij},

    rounded down but at least one, ties at random, become edges of relation :math:`r`. Their
    ``edge_type`` is :math:`r - 1`, so that 0 stands for the original edges and ``snapshots`` is the
    number of relations; R-GCN and R-GIN give each relation weights of its own.

    Args:
        snapshots: The greatest distance R, at least 1 (which adds nothing).
        rho: The fraction of the nodes at each distance, in (0, 1].
        walk_length: The length of the walks that are counted.
        seed: Seeds the order of ties, together with the graph.
    """

    def __init__(
        self, snapshots: int = 3, rho: float = 0.5, walk_length: int = 8, seed: int = 0
    ) -> None:
        super().__init__(seed)
        if whole_number("snapshots", snapshots) < 1:
            raise InputError("snapshots counts the graph itself, so it must be at least 1, not 0")
        if not 0 < rho <= 1:
            raise InputError(f"rho is a fraction and must be above 0 and at most 1, not {rho}")
        self.snapshots = snapshots
        self.rho = rho
        self.walk_length = whole_number("walk_length", walk_length)

    def additions(self, edges: Tensor, num_nodes: int) -> tuple[Tensor, Tensor]:
        """The edges that are added, and their distance in the graph."""
        from panda_gnn.rewiring.laser_kernel import distant_edges

        seed = int(self.generator(edges, num_nodes).integers(2**32))
        lists = neighbour_lists(edges.cpu().numpy(), num_nodes)
        added, distance = distant_edges(*lists, self.snapshots, self.rho, self.walk_length, seed)
        device = edges.device
        return torch.from_numpy(added).to(device), torch.from_numpy(distance).to(device)

    def rewire(self, edges: Tensor, num_nodes: int) -> Tensor:
        """The edges and those of all new relations."""
        return torch.cat([edges, self.additions(edges, num_nodes)[0]], dim=1)

    def forward(self, data: Any) -> Any:
        """The rewired graph; ``edge_type`` is the distance of its two nodes before, minus one."""
        before, place = self.edges_of(data)
        num_nodes = int(data.num_nodes)
        added, distance = self.additions(before, num_nodes)
        kind = torch.cat([torch.zeros_like(before[0]), distance - 1]).repeat(2)
        after = torch.cat([before, added], dim=1)
        after = torch.cat([after, after.flip(0)], dim=1)
        order = (after[0] * num_nodes + after[1]).argsort()
        result = with_edges(data, before, place, after[:, order])
        result.edge_type = kind[order]
        return result
