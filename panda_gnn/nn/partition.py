"""Nodes and edges split by width."""

from __future__ import annotations

from copy import copy
from typing import cast

import torch
from torch import Tensor

from panda_gnn.nn import kernels
from panda_gnn.nn.edges import Edges
from panda_gnn.nn.inputs import check_nodes
from panda_gnn.nn.kernels.width_rows import width_target_rows

Pair = tuple[Tensor, Tensor]
"""What belongs to the low and to the high nodes."""


class WidthPartition:
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
        self.high = high
        self.whole = Edges.of_graph(
            edge_index,
            high.numel(),
            edge_weight=edge_weight,
            edge_attr=edge_attr,
            edge_type=edge_type,
        )

    @property
    def low_nodes(self) -> Tensor:
        """Indices of the low nodes, ascending."""
        return self._nodes[0]

    @property
    def high_nodes(self) -> Tensor:
        """Indices of the high nodes, ascending."""
        return self._nodes[1]

    @property
    def crossing(self) -> Tensor:
        """For each edge from a high to a low node, the positions of the source among the high nodes
        (row 0) and of the target among the low nodes (row 1)."""
        return self._halves[0]

    @property
    def into_low(self) -> Edges:
        """The edges into low nodes."""
        return self._with_values(self._halves[1])

    @property
    def into_high(self) -> Edges:
        """The edges into high nodes."""
        return self._with_values(self._halves[2])

    @property
    def _nodes(self) -> Pair:
        return cast(Pair, self.whole.derive("nodes", self._split_nodes))

    @property
    def _halves(self) -> tuple[Tensor, Edges, Edges]:
        return cast("tuple[Tensor, Edges, Edges]", self.whole.derive("halves", self._split_edges))

    def _with_values(self, half: Edges) -> Edges:
        """One half with its weights and features, taken now: they may learn or change."""
        assert half.order is not None
        return half.with_values_of(self.whole, half.order)

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

    def _split_edges(self) -> tuple[Tensor, Edges, Edges]:
        high = self.high
        num_low, num_high = self.low_nodes.numel(), self.high_nodes.numel()
        position = torch.where(high, high.cumsum(0), (~high).cumsum(0)) - 1

        source, target = self.whole.edge_index
        from_high, to_high = high[source], high[target]
        low_low = (~from_high & ~to_high).nonzero().view(-1)
        high_low = (from_high & ~to_high).nonzero().view(-1)
        high_high = (from_high & to_high).nonzero().view(-1)
        low_high = (~from_high & to_high).nonzero().view(-1)

        crossing = torch.stack([position[source[high_low]], position[target[high_low]]])
        number = torch.arange(high_low.numel(), device=source.device)
        into_low = edges_into(
            self.whole,
            torch.cat([low_low, high_low]),
            torch.cat([position[source[low_low]], num_low + number]),
            position,
            self.low_nodes,
            num_low + high_low.numel(),
        )
        into_high = edges_into(
            self.whole,
            torch.cat([high_high, low_high]),
            torch.cat([position[source[high_high]], num_high + position[source[low_high]]]),
            position,
            self.high_nodes,
            num_high + num_low,
        )
        return crossing, into_low, into_high

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


def edges_into(
    whole: Edges, order: Tensor, source: Tensor, position: Tensor, targets: Tensor, num_sources: int
) -> Edges:
    """The edges of the numbers ``order`` in ``whole``, all into ``targets``.

    Args:
        whole: The edges of the whole graph.
        order: The numbers of the edges.
        source: The source of each, the first sources being the targets.
        position: For each node, its place among those on its side.
        targets: The nodes that the edges go into.
        num_sources: The number of sources.
    """
    return Edges(
        torch.stack([source, position[whole.edge_index[1, order]]]),
        num_sources,
        targets.numel(),
        edge_type=None if whole.edge_type is None else whole.edge_type[order],
        whole=whole,
        order=order,
        targets=targets,
    )
