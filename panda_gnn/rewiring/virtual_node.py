"""Virtual nodes: one more node, joined to all others, or one for each role."""

from __future__ import annotations

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.data.datapipes import functional_transform

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
    neighbours: list[list[int]] = [[] for _ in range(num_nodes)]
    for u, v in edges.t().tolist():
        neighbours[u].append(v)
        neighbours[v].append(u)
    role = [0] * num_nodes
    for _ in range(rounds):
        seen = [(role[v], tuple(sorted(role[u] for u in neighbours[v]))) for v in range(num_nodes)]
        number = {colour: place for place, colour in enumerate(dict.fromkeys(seen))}
        role = [number[colour] for colour in seen]
    return torch.tensor(role, dtype=torch.long, device=edges.device)
