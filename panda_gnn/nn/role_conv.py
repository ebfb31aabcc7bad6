"""A convolution that treats the roles of nodes differently: by a gain, or by a low-rank change."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric.nn.inits import glorot, reset

from panda_gnn.errors import InputError
from panda_gnn.nn.convolution import Convolution
from panda_gnn.nn.edges import Edges
from panda_gnn.nn.inputs import check_factory
from panda_gnn.nn.panda_conv import Factory
from panda_gnn.nn.partition import Pair
from panda_gnn.options import whole_number


def roles_of(edges: Edges, num_roles: int) -> Tensor:
    """The role of each target, from 0 to ``num_roles - 1``."""
    role = edges.role
    if role is None:
        raise InputError(
            "the edges have no roles: pass role=data.role, written by "
            "panda_gnn.transforms.AssignRoles"
        )

    def check() -> None:
        if role.numel() and not 0 <= int(role.min()) <= int(role.max()) < num_roles:
            raise InputError(
                f"role goes from {int(role.min())} to {int(role.max())}, but there are "
                f"num_roles={num_roles}: roles must be 0 to {num_roles - 1}"
            )

    if not torch.compiler.is_compiling():
        edges.derive(("roles checked", num_roles), check)
    return role


def one_hot_roles(edges: Edges, num_roles: int, dtype: torch.dtype) -> Tensor:
    """For each target a 1 in the column of its role and 0 elsewhere: ``[num_targets, num_roles]``.

    A matrix product with it looks up a row for each node, and is faster than an index in the
    backward pass.
    """

    def compute() -> Tensor:
        return F.one_hot(roles_of(edges, num_roles), num_roles).to(dtype)

    return cast(Tensor, edges.derive(("one-hot roles", num_roles, dtype), compute))


class RoleConv(Convolution):
    r"""One of our convolutions, what it gives being changed by the role of the node.

    Roles are those of the :class:`~panda_gnn.nn.Edges` it is called with.

    Args:
        conv: Makes the convolution from input and output width, such as
            :class:`~panda_gnn.nn.GCNLayer`.
        in_channels: Input width.
        out_channels: Output width.
        num_roles: The number of roles.

    Shapes:
        - **input:** states :math:`(|V|, F)` and :class:`~panda_gnn.nn.Edges` whose ``role`` holds
          the :math:`|V|` roles
        - **output:** states :math:`(|V|, F')`

    Example:
        >>> import torch
        >>> from panda_gnn.nn import Edges, GCNLayer, RoleConv
        >>> class Louder(RoleConv):
        ...     def change(self, out, edges):
        ...         return out * (1 + edges.role.view(-1, 1))
        >>> edge_index, role = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), torch.tensor([0, 1, 0])
        >>> edges = Edges.of_graph(edge_index, 3, role=role)
        >>> Louder(GCNLayer, 7, 16, num_roles=2)(torch.rand(3, 7), edges).shape
        torch.Size([3, 16])
    """

    reads = ()

    def __init__(
        self, conv: Factory, in_channels: int, out_channels: int, *, num_roles: int
    ) -> None:
        super().__init__()
        self.conv = own_convolution(conv, in_channels, out_channels)
        self.num_roles = whole_number("num_roles", num_roles, 1)

    def forward(self, x: Tensor | Pair, edges: Edges) -> Tensor:
        """The new states of the targets."""
        return self.change(self.conv(x, edges), edges)

    def change(self, out: Tensor, edges: Edges) -> Tensor:
        """What the roles make of the states ``out`` that the convolution gives."""
        raise NotImplementedError

    def extra_repr(self) -> str:
        """The number of roles."""
        return f"num_roles={self.num_roles}"


class RoleGain(RoleConv):
    r"""A convolution with a gain and a bias for each role, on shared weights.

    .. math::
        \mathbf{h}'_v = \boldsymbol{\gamma}_{\rho(v)} \odot \mathrm{MPNN}(\mathbf{H})_v +
        \boldsymbol{\beta}_{\rho(v)}

    :math:`\rho(v)` is the role of v. Gains start at one and biases at zero, so the layer starts as
    the convolution. Arguments and shapes are those of :class:`RoleConv`.

    Args:
        conv: Makes the convolution from input and output width.
        in_channels: Input width.
        out_channels: Output width.
        num_roles: The number of roles.

    Shapes:
        - **input:** states :math:`(|V|, F)` and :class:`~panda_gnn.nn.Edges` with roles
        - **output:** states :math:`(|V|, F')`

    Example:
        >>> import torch
        >>> from panda_gnn.nn import Edges, GCNLayer, RoleGain
        >>> edge_index, role = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), torch.tensor([0, 1, 0])
        >>> edges = Edges.of_graph(edge_index, 3, role=role)
        >>> RoleGain(GCNLayer, 7, 16, num_roles=2)(torch.rand(3, 7), edges).shape
        torch.Size([3, 16])
    """

    def __init__(
        self, conv: Factory, in_channels: int, out_channels: int, *, num_roles: int
    ) -> None:
        super().__init__(conv, in_channels, out_channels, num_roles=num_roles)
        self.gain = nn.Parameter(torch.ones(num_roles, out_channels))
        self.bias = nn.Parameter(torch.zeros(num_roles, out_channels))

    def reset_parameters(self) -> None:
        """Reset the parameters."""
        reset(self.conv)
        nn.init.ones_(self.gain)
        nn.init.zeros_(self.bias)

    def change(self, out: Tensor, edges: Edges) -> Tensor:
        """The states times the gain of their role, plus its bias."""
        role = one_hot_roles(edges, self.num_roles, out.dtype)
        return torch.addmm(out * (role @ self.gain), role, self.bias)


class RoleLowRank(RoleConv):
    r"""A convolution with a low-rank change of its weights for each role.

    .. math::
        \mathbf{h}'_v = \big(\mathbf{I} + \mathbf{U}_{\rho(v)} \mathbf{V}_{\rho(v)}^\top\big)\,
        \mathrm{MPNN}(\mathbf{H})_v, \qquad
        \mathbf{U}_\rho, \mathbf{V}_\rho \in \mathbb{R}^{F' \times k}

    For a convolution that ends in a linear map :math:`\mathbf{W}`, as GCN and GIN do, role
    :math:`\rho` has the weights :math:`\mathbf{W} + \mathbf{U}_\rho (\mathbf{V}_\rho^\top
    \mathbf{W})`, which differ from the shared ones by a matrix of rank k or less (and so has its
    bias). :math:`\mathbf{U}` starts at zero, so the layer starts as the convolution.

    Args:
        conv: As in :class:`RoleConv`, and so are the widths, the number of roles and the shapes.
        in_channels: Input width.
        out_channels: Output width.
        num_roles: The number of roles.
        rank: The rank k.

    Shapes:
        - **input:** states :math:`(|V|, F)` and :class:`~panda_gnn.nn.Edges` with roles
        - **output:** states :math:`(|V|, F')`

    Example:
        >>> import torch
        >>> from panda_gnn.nn import Edges, GCNLayer, RoleLowRank
        >>> edge_index, role = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), torch.tensor([0, 1, 0])
        >>> edges = Edges.of_graph(edge_index, 3, role=role)
        >>> RoleLowRank(GCNLayer, 7, 16, num_roles=2, rank=1)(torch.rand(3, 7), edges).shape
        torch.Size([3, 16])
    """

    def __init__(
        self, conv: Factory, in_channels: int, out_channels: int, *, num_roles: int, rank: int = 4
    ) -> None:
        super().__init__(conv, in_channels, out_channels, num_roles=num_roles)
        self.rank = whole_number("rank", rank, 1)
        self.up = nn.Parameter(torch.zeros(num_roles, rank, out_channels))
        self.down = nn.Parameter(torch.empty(num_roles, rank, out_channels))
        glorot(self.down)

    def reset_parameters(self) -> None:
        """Reset the parameters."""
        reset(self.conv)
        nn.init.zeros_(self.up)
        glorot(self.down)

    def change(self, out: Tensor, edges: Edges) -> Tensor:
        """The states and what their role adds to them."""

        def own_columns() -> Tensor:
            role = one_hot_roles(edges, self.num_roles, out.dtype)
            return role.repeat_interleave(self.rank, dim=1)

        own = edges.derive(("role ranks", self.num_roles, self.rank, out.dtype), own_columns)
        inner = F.linear(out, self.down.flatten(0, 1)) * own
        return torch.addmm(out, inner, self.up.flatten(0, 1))

    def extra_repr(self) -> str:
        """The number of roles and the rank."""
        return f"{super().extra_repr()}, rank={self.rank}"


def own_convolution(conv: Factory, in_channels: int, out_channels: int) -> Convolution:
    """What ``conv`` makes of the widths, which must be one of our convolutions."""
    check_factory(conv, "conv")
    made = conv(in_channels, out_channels)
    if not isinstance(made, Convolution):
        raise InputError(
            f"conv makes {type(made).__name__}, but layers with roles are made of "
            "convolutions called with Edges: give GCNLayer, GINLayer, RGCNLayer or RGINLayer"
        )
    return made
