"""Graphs collated once, mini-batches by index arithmetic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Batch, Data

from panda_gnn.nn import GNN, Edges, PandaGNN, WidthPartition


@dataclass(eq=False)
class GraphBatch:
    """Some graphs side by side, with the edges prepared once for every layer.

    Attributes:
        x: Node features.
        y: The class of each graph.
        edge_index: The edges.
        batch: The graph of each node.
        num_graphs: The number of graphs.
        high: The mask of the high nodes, where there is one.
        edge_options: What else layers may ask for: ``edge_weight``, ``edge_type``.
    """

    x: Tensor
    y: Tensor
    edge_index: Tensor
    batch: Tensor
    num_graphs: int
    high: Tensor | None
    edge_options: Mapping[str, Tensor]
    _prepared: dict[str, Any] = field(default_factory=dict, repr=False)

    def scores(self, model: GNN) -> Tensor:
        """What ``model`` gives for each graph."""
        out: Tensor = model(
            self.x, self._edges(model), batch=self.batch, num_graphs=self.num_graphs
        )
        return out

    def _edges(self, model: GNN) -> Edges | WidthPartition:
        width_aware = isinstance(model, PandaGNN)
        kind = "partition" if width_aware else "edges"
        if kind not in self._prepared:
            self._prepared[kind] = self._prepare(kind)
        prepared: Edges | WidthPartition = self._prepared[kind]
        return prepared

    def _prepare(self, kind: str) -> Edges | WidthPartition:
        if kind == "partition":
            assert self.high is not None
            return WidthPartition(self.edge_index, self.high, **self.edge_options)
        return Edges.of_graph(
            self.edge_index,
            self.x.size(0),
            batch=self.batch,
            num_graphs=self.num_graphs,
            **self.edge_options,
        )


@dataclass(frozen=True, eq=False)
class GraphTable:
    """All graphs of a dataset in one piece.

    Attributes:
        x: Node features of all graphs.
        y: The class of each graph, or of each node, or a row of targets for each graph.
        edge_index: The edges of all graphs, numbered by the node's place in ``x``.
        node_ptr: Where the nodes of each graph start; one more for the end.
        edge_ptr: Where the edges of each graph start; one more for the end.
        high: The mask of the high nodes, where there is one.
        edge_options: What else layers may ask for, one row for each edge.
    """

    x: Tensor
    y: Tensor
    edge_index: Tensor
    node_ptr: Tensor
    edge_ptr: Tensor
    high: Tensor | None = None
    edge_options: Mapping[str, Tensor] = field(default_factory=dict)

    @classmethod
    def collate(cls, graphs: Sequence[Data]) -> GraphTable:
        """The given graphs, with the edge types and weights they have."""
        everything = Batch.from_data_list(list(graphs))
        names = [name for name in ("edge_type", "edge_weight") if name in everything]
        sizes = torch.bincount(everything.batch[everything.edge_index[0]], minlength=len(graphs))
        return cls(
            everything.x,
            everything.y.view(-1),
            everything.edge_index,
            everything.ptr,
            torch.cat([sizes.new_zeros(1), sizes.cumsum(0)]),
            edge_options={name: everything[name] for name in names},
        )

    def with_nodes(self, *, x: Tensor | None = None, high: Tensor | None = None) -> GraphTable:
        """The same graphs with other features or a mask of high nodes."""
        return replace(self, x=self.x if x is None else x, high=high)

    def without_edges(self) -> GraphTable:
        """The same nodes, nothing between them."""
        return replace(
            self,
            edge_index=self.edge_index[:, :0],
            edge_ptr=torch.zeros_like(self.edge_ptr),
            edge_options={name: values[:0] for name, values in self.edge_options.items()},
        )

    @property
    def num_graphs(self) -> int:
        """The number of graphs."""
        return self.node_ptr.numel() - 1

    @property
    def num_classes(self) -> int:
        """The number of classes."""
        return int(self.y.max()) + 1

    @property
    def graph_of_node(self) -> Tensor:
        """The graph of each node."""
        return torch.repeat_interleave(torch.arange(self.num_graphs), self.node_ptr.diff())

    def take(self, graphs: Tensor) -> GraphBatch:
        """The given graphs side by side."""
        nodes, batch = _ranges(self.node_ptr, graphs)
        edges, graph_of_edge = _ranges(self.edge_ptr, graphs)
        sizes = self.node_ptr.diff()[graphs]
        shift = sizes.cumsum(0) - sizes - self.node_ptr[graphs]
        return GraphBatch(
            self.x[nodes],
            self.y[graphs],
            self.edge_index[:, edges] + shift[graph_of_edge],
            batch,
            graphs.numel(),
            None if self.high is None else self.high[nodes],
            {name: values[edges] for name, values in self.edge_options.items()},
        )

    def batches(
        self, graphs: Tensor, batch_size: int, generator: torch.Generator | None = None
    ) -> Iterator[GraphBatch]:
        """The given graphs in mini-batches, shuffled where there is a generator."""
        if generator is not None:
            graphs = graphs[torch.randperm(graphs.numel(), generator=generator)]
        for part in graphs.split(batch_size):
            yield self.take(part)


def _ranges(ptr: Tensor, chosen: Tensor) -> tuple[Tensor, Tensor]:
    """The numbers in ``ptr[c] .. ptr[c + 1]`` for every chosen c, and which of them each is in."""
    sizes = ptr.diff()[chosen]
    owner = torch.repeat_interleave(torch.arange(chosen.numel()), sizes)
    shift = ptr[chosen] - (sizes.cumsum(0) - sizes)
    return torch.arange(owner.numel()) + shift[owner], owner
