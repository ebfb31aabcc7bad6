"""Any number of roles, each with a width of its own: PANDA is the case of two."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch_geometric.nn.inits import glorot, reset

from panda_gnn.errors import InputError
from panda_gnn.nn.edges import Edges
from panda_gnn.nn.explain import EdgeMask
from panda_gnn.nn.kernels.updating import Activation, update
from panda_gnn.nn.panda_conv import Factory
from panda_gnn.nn.partition import NodePartition
from panda_gnn.nn.role_conv import own_convolution, roles_of
from panda_gnn.nn.selectors import selector as make_selector
from panda_gnn.options import whole_number

States = Sequence[Tensor]
"""The states of the nodes of each role."""


class RolePartition(NodePartition):
    """Nodes and edges of a graph split by role; what is split is kept with the edges.

    Args:
        edges: The edges of the graph, with the role of each node.
        num_roles: The number of roles.

    Example:
        >>> import torch
        >>> from panda_gnn.nn import Edges, RolePartition
        >>> edge_index, role = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), torch.tensor([0, 1, 0])
        >>> edges = Edges.of_graph(edge_index, 3, role=role)
        >>> partition = RolePartition(edges, 2)
        >>> [nodes.tolist() for nodes in partition.nodes]
        [[0, 2], [1]]
        >>> partition.merge(partition.split(torch.rand(3, 7))).shape
        torch.Size([3, 7])
    """

    def __init__(self, edges: Edges, num_roles: int) -> None:
        self.whole, self.num_roles = edges, num_roles
        roles_of(edges, num_roles)

    @property
    def role(self) -> Tensor:
        """The role of each node."""
        return roles_of(self.whole, self.num_roles)

    crossing = NodePartition.edges_between

    def split(self, x: Tensor) -> list[Tensor]:
        """The rows of the nodes of each role."""
        return [x.index_select(0, nodes) for nodes in self.nodes]

    def merge(self, x: States) -> Tensor:
        """The rows of all nodes in the graph's order; all roles must have one width."""
        merged = x[0].new_empty((self.role.numel(), x[0].size(1)))
        return merged.index_copy(0, torch.cat(list(self.nodes)), torch.cat(list(x)))


class RoleWidthConv(nn.Module):
    r"""A convolution of one's own, and a width of one's own, for the nodes of each role.

    .. math::
        \mathbf{H}'_q = \mathrm{MPNN}_q\big( \{\mathbf{m}_{uv}\}_{v\,\mathrm{of\ role}\,q} \big),
        \qquad
        \mathbf{m}_{uv} = \begin{cases}
        \mathbf{h}_u & \text{if roles } p = \rho(u) \text{ and } q \text{ have one width} \\
        \mathbf{W}_{pq} \mathbf{h}_u & \text{if } q \text{ is wider} \\
        g_{pq}(\mathbf{h}_v, \mathbf{h}_u) & \text{if } q \text{ is narrower}
        \end{cases}

    g is a selector of :mod:`panda_gnn.nn.selectors`. With two roles, the k most central nodes and
    the others, this is :class:`~panda_gnn.nn.PandaConv`.

    Args:
        conv: Makes the convolution from input and output width, such as
            :class:`~panda_gnn.nn.GCNLayer`.
        in_channels: The input width of each role.
        out_channels: The output width of each role.
        selector: ``"topk"`` (the paper), ``"sorted"``, ``"gated"``, ``"gated-fixed"`` or
            ``"linear"``.
        activation: Applied to what the convolutions return.
        residual: Add the input where it is as wide as the output.

    Shapes:
        - **input:** for each role q the states :math:`(|V_q|, F_q)` of its nodes, and
          :class:`~panda_gnn.nn.Edges` whose ``role`` holds the :math:`|V|` roles
        - **output:** for each role q the states :math:`(|V_q|, F'_q)`

    Example:
        >>> import torch
        >>> from panda_gnn.nn import Edges, GCNLayer, RoleWidthConv
        >>> edge_index, role = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), torch.tensor([0, 1, 0])
        >>> edges = Edges.of_graph(edge_index, 3, role=role)
        >>> states = [torch.rand(2, 8), torch.rand(1, 12)]  # two narrow nodes and a wide one
        >>> out = RoleWidthConv(GCNLayer, (8, 12), (8, 12))(states, edges)
        >>> [tuple(state.shape) for state in out]
        [(2, 8), (1, 12)]
    """

    def __init__(
        self,
        conv: Factory,
        in_channels: Sequence[int],
        out_channels: Sequence[int],
        *,
        selector: str = "topk",
        activation: Activation | None = None,
        residual: bool = False,
    ) -> None:
        super().__init__()
        self.in_channels, self.out_channels = (
            tuple(whole_number(name, width, 1) for width in channels)
            for name, channels in (("in_channels", in_channels), ("out_channels", out_channels))
        )
        self.num_roles = len(self.in_channels)
        if self.num_roles != len(self.out_channels) or self.num_roles == 0:
            raise InputError(
                f"in_channels are {self.in_channels} and out_channels {self.out_channels}: give "
                "one width of each for every role"
            )
        self.activation = activation
        self.residual = residual
        self.edge_mask = EdgeMask()
        channels = zip(self.in_channels, self.out_channels, strict=True)
        self.convs = nn.ModuleList(own_convolution(conv, i, o) for i, o in channels)
        self.expand, self.select = nn.ModuleDict(), nn.ModuleDict()
        for p, wide in enumerate(self.in_channels):
            for q, narrow in enumerate(self.in_channels):
                if wide > narrow:
                    self.select[f"{p} to {q}"] = make_selector(selector, narrow, wide)
                    self.expand[f"{q} to {p}"] = nn.Linear(narrow, wide, bias=False)
        self._reset_expand()

    def _reset_expand(self) -> None:
        for linear in self.expand.values():
            glorot(linear.weight)

    def reset_parameters(self) -> None:
        """Reset the parameters."""
        for modules in (self.convs, self.select.values()):
            for module in modules:
                reset(module)
        self._reset_expand()

    def forward(self, x: States, edges: Edges, dropout: float = 0.0) -> list[Tensor]:
        """The new states of the nodes of each role; ``dropout`` is the probability of zero, in
        evaluation too."""
        partition = RolePartition(self.edge_mask.of(edges), self.num_roles)
        found = [tuple(part.shape) for part in x]
        sizes = (nodes.numel() for nodes in partition.nodes)
        expected = [*zip(sizes, self.in_channels, strict=True)]
        if found != expected:
            raise InputError(
                f"x has parts of the shapes {found}, but the nodes of each role and the widths "
                f"need {expected}"
            )
        return [self._of_role(q, x, partition, dropout) for q in range(self.num_roles)]

    def _of_role(self, q: int, x: States, partition: RolePartition, dropout: float) -> Tensor:
        sources, selecting = [x[q]], []
        for p in range(self.num_roles):
            name = f"{p} to {q}"
            if name in self.select:
                selecting.append(p)
                sources.append(self.select[name](x[q], x[p], partition.crossing(p, q)))
            elif p != q:
                sources.append(self.expand[name](x[p]) if name in self.expand else x[p])
        edges = partition.into(q, tuple(selecting))
        out = self.convs[q]((torch.cat(sources), x[q]), edges)
        return update(out, x[q], self.activation, self.residual, dropout)

    def extra_repr(self) -> str:
        """The widths."""
        return f"in_channels={self.in_channels}, out_channels={self.out_channels}"
