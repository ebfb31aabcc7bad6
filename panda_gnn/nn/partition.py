"""Nodes and edges split by role, and by width: low and high nodes are two roles."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, cast

import torch
from torch import Tensor

from panda_gnn.nn import kernels
from panda_gnn.nn.edges import Edges
from panda_gnn.nn.inputs import check_nodes
from panda_gnn.nn.kernels.width_rows import width_target_rows

Pair = tuple[Tensor, Tensor]
"""What belongs to the low and to the high nodes."""


class NodePartition:
    """Nodes and edges of a graph split by role; what is split is kept with the edges.

    Attributes:
        whole: The edges of the whole graph.
        num_roles: The number of roles.
    """

    whole: Edges
    num_roles: int

    @property
    def role(self) -> Tensor:
        """The role of each node."""
        raise NotImplementedError

    @property
    def nodes(self) -> Sequence[Tensor]:
        """The nodes of each role, ascending."""
        key = ("nodes by role", self.num_roles)
        return cast("Sequence[Tensor]", self.whole.derive(key, self._split_nodes))

    def _split_nodes(self) -> Sequence[Tensor]:
        return [(self.role == q).nonzero().view(-1) for q in range(self.num_roles)]

    def into(self, target: int, selecting: tuple[int, ...]) -> Edges:
        """The edges into the nodes of role ``target``, with their weights and features.

        The sources are these nodes, then, role after role, the nodes of each other role, or, for
        the roles ``selecting``, one source for each edge that comes from a node of that role.
        """
        key = ("edges into role", self.num_roles, target, selecting)
        edges: Edges = self.whole.derive(key, lambda: self._into(target, selecting))
        assert edges.order is not None
        return edges.with_values_of(self.whole, edges.order, self.whole)

    def _into(self, target: int, selecting: tuple[int, ...]) -> Edges:
        numbers, ends, first = [], [], 0
        for p in (target, *(p for p in range(self.num_roles) if p != target)):
            own, (source, end) = self._between(p, target)
            if p in selecting:
                source = torch.arange(own.numel(), device=own.device)
            numbers.append(own)
            ends.append(torch.stack([first + source, end]))
            first += own.numel() if p in selecting else self.nodes[p].numel()
        order, types = torch.cat(numbers), self.whole.edge_type
        return Edges(
            torch.cat(ends, dim=1),
            first,
            self.nodes[target].numel(),
            edge_type=None if types is None else types[order],
            whole=self.whole,
            order=order,
            targets=self.nodes[target],
        )

    def edges_between(self, source: int, target: int) -> Tensor:
        """For each edge from one role to another, the positions of its source (row 0) and of its
        target (row 1) among the nodes of their roles."""
        return self._between(source, target)[1]

    def _between(self, source: int, target: int) -> Pair:
        """The numbers of the edges from one role to another, and the positions of their ends."""

        def kinds() -> Tensor:
            roles = ends_of(self.role, self.whole.edge_index)
            return roles[0] * self.num_roles + roles[1]

        def places() -> Tensor:
            position = self.whole.edge_index.new_empty(self.role.numel())
            for nodes in self.nodes:
                position[nodes] = torch.arange(nodes.numel(), device=nodes.device)
            return position

        def compute() -> Pair:
            kind = self.whole.derive(("roles of edges", self.num_roles), kinds)
            position = self.whole.derive(("places by role", self.num_roles), places)
            numbers = (kind == source * self.num_roles + target).nonzero().view(-1)
            return numbers, ends_of(position, self.whole.edge_index.index_select(1, numbers))

        key = ("edges between roles", self.num_roles, source, target)
        return cast(Pair, self.whole.derive(key, compute))


def ends_of(values: Tensor, edge_index: Tensor) -> Tensor:
    """The values of the nodes in ``edge_index``; indexing with it takes twice as long."""
    return values.index_select(0, edge_index.flatten()).view_as(edge_index)


class WidthPartition(NodePartition):
    r"""Nodes and edges of a graph split by width, built once and given to every layer.

    Low nodes keep their order, and so do high nodes. Every edge goes into exactly one of two
    bipartite edge sets, which are built when they are first asked for:

    * :attr:`into_low`: the targets are the low nodes, the sources are the low nodes followed by one
      source for each edge from a high to a low node (what :math:`g` makes of the pair);
    * :attr:`into_high`: the targets are the high nodes, the sources are the high nodes followed by
      the low nodes (what :math:`f` makes of them).

    Args:
        edge_index: The edges of the graph, shape ``[2, num_edges]``.
        high: Boolean mask of the high nodes, shape ``[num_nodes]``.
        edge_weight: Optional weight of each edge.
        edge_attr: Optional features of each edge.
        edge_type: Optional relation of each edge.

    Attributes:
        whole: The edges of the whole graph.
        high: The mask.

    Shapes:
        - **input:** ``edge_index`` ``[2, num_edges]``, ``high`` ``[num_nodes]``, ``edge_weight``
          and ``edge_type`` ``[num_edges]``, ``edge_attr`` ``[num_edges, columns]``

    Example:
        >>> import torch
        >>> from panda_gnn.nn import WidthPartition
        >>> edge_index = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
        >>> partition = WidthPartition(edge_index, torch.tensor([False, True, True, False]))
        >>> partition.low_nodes.tolist(), partition.high_nodes.tolist()
        ([0, 3], [1, 2])
        >>> low, high = partition.split(torch.rand(4, 7))
        >>> partition.merge(low, high).shape
        torch.Size([4, 7])
    """

    def __init__(
        self,
        edge_index: Tensor,
        high: Tensor,
        *,
        edge_weight: Tensor | None = None,
        edge_attr: Tensor | None = None,
        edge_type: Tensor | None = None,
    ) -> None:
        check_nodes(high.numel(), high)
        self.high, self.num_roles = high, 2
        values: Any = {"edge_weight": edge_weight, "edge_attr": edge_attr, "edge_type": edge_type}
        self.whole = Edges.of_graph(edge_index, high.numel(), **values)

    @property
    def role(self) -> Tensor:
        """One for high and zero for low nodes."""
        return self.high.to(torch.uint8)

    @property
    def low_nodes(self) -> Tensor:
        """Indices of the low nodes, ascending."""
        return self.nodes[0]

    @property
    def high_nodes(self) -> Tensor:
        """Indices of the high nodes, ascending."""
        return self.nodes[1]

    @property
    def crossing(self) -> Tensor:
        """For each edge from a high to a low node, the positions of the source among the high nodes
        (row 0) and of the target among the low nodes (row 1)."""
        return self.edges_between(1, 0)

    @property
    def into_low(self) -> Edges:
        """The edges into low nodes."""
        return self.into(0, selecting=(1,))

    @property
    def into_high(self) -> Edges:
        """The edges into high nodes."""
        return self.into(1, selecting=())

    def with_whole(self, whole: Edges) -> WidthPartition:
        """This split of the same edges with other values; what is derived stays shared."""
        if whole is self.whole:
            return self
        other = copy(self)
        other.whole = whole
        return other

    def _split_nodes(self) -> Pair:
        if kernels.apply_to(self.high, self.whole.edge_index):
            rows = width_target_rows(self)
            return rows.nodes[: rows.num_low], rows.nodes[rows.num_low :]
        return (~self.high).nonzero().view(-1), self.high.nonzero().view(-1)

    def split(self, x: Tensor) -> Pair:
        """The rows of the low and of the high nodes."""
        return x.index_select(0, self.low_nodes), x.index_select(0, self.high_nodes)

    def merge(self, x_low: Tensor, x_high: Tensor) -> Tensor:
        """The rows of all nodes in the graph's order; both sides must have one width."""
        x = x_low.new_empty((self.high.numel(), *x_low.shape[1:]))
        return x.index_copy(0, self.low_nodes, x_low).index_copy(0, self.high_nodes, x_high)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(low={self.low_nodes.numel()}, high={self.high_nodes.numel()}, "
            f"into_low={self.into_low.edge_index.size(1)}, "
            f"into_high={self.into_high.edge_index.size(1)})"
        )
