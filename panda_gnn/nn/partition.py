"""The edges of a graph as message passing sees them, whole or split by width."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

import torch
from torch import Tensor

from panda_gnn.errors import InputError
from panda_gnn.nn import kernels
from panda_gnn.nn.kernels.rows import width_rows_of


@dataclass(eq=False)
class Edges:
    """Directed edges from sources to targets, with what layers need to know about them.

    For a whole graph sources and targets are its nodes. For one half of a
    :class:`WidthPartition` the first ``num_targets`` sources are the targets themselves, so a
    self-loop means the same as in the whole graph.

    Args:
        edge_index: Positions of sources (row 0) and targets (row 1), shape ``[2, num_edges]``.
        num_sources: Number of sources.
        num_targets: Number of targets.
        edge_weight: Optional weight of each edge.
        edge_attr: Optional features of each edge.
        edge_type: Optional relation of each edge.
        batch: Optional graph of each target; without it there is one graph.
        num_graphs: The number of graphs, where known.
    """

    edge_index: Tensor
    num_sources: int
    num_targets: int
    edge_weight: Tensor | None = None
    edge_attr: Tensor | None = None
    edge_type: Tensor | None = None
    batch: Tensor | None = None
    num_graphs: int | None = None
    whole: Edges | None = None
    order: Tensor | None = None
    targets: Tensor | None = None
    _derived: dict[object, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of_graph(
        cls,
        edge_index: Tensor,
        num_nodes: int,
        *,
        edge_weight: Tensor | None = None,
        edge_attr: Tensor | None = None,
        edge_type: Tensor | None = None,
        batch: Tensor | None = None,
        num_graphs: int | None = None,
    ) -> Edges:
        """All edges of a graph, or of several side by side."""
        if edge_index.dim() != 2 or edge_index.size(0) != 2 or edge_index.is_floating_point():
            raise InputError(
                f"edge_index must be integers of shape [2, num_edges], "
                f"got {edge_index.dtype} of shape {list(edge_index.shape)}"
            )
        for name, values in (
            ("edge_weight", edge_weight),
            ("edge_attr", edge_attr),
            ("edge_type", edge_type),
        ):
            if values is not None and values.size(0) != edge_index.size(1):
                raise InputError(
                    f"{name} has {values.size(0)} rows, but edge_index has "
                    f"{edge_index.size(1)} edges: give one row for each edge"
                )
        return cls(
            edge_index,
            num_nodes,
            num_nodes,
            edge_weight,
            edge_attr,
            edge_type,
            batch,
            num_graphs,
        )

    def derive(self, key: object, compute: Callable[[], Any]) -> Any:
        """Return ``compute()``, computed once for these edges and kept under ``key``.

        What is computed in inference mode can be used in training later.
        """
        if key not in self._derived:
            if not torch.compiler.is_compiling() and torch.is_inference_mode_enabled():
                with torch.inference_mode(False):
                    self._derived[key] = compute()
            else:
                self._derived[key] = compute()
        return self._derived[key]

    def weight(self, dtype: torch.dtype) -> Tensor:
        """The weight of each edge, one where none was given."""
        if self.edge_weight is not None:
            return self.edge_weight.to(dtype)
        return torch.ones(self.edge_index.size(1), dtype=dtype, device=self.edge_index.device)

    def norm(self, self_loops: bool, dtype: torch.dtype) -> tuple[Tensor, Tensor | None]:
        r"""The weights :math:`1/\sqrt{d_u d_v}` of a graph convolution, on the whole graph.

        Returns one weight for each edge and, with ``self_loops``, one for each target: that of the
        self-loop the convolution adds (zero where the graph has one of its own).
        """
        return cast(
            "tuple[Tensor, Tensor | None]",
            self.derive(("norm", self_loops, dtype), lambda: self._norm(self_loops, dtype)),
        )

    def _norm(self, self_loops: bool, dtype: torch.dtype) -> tuple[Tensor, Tensor | None]:
        if self.whole is not None:
            edge, loop = self.whole.norm(self_loops, dtype)
            assert self.order is not None
            assert self.targets is not None
            return edge[self.order], None if loop is None else loop[self.targets]
        source, target = self.edge_index
        weight = self.weight(dtype)
        degree = weight.new_zeros(self.num_targets).index_add(0, target, weight)
        loop = None
        if self_loops:
            loop = weight.new_ones(self.num_targets)
            loop[source[source == target]] = 0.0
            degree = degree + loop
        scale = degree.clamp(min=0).pow(-0.5)
        scale = torch.where(degree > 0, scale, torch.zeros_like(scale))
        edge = scale[source] * weight * scale[target]
        return edge, None if loop is None else loop * scale * scale

    def relation(self, relation: int) -> Edges:
        """The edges of one relation; without ``edge_type`` all edges are of relation 0."""
        if self.edge_type is None and relation == 0:
            return self
        return cast(Edges, self.derive(("relation", relation), lambda: self._relation(relation)))

    def _relation(self, relation: int) -> Edges:
        if self.edge_type is None:
            chosen = self.edge_index.new_empty(0)
        else:
            chosen = (self.edge_type == relation).nonzero().view(-1)
        weight = None if self.edge_weight is None else self.edge_weight[chosen]
        return Edges(self.edge_index[:, chosen], self.num_sources, self.num_targets, weight)

    def mean(self, dtype: torch.dtype) -> Tensor:
        """The weights that turn the sum over the edges into a target into their mean."""
        return cast(Tensor, self.derive(("mean", dtype), lambda: self._mean(dtype)))

    def _mean(self, dtype: torch.dtype) -> Tensor:
        target = self.edge_index[1]
        weight = self.weight(dtype)
        count = weight.new_zeros(self.num_targets).index_add(0, target, torch.ones_like(weight))
        return weight / count[target]


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
        low_nodes: Indices of the low nodes, ascending.
        high_nodes: Indices of the high nodes, ascending.
        crossing: For each edge from a high to a low node, the positions of the source among the
            high nodes (row 0) and of the target among the low nodes (row 1).
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
        if high.dtype != torch.bool or high.dim() != 1:
            raise InputError(
                f"high must be a boolean mask with one entry for each node, "
                f"got {high.dtype} of shape {list(high.shape)}"
            )
        num_nodes = high.numel()
        whole = Edges.of_graph(
            edge_index,
            num_nodes,
            edge_weight=edge_weight,
            edge_attr=edge_attr,
            edge_type=edge_type,
        )
        self.whole = whole
        self.high = high

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
        """The positions of source and target of each edge from a high to a low node."""
        return self._halves[0]

    @property
    def into_low(self) -> Edges:
        """The edges into low nodes."""
        return self._halves[1]

    @property
    def into_high(self) -> Edges:
        """The edges into high nodes."""
        return self._halves[2]

    @property
    def _nodes(self) -> tuple[Tensor, Tensor]:
        return cast("tuple[Tensor, Tensor]", self.whole.derive("nodes", self._split_nodes))

    @property
    def _halves(self) -> tuple[Tensor, Edges, Edges]:
        return cast("tuple[Tensor, Edges, Edges]", self.whole.derive("halves", self._split_edges))

    def _split_nodes(self) -> tuple[Tensor, Tensor]:
        if kernels.apply_to(self.high, self.whole.edge_index):
            rows = width_rows_of(self)
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
        into_low = _half(
            self.whole,
            torch.cat([low_low, high_low]),
            torch.cat([position[source[low_low]], num_low + number]),
            position,
            self.low_nodes,
            num_low + high_low.numel(),
        )
        into_high = _half(
            self.whole,
            torch.cat([high_high, low_high]),
            torch.cat([position[source[high_high]], num_high + position[source[low_high]]]),
            position,
            self.high_nodes,
            num_high + num_low,
        )
        return crossing, into_low, into_high

    def split(self, x: Tensor) -> tuple[Tensor, Tensor]:
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


def _half(
    whole: Edges, order: Tensor, source: Tensor, position: Tensor, targets: Tensor, num_sources: int
) -> Edges:
    """The edges ``order`` of ``whole`` with the given sources, into ``targets``."""

    def take(values: Tensor | None) -> Tensor | None:
        return None if values is None else values[order]

    return Edges(
        torch.stack([source, position[whole.edge_index[1, order]]]),
        num_sources,
        targets.numel(),
        take(whole.edge_weight),
        take(whole.edge_attr),
        take(whole.edge_type),
        whole=whole,
        order=order,
        targets=targets,
    )
