"""A virtual node: one more node, joined to all others."""

from __future__ import annotations

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.data.datapipes import functional_transform
from torch_geometric.transforms import VirtualNode as PyGVirtualNode

from panda_gnn.rewiring.base import Rewiring, both_directions, with_edges


@functional_transform("panda_virtual_node")
class VirtualNode(Rewiring):
    r"""A node that reads from and writes to all others, of `"Neural Message Passing for Quantum
    Chemistry" <https://arxiv.org/abs/1704.01212>`_, by PyG's transform of the same name.

    This is the one rewiring that adds a node, with the number ``num_nodes`` of the old graph: its
    attributes are zero (and ``False`` in masks), and it counts in a mean over the nodes. Its edges
    are of type 1 in both directions, where PyG has the types 1 and 2; their attributes are zero,
    their ``edge_weight`` is one. The graph's own ``y`` is kept as it is, even if the graph has but
    one node.
    """

    def __init__(self) -> None:
        super().__init__()

    def rewire(self, edges: Tensor, num_nodes: int) -> Tensor:
        """The edges, and one from every node to the new node."""
        nodes = torch.arange(num_nodes, device=edges.device)
        return torch.cat([edges, torch.stack([nodes, torch.full_like(nodes, num_nodes)])], dim=1)

    def rewired_graph(self, data: Data, added_type: int) -> Data:
        """The graph with one more node."""
        before, place = self.edges_of(data)
        simple = with_edges(data, before, place, both_directions(before, int(data.num_nodes or 0)))
        result: Data = PyGVirtualNode()(simple)
        result.edge_type[simple.num_edges :] = added_type
        if data.num_nodes == 1 and "y" in data:
            result.y = data.y
        return result
