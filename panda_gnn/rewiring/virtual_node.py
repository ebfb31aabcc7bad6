"""Virtual nodes: one more node, joined to all others, or one for each role."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.data.datapipes import functional_transform

from panda_gnn.graph.arrays import Int64
from panda_gnn.graph.rows import GraphRows, rows_of_edges
from panda_gnn.options import whole_number
from panda_gnn.rewiring.base import Rewiring, with_virtual_nodes


@functional_transform("panda_virtual_node")
class VirtualNode(Rewiring):
    r"""A node that reads from and writes to all others, of `"Neural Message Passing for Quantum
    Chemistry" <https://arxiv.org/abs/1704.01212>`_, or one for all nodes of a role.

    The roles are what ``rounds`` rounds of colour refinement tell apart: none, the default, gives
    all nodes one role and the graph one virtual node; one round gives a role to every degree; two
    tell nodes of equal degree apart by the degrees of their neighbours. In a graph whose nodes are
    all alike there is one virtual node whatever ``rounds`` is.

    New nodes are numbered from ``num_nodes`` of the old graph on, roles in the order of their first
    node, and marked in the mask ``virtual``. Their attributes are zero (and ``False`` in masks);
    they count in a mean over all nodes, but not in the read-outs of the laboratory. Their edges are
    of type 1 in both directions, where PyG's transform has the types 1 and 2; attributes of these
    are zero, their ``edge_weight`` is one. The graph's own ``y`` is kept as it is, even if the
    graph has but one node.

    Args:
        rounds: How many rounds of colour refinement tell roles apart.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.rewiring import VirtualNode
        >>> (tree,) = transfer("tree", 3, num_graphs=1)
        >>> VirtualNode()(tree).num_nodes - tree.num_nodes
        1
        >>> VirtualNode(rounds=1)(tree).num_nodes - tree.num_nodes  # root, inner nodes, leaves
        3
    """

    version = 2
    kept = False

    def __init__(self, rounds: int = 0) -> None:
        super().__init__()
        self.rounds = whole_number("rounds", rounds)

    def spokes(self, edges: Tensor, num_nodes: int) -> Tensor:
        """An edge from every node to the new node of its role."""
        nodes = torch.arange(num_nodes, device=edges.device)
        return torch.stack([nodes, num_nodes + roles(edges, num_nodes, self.rounds)])

    def rewired_graph(self, data: Data, added_type: int) -> Data:
        """The graph with its virtual nodes."""
        simple, edges = self.simple_graph(data)
        num_nodes = int(data.num_nodes or 0)
        spokes = self.spokes(edges, num_nodes)
        count = int(spokes[1].max()) + 1 - num_nodes if num_nodes else 1
        return with_virtual_nodes(simple, count, spokes, added_type)


def roles(edges: Tensor, num_nodes: int, rounds: int) -> Tensor:
    """The role of every node after ``rounds`` of colour refinement, counted by first node."""
    role = np.zeros(num_nodes, np.int64)
    if rounds and num_nodes:
        graph = rows_of_edges(edges.cpu().numpy(), num_nodes)
        for _ in range(rounds):
            role = _refined(graph, role)
    return torch.from_numpy(role).to(edges.device)


def _refined(graph: GraphRows, role: Int64) -> Int64:
    """Nodes of one role are told apart by the roles of their neighbours, how often each occurs."""
    colours = role[graph.columns]
    colours = colours[np.lexsort((colours, graph.sources))]  # in order at each node
    told = np.empty(role.size, np.int64)
    for degree in np.unique(graph.degrees):
        nodes = np.flatnonzero(graph.degrees == degree)
        around = colours[graph.row_ptr[nodes][:, None] + np.arange(degree)]
        seen = np.unique(np.c_[role[nodes], around], axis=0, return_inverse=True)[1]
        told[nodes] = seen.reshape(-1) + nodes[0] * role.size  # other degrees, other numbers
    _, first, number = np.unique(told, return_index=True, return_inverse=True)
    rank: Int64 = np.argsort(np.argsort(first))
    return rank[number.reshape(-1)]
