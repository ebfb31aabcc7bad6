"""A graph convolution with weights of its own for every pair of roles."""

from __future__ import annotations

from typing import NamedTuple, cast

import torch
from torch import Tensor, nn
from torch_geometric.nn.inits import glorot, zeros

from panda_gnn.nn.convolution import Convolution
from panda_gnn.nn.edges import Edges
from panda_gnn.nn.propagate import propagate
from panda_gnn.nn.role_conv import roles_of
from panda_gnn.options import whole_number


class _PairEdges(NamedTuple):
    """Edges whose sources are pairs of a node and a target's role.

    Attributes:
        order: The nodes, sorted by role.
        counts: How many nodes each role has.
        edges: Source ``i * num_roles + q`` is what the i-th node of ``order`` sends to nodes of
            role q; the self-loops come after the edges of the graph, if there are any.
    """

    order: Tensor
    counts: list[int]
    edges: Edges


class RolePairsGCN(Convolution):
    r"""GCN with weights for every pair of roles.

    .. math::
        \mathbf{h}'_v = \sum_{u \in \mathcal{N}(v)} \frac{1}{\sqrt{d_u d_v}}
        \mathbf{W}_{\rho(v) \rho(u)} \mathbf{h}_u + \mathbf{b}

    The role of u decides as well as that of v, so the weights see a direction even where the graph
    has none. This is an R-GCN whose relations are the pairs of roles, with GCN's normalisation in
    place of the mean over each relation. All pairs start with the same matrix, so the layer starts
    as GCN.

    Every node is mapped once for each role that may listen; no message is computed that nobody
    hears, and no sum is larger than that of GCN.

    Args:
        in_channels: Input width.
        out_channels: Output width.
        num_roles: The number of roles.
        self_loops: Count every node among its own neighbours, as PyG's ``GCNConv`` does.
        bias: Whether there is a bias.

    Shapes:
        - **input:** states :math:`(|V|, F)` and :class:`~panda_gnn.nn.Edges` whose ``role`` holds
          the :math:`|V|` roles
        - **weight:** :math:`(r, F, r, F')`: role of the source, its state, role of the target, its
          new state
        - **output:** states :math:`(|V|, F')`

    Example:
        >>> import torch
        >>> from panda_gnn.nn import Edges, RolePairsGCN
        >>> edge_index, role = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), torch.tensor([0, 1, 0])
        >>> edges = Edges.of_graph(edge_index, 3, role=role)
        >>> RolePairsGCN(7, 16, num_roles=2)(torch.rand(3, 7), edges).shape
        torch.Size([3, 16])
    """

    reads = ("edge_weight",)

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        num_roles: int,
        self_loops: bool = True,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_roles = whole_number("num_roles", num_roles, 1)
        self.self_loops = self_loops
        self.weight = nn.Parameter(torch.empty(num_roles, in_channels, num_roles, out_channels))
        self.bias = nn.Parameter(torch.zeros(out_channels)) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reset the parameters: one matrix for all pairs by Glorot's rule, the bias zero."""
        shared = torch.empty_like(self.weight[0, :, 0])
        glorot(shared)
        with torch.no_grad():
            self.weight.copy_(shared.unsqueeze(1).expand_as(self.weight))
        zeros(self.bias)

    def forward(self, x: Tensor, edges: Edges) -> Tensor:
        """The new states of all nodes."""
        roles_of(edges, self.num_roles)
        pairs: _PairEdges = edges.derive(
            ("role pairs", self.num_roles, self.self_loops), lambda: self._pairs(edges)
        )
        parts = x.index_select(0, pairs.order).split(pairs.counts)
        sent = [part @ weight.flatten(1) for part, weight in zip(parts, self.weight, strict=True)]
        weight, loop = edges.norm(self.self_loops, x.dtype)
        weight = cast(Tensor, edges.masked(weight))
        if loop is not None:
            weight = torch.cat([weight, loop])
        sources = torch.cat(sent).view(-1, self.weight.size(-1))
        out = propagate(sources, pairs.edges, weight)
        return out if self.bias is None else out + self.bias

    def _pairs(self, edges: Edges) -> _PairEdges:
        role = roles_of(edges, self.num_roles)
        order = role.argsort(stable=True)
        place = torch.empty_like(order)
        place[order] = torch.arange(order.numel(), device=order.device)
        source, target = edges.edge_index
        if self.self_loops:
            node = torch.arange(edges.num_targets, device=source.device)
            source, target = torch.cat([source, node]), torch.cat([target, node])
        index = torch.stack([place[source] * self.num_roles + role[target], target])
        counts = torch.bincount(role, minlength=self.num_roles).tolist()
        sources = edges.num_targets * self.num_roles
        return _PairEdges(order, counts, Edges(index, sources, edges.num_targets))

    def extra_repr(self) -> str:
        """The number of roles and the self-loops."""
        return f"num_roles={self.num_roles}, self_loops={self.self_loops}"
