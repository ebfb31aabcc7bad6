"""Cayley graph propagation: every second layer runs on a whole Cayley graph."""

from __future__ import annotations

from functools import lru_cache

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.data.datapipes import functional_transform

from panda_gnn.rewiring.base import both_directions, with_virtual_nodes
from panda_gnn.rewiring.expander import SecondEdgeSet, cayley_graph, group_size, smallest_modulus


@functional_transform("cayley")
class Cayley(SecondEdgeSet):
    r"""Cayley graph propagation, of `"Cayley Graph Propagation"
    <https://arxiv.org/abs/2410.03424>`_.

    As :class:`~panda_gnn.rewiring.Expander`, but none of the Cayley graph's nodes is left out:
    where it has more of them than the graph, virtual nodes are added, with attributes that are zero
    and marked in the mask ``virtual``. What is left of a Cayley graph of which half is cut off need
    not be an expander; the whole one is. The virtual nodes have no edges in the graph itself.

    By default the Cayley graph is written to ``expander_edge_index``, for models whose layers use
    the two in turn, such as :class:`panda_gnn.nn.GNN`. With ``interleaved=False`` its edges are
    added to the graph's. The laboratory leaves virtual nodes out of the read-out.

    Args:
        interleaved: Whether to write a second edge set rather than to change the first.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.rewiring import Cayley
        >>> (ring,) = transfer("ring", 5, num_graphs=1)
        >>> rewired = Cayley()(ring)
        >>> ring.num_nodes, rewired.num_nodes, int(rewired.virtual.sum())
        (10, 24, 14)
        >>> rewired.expander_edge_index.shape
        torch.Size([2, 96])
    """

    def rewired_graph(self, data: Data, added_type: int) -> Data:
        """The graph with virtual nodes, and with ``expander_edge_index`` or with more edges."""
        simple, edges = self.simple_graph(data)
        num_nodes = int(data.num_nodes or 0)
        modulus = smallest_modulus(num_nodes)
        size = group_size(modulus)
        cayley = whole_cayley_graph(modulus).to(edges.device)
        if self.interleaved:
            self.check_free(data, "expander_edge_index")
            result = with_virtual_nodes(simple, size - num_nodes, edges[:, :0], added_type)
            result.expander_edge_index = both_directions(cayley, size)
            if "edge_type" not in data:
                del result.edge_type
            return result
        new = ~torch.isin(cayley[0] * size + cayley[1], edges[0] * size + edges[1])
        return with_virtual_nodes(simple, size - num_nodes, cayley[:, new], added_type)


@lru_cache(maxsize=32)
def whole_cayley_graph(modulus: int) -> Tensor:
    """All edges ``u < v`` of a Cayley graph, made once."""
    return cayley_graph(modulus)
