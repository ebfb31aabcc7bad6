"""Edges among the most central nodes: PANDA's criterion, used to rewire."""

from __future__ import annotations

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.data.datapipes import functional_transform

from panda_gnn.centrality import CENTRALITIES
from panda_gnn.errors import choose
from panda_gnn.options import whole_number
from panda_gnn.rewiring.base import Rewiring, both_directions
from panda_gnn.transforms import ExpandWidth


@functional_transform("central_edges")
class CentralEdges(Rewiring):
    """Makes the k most central nodes adjacent to each other.

    These are the nodes that :class:`~panda_gnn.transforms.ExpandWidth` marks for PANDA to widen.
    Here the same nodes get edges instead of width, so that the two remedies can be compared: at
    most ``k (k - 1) / 2`` edges are added. Nobody has proposed this as a rewiring; it is a control.

    Args:
        k: How many nodes; all of them where a graph has no more.
        centrality: One of the measures of :func:`panda_gnn.centrality.centrality`.
        seed: Seed of the measure ``random``.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.rewiring import CentralEdges
        >>> (lollipop,) = transfer("lollipop", 4, num_graphs=1)
        >>> rewired = CentralEdges(k=3, centrality="closeness")(lollipop)
        >>> rewired.edge_index[:, rewired.edge_type == 1].t().tolist()
        [[0, 5], [5, 0]]
    """

    def __init__(self, k: int = 5, centrality: str = "betweenness", seed: int = 0) -> None:
        super().__init__(seed)
        self.k = whole_number("k", k)
        self.centrality = choose("centrality", centrality, CENTRALITIES)

    def rewire(self, edges: Tensor, num_nodes: int) -> Tensor:
        """The edges, and those among the most central nodes."""
        graph = Data(edge_index=both_directions(edges, num_nodes), num_nodes=num_nodes)
        high = ExpandWidth(self.centrality, self.k, seed=self.seed)(graph).high.nonzero().view(-1)
        first, second = torch.triu_indices(high.numel(), high.numel(), 1, device=edges.device)
        both = torch.cat([edges, torch.stack([high[first], high[second]])], dim=1)
        union: Tensor = torch.unique(both, dim=1)
        return union
