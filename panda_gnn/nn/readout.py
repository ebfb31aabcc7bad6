"""What sees a graph as a whole: the mean over its nodes, and a last layer made of it."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch_geometric.nn import global_mean_pool

from panda_gnn.nn import kernels
from panda_gnn.nn.edges import Edges, at_least_single
from panda_gnn.nn.gin import perceptron
from panda_gnn.nn.kernels.graph_means import graph_means
from panda_gnn.nn.panda_conv import PlainConv


def graphs_of(x: Tensor, batch: Tensor | None, num_graphs: int | None) -> tuple[Tensor, int]:
    """The graph of each node and the number of graphs; without ``batch`` there is one graph."""
    if batch is None:
        return torch.zeros(x.size(0), dtype=torch.long, device=x.device), 1
    if num_graphs is None:
        num_graphs = int(batch.max()) + 1 if batch.numel() else 0
    return batch, num_graphs


def mean_of_graphs(x: Tensor, batch: Tensor, num_graphs: int) -> Tensor:
    """The mean over the nodes of each graph."""
    if kernels.apply_to(x, batch):
        return graph_means(x, batch, num_graphs)
    pooled: Tensor = global_mean_pool(x.to(at_least_single(x.dtype)), batch, num_graphs)
    return pooled.to(x.dtype)


def mean_of_roles(x: Tensor, role: Tensor, batch: Tensor, num_graphs: int) -> Tensor:
    r"""The sum over roles q of the means of :math:`\mathbf{x}^{(q)}_v` over the nodes of role q.

    Where a graph has no node of a role, that mean is 0. No share of any role is in it, so it does
    not tell how large a graph is.

    Args:
        x: For each role the states of all nodes, shape ``[num_nodes, num_roles * channels]``.
        role: One-hot roles, shape ``[num_nodes, num_roles]``.
        batch: The graph of each node.
        num_graphs: The number of graphs.
    """
    num_roles = role.size(1)
    channels = x.size(1) // num_roles
    own = (x.view(-1, num_roles, channels) * role.unsqueeze(2)).flatten(1)
    means = mean_of_graphs(own, batch, num_graphs).view(-1, num_roles, channels)
    share = mean_of_graphs(role, batch, num_graphs).clamp(min=torch.finfo(role.dtype).tiny)
    return (means / share.unsqueeze(2)).sum(dim=1)


class FullyAdjacentLast(nn.Module):
    r"""A last layer in which every node sees every node of its graph.

    All nodes of a graph get :math:`g(\mathrm{mean}_u\, \mathbf{h}_u)`, g being linear, or GIN's MLP
    for GIN; a relational backbone adds this to what its own last layer gives.
    """

    def __init__(self, backbone: str, width: int, out_channels: int, own: PlainConv) -> None:
        super().__init__()
        self.own = own if backbone in ("rgcn", "rgin") else None
        self.transform: nn.Module
        if "gin" in backbone:
            self.transform = perceptron(width, width, out_channels)
        else:
            self.transform = nn.Linear(width, out_channels)

    def forward(self, x: Tensor, edges: Edges) -> Tensor:
        """The scores of all nodes."""
        batch, num_graphs = graphs_of(x, edges.batch, edges.num_graphs)
        seen: Tensor = self.transform(mean_of_graphs(x, batch, num_graphs))[batch]
        return seen if self.own is None else seen + self.own(x, edges)
