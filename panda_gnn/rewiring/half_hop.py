"""Half-hop: slow nodes on the edges, so that messages take two layers for a hop."""

from __future__ import annotations

import torch
from torch_geometric.data import Data
from torch_geometric.data.datapipes import functional_transform
from torch_geometric.transforms import HalfHop as PyGHalfHop

from panda_gnn.options import real_number
from panda_gnn.rewiring.base import Rewiring, features_of, with_virtual_nodes


@functional_transform("panda_half_hop")
class HalfHop(Rewiring):
    r"""Half-hop, of `"Half-Hop: A Graph Upsampling Approach for Slowing Down Message Passing"
    <https://openreview.net/forum?id=lXczFIwQkv>`_, by PyG's transform of the same name.

    A share ``p`` of the nodes is drawn. Every edge :math:`u \to v` into a drawn node is replaced by
    a slow node :math:`w` with the features
    :math:`\alpha \mathbf{x}_u + (1 - \alpha) \mathbf{x}_v` and the edges :math:`u \to w`,
    :math:`w \to v` and :math:`v \to w`: the result is directed, the only one here that is. Slow
    nodes come after the others and are marked in the mask ``virtual``; edges to and from them are
    of type 1. Attributes of nodes other than ``x`` are zero for them. A graph needs ``x`` of
    floating point. Attributes of edges have no meaning on half an edge: ``edge_attr`` and others
    are dropped, ``edge_weight`` and ``edge_type`` are rejected.

    Args:
        alpha: How much of a slow node is the source of its edge.
        p: The probability of a node to be slowed down.
        seed: Seeds the draws, together with the graph.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.rewiring import HalfHop
        >>> (ring,) = transfer("ring", 3, num_graphs=1)
        >>> rewired = HalfHop()(ring)
        >>> rewired.num_nodes, int(rewired.virtual.sum())  # one slow node for each directed edge
        (18, 12)
    """

    kept = False

    def __init__(self, alpha: float = 0.5, p: float = 1.0, seed: int = 0) -> None:
        super().__init__(seed)
        self.alpha = real_number("alpha", alpha, "between 0 and 1", least=0, most=1)
        self.p = real_number("p", p, "between 0 and 1", least=0, most=1)

    def rewired_graph(self, data: Data, added_type: int) -> Data:
        """The graph with its slow nodes."""
        x = features_of(data, type(self).__name__)
        self.check_free(data, "edge_weight", "edge_type")
        simple, edges = self.simple_graph(data)
        num_nodes = int(data.num_nodes or 0)
        for key in simple.edge_attrs():
            if "index" not in key and key != "y":
                del simple[key]
        seed = int(self.generator(edges, num_nodes).integers(2**31))
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            half = PyGHalfHop(self.alpha, self.p)(
                Data(x=x, edge_index=simple.edge_index, num_nodes=num_nodes)
            )
        result = with_virtual_nodes(simple, half.x.size(0) - num_nodes, edges[:, :0], added_type)
        result.x, result.edge_index = half.x, half.edge_index
        result.edge_type = (half.edge_index >= num_nodes).any(dim=0).long() * added_type
        return result
