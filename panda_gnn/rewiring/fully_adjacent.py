"""FA: every node sees every other node, in every layer."""

from __future__ import annotations

import torch
from torch import Tensor
from torch_geometric.data.datapipes import functional_transform

from panda_gnn.graph import limits
from panda_gnn.rewiring.base import Rewiring


@functional_transform("fully_adjacent")
class FullyAdjacent(Rewiring):
    r"""The fully adjacent graph, of `"On the Bottleneck of Graph Neural Networks and its Practical
    Implications" <https://arxiv.org/abs/2006.05205>`_, for every layer.

    All :math:`n (n - 1)` ordered pairs of different nodes become edges. For the last layer only,
    see the option ``last_layer_fa`` of :class:`panda_gnn.nn.GNN`, which needs no edges at all.
    Graphs of more than :data:`~panda_gnn.graph.limits.FULLY_ADJACENT_NODES` nodes are rejected.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.rewiring import FullyAdjacent
        >>> (ring,) = transfer("ring", 4, num_graphs=1)
        >>> FullyAdjacent()(ring).num_edges
        56
    """

    kept = False

    def __init__(self) -> None:
        super().__init__()

    def rewire(self, edges: Tensor, num_nodes: int) -> Tensor:
        """All pairs."""
        instead = "the option last_layer_fa of panda_gnn.nn.GNN, which makes no edges,"
        limit = limits.FULLY_ADJACENT_NODES
        limits.refuse_above(limit, num_nodes, "FullyAdjacent", instead)
        return torch.triu_indices(num_nodes, num_nodes, 1, device=edges.device)
