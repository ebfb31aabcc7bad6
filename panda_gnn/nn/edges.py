"""The edges of a graph as message passing sees them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, cast

import torch
from torch import Tensor

from panda_gnn.errors import InputError
from panda_gnn.nn import kernels
from panda_gnn.nn.inputs import check_edge_index, check_edge_values, check_ends, check_nodes


@dataclass(eq=False)
class Edges:
    """Directed edges from sources to targets, with what layers need to know about them.

    For a whole graph sources and targets are its nodes. For one half of a
    :class:`~panda_gnn.nn.WidthPartition` the first ``num_targets`` sources are the targets
    themselves, so a self-loop means the same as in the whole graph.

    Args:
        edge_index: Positions of sources (row 0) and targets (row 1), shape ``[2, num_edges]``.
        num_sources: Number of sources.
        num_targets: Number of targets.
        edge_weight: Optional weight of each edge.
        edge_attr: Optional features of each edge.
        edge_type: Optional relation of each edge.
        batch: Optional graph of each target; without it there is one graph.
        num_graphs: The number of graphs, where known.
        whole: For one half of a partition, the edges of the whole graph.
        order: For one half of a partition, the number of each edge in the whole graph.
        targets: For one half of a partition, the targets' numbers in the whole graph.
        mask: What the message of each edge is multiplied by, where an explainer asks for it.
        listener: Called with edges and their attention, where an explainer asks for it.
        role: Optional role of each target, a whole number from 0 on.

    Shapes:
        - **input:** ``edge_index`` ``[2, num_edges]``, ``edge_weight`` and ``edge_type``
          ``[num_edges]``, ``edge_attr`` ``[num_edges, columns]``, ``batch`` ``[num_targets]``

    Example:
        >>> import torch
        >>> from panda_gnn.nn import Edges
        >>> edge_index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
        >>> edges = Edges.of_graph(edge_index, 3)
        >>> edges.num_sources, edges.num_targets
        (3, 3)
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
    mask: Tensor | None = None
    listener: Callable[[Edges, Tensor], None] | None = None
    role: Tensor | None = None
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
        role: Tensor | None = None,
    ) -> Edges:
        """All edges of a graph, or of several side by side."""
        edge_index = check_edge_index(edge_index)
        check_ends(edge_index, num_nodes)
        weight, attr, relation = check_edge_values(
            edge_index.size(1), edge_weight=edge_weight, edge_attr=edge_attr, edge_type=edge_type
        )
        check_nodes(num_nodes, batch=batch, role=role)
        return cls(
            edge_index,
            num_nodes,
            num_nodes,
            weight,
            attr,
            relation,
            batch,
            num_graphs,
            role=None if role is None else role.long(),
        )

    def derive(self, key: object, compute: Callable[[], Any]) -> Any:
        """Return ``compute()``, computed once for these edges and kept under ``key``.

        Only what follows from ``edge_index``, ``edge_type`` and ``role`` may be kept. What is
        computed in inference mode can be used in training later.
        """
        if key not in self._derived:
            if not torch.compiler.is_compiling() and torch.is_inference_mode_enabled():
                with torch.inference_mode(False):
                    self._derived[key] = compute()
            else:
                self._derived[key] = compute()
        return self._derived[key]

    def derive_weights(self, key: object, compute: Callable[[], Any]) -> Any:
        """:meth:`derive` for what follows from ``edge_weight``: computed anew where there is one,
        since weights may learn or change."""
        return self.derive(key, compute) if self.edge_weight is None else compute()

    def with_values_of(self, other: Edges, number: Tensor, whole: Edges | None = None) -> Edges:
        """These edges, which are those of the given ``number`` in ``other``, with weights, features
        and mask taken from there, and as part of ``whole``; what is derived stays shared."""
        values = (other.edge_weight, other.edge_attr, other.mask, other.listener)
        if all(value is None for value in values) and whole is self.whole:
            return self

        def take(values: Tensor | None) -> Tensor | None:
            return None if values is None else values[number]

        return replace(
            self,
            whole=whole,
            edge_weight=take(other.edge_weight),
            edge_attr=take(other.edge_attr),
            mask=take(other.mask),
            listener=other.listener,
        )

    def masked(self, weight: Tensor | None) -> Tensor | None:
        """The given weight of each edge, or row for each edge, times the mask, if there is one."""
        if self.mask is None:
            return weight
        if weight is None:
            return self.mask
        return weight * self.mask.view(-1, *[1] * (weight.dim() - 1)).to(weight.dtype)

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
            self.derive_weights(("norm", self_loops, dtype), lambda: self._norm(self_loops, dtype)),
        )

    def _norm(self, self_loops: bool, dtype: torch.dtype) -> tuple[Tensor, Tensor | None]:
        if self.whole is not None:
            edge, loop = self.whole.norm(self_loops, dtype)
            assert self.order is not None
            assert self.targets is not None
            return edge[self.order], None if loop is None else loop[self.targets]
        source, target = self.edge_index
        weight = self.weight(at_least_single(dtype))
        if self_loops:
            weight = weight * self.counted()
        degree = weight.new_zeros(self.num_targets).index_add(0, target, weight)
        loop = None
        if self_loops:
            loop = weight.new_ones(self.num_targets)
            loop[source[source == target]] = 0.0
            degree = degree + loop
        check_degrees(degree, self.edge_weight)
        scale = torch.where(degree == 0, torch.ones_like(degree), degree).pow(-0.5)
        scale = torch.where(degree == 0, torch.zeros_like(scale), scale)
        edge = (scale[source] * weight * scale[target]).to(dtype)
        return edge, None if loop is None else (loop * scale * scale).to(dtype)

    def counted(self) -> Tensor:
        """Whether each edge counts where self-loops are added: of several self-loops of a node the
        last one alone does, as in PyG's ``GCNConv``."""
        source, target = self.edge_index
        place = torch.arange(target.numel(), device=target.device)
        loop = source == target
        last = place.new_full((self.num_targets,), -1)
        last = last.scatter_reduce(0, target, torch.where(loop, place, -1), "amax")
        counted: Tensor = ~loop | (place == last[target])
        return counted

    def relation(self, relation: int) -> Edges:
        """The edges of one relation; without ``edge_type`` all edges are of relation 0."""
        if self.edge_type is None and relation == 0:
            return self
        own, edges = self.derive(("relation", relation), lambda: self._relation(relation))
        return cast(Edges, edges.with_values_of(self, own))

    def _relation(self, relation: int) -> tuple[Tensor, Edges]:
        if self.edge_type is None:
            own = self.edge_index.new_empty(0)
        else:
            own = (self.edge_type == relation).nonzero().view(-1)
        return own, Edges(self.edge_index[:, own], self.num_sources, self.num_targets)

    def in_graph_order(self) -> Edges:
        """These edges in the order that they have in the whole graph."""
        if self.order is None:
            return self
        place, edges = self.derive("graph order", self._in_graph_order)
        return cast(Edges, edges.with_values_of(self, place, self.whole))

    def _in_graph_order(self) -> tuple[Tensor, Edges]:
        assert self.order is not None
        order, place = self.order.sort()
        return place, Edges(
            self.edge_index[:, place],
            self.num_sources,
            self.num_targets,
            edge_type=None if self.edge_type is None else self.edge_type[place],
            whole=self.whole,
            order=order,
            targets=self.targets,
        )

    def mean(self, dtype: torch.dtype) -> Tensor:
        """The weights that turn the sum over the edges into a target into their mean."""
        return cast(Tensor, self.derive_weights(("mean", dtype), lambda: self._mean(dtype)))

    def _mean(self, dtype: torch.dtype) -> Tensor:
        target = self.edge_index[1]
        weight = self.weight(at_least_single(dtype))
        count = weight.new_zeros(self.num_targets).index_add(0, target, torch.ones_like(weight))
        return (weight / count[target]).to(dtype)


def check_degrees(degree: Tensor, edge_weight: Tensor | None) -> None:
    """The weights into a node have a sum that a graph convolution can take the root of."""
    if edge_weight is None or not kernels.ordinary(degree) or bool((degree >= 0).all()):
        return
    node = int((~(degree >= 0)).nonzero()[0])
    raise InputError(
        f"the weights of the edges into node {node} add up to {float(degree[node]):.4g}, and a "
        "graph convolution divides by the root of that: give weights that are zero or more"
    )


def at_least_single(dtype: torch.dtype) -> torch.dtype:
    """The type to add many numbers of ``dtype`` in: counting in half precision ends at 256."""
    return torch.promote_types(dtype, torch.float32)
