"""Graphs collated once, mini-batches by index arithmetic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Data, InMemoryDataset

from panda_gnn.nn import GNN, Edges, PandaGNN, WidthPartition
from panda_gnn.nn.lrgb import LongRangeGNN, PandaLongRangeGNN


@dataclass(eq=False)
class GraphBatch:
    """Some graphs side by side, with the edges prepared once for every layer.

    Attributes:
        x: Node features.
        y: The targets, one row for each row of :meth:`scores`.
        edge_index: The edges.
        batch: The graph of each node.
        num_graphs: The number of graphs.
        high: The mask of the high nodes, where there is one.
        edge_options: What else layers may ask for: ``edge_weight``, ``edge_type``.
        target_nodes: The nodes whose outputs are asked for; ``None`` for one output for each graph.
    """

    x: Tensor
    y: Tensor
    edge_index: Tensor
    batch: Tensor
    num_graphs: int
    high: Tensor | None
    edge_options: Mapping[str, Tensor]
    target_nodes: Tensor | None = None
    _prepared: dict[str, Any] = field(default_factory=dict, repr=False)

    def scores(self, model: GNN | LongRangeGNN) -> Tensor:
        """What ``model`` gives for each graph, or for each of the target nodes."""
        out: Tensor = model(
            self.x, self._edges(model), batch=self.batch, num_graphs=self.num_graphs
        )
        return out if self.target_nodes is None else out[self.target_nodes]

    def _edges(self, model: GNN | LongRangeGNN) -> Edges | WidthPartition:
        width_aware = isinstance(model, PandaGNN | PandaLongRangeGNN)
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
        y: The targets, one row for each graph or for each of ``target_nodes``: classes, or several
            numbers.
        edge_index: The edges of all graphs, numbered by the node's place in ``x``.
        node_ptr: Where the nodes of each graph start; one more for the end.
        edge_ptr: Where the edges of each graph start; one more for the end.
        high: The mask of the high nodes, where there is one.
        edge_options: What else layers may ask for, one row for each edge.
        target_nodes: The node whose output is to be each row of ``y``; ``None`` where these are
            targets of whole graphs.
    """

    x: Tensor
    y: Tensor
    edge_index: Tensor
    node_ptr: Tensor
    edge_ptr: Tensor
    high: Tensor | None = None
    edge_options: Mapping[str, Tensor] = field(default_factory=dict)
    target_nodes: Tensor | None = None

    @classmethod
    def collate(
        cls,
        graphs: Sequence[Data] | InMemoryDataset,
        edge_attributes: Sequence[str] = ("edge_type", "edge_weight"),
    ) -> GraphTable:
        """The given graphs in one piece.

        ``high`` and, where each graph has one, the node of ``target_mask`` come along. A whole
        :class:`~torch_geometric.data.InMemoryDataset` is taken as it is stored, graph by graph.

        Args:
            graphs: The graphs, all with features and targets.
            edge_attributes: What the edges keep, if the graphs have it.
        """
        data, slices = _stored(graphs)
        if slices is None:
            node_ptr = torch.tensor([0, data.num_nodes])
            edge_ptr = torch.tensor([0, data.num_edges])
        else:
            node_ptr, edge_ptr = slices["x"], slices["edge_index"]
        mask = data.get("target_mask")
        return cls(
            data.x,
            data.y if data.y.is_floating_point() else data.y.view(-1),
            data.edge_index + torch.repeat_interleave(node_ptr[:-1], edge_ptr.diff()),
            node_ptr,
            edge_ptr,
            data.get("high"),
            {name: data[name] for name in edge_attributes if name in data},
            None if mask is None else mask.nonzero().view(-1),
        )

    def with_nodes(self, *, x: Tensor | None = None, high: Tensor | None = None) -> GraphTable:
        """The same graphs with other features or another mask of high nodes."""
        return replace(self, x=self.x if x is None else x, high=self.high if high is None else high)

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
    def num_outputs(self) -> int:
        """How many numbers a model gives for a row: one for each class, or for each target."""
        return self.y.size(1) if self.y.dim() > 1 else int(self.y.max()) + 1

    @property
    def graph_of_node(self) -> Tensor:
        """The graph of each node."""
        return torch.repeat_interleave(torch.arange(self.num_graphs), self.node_ptr.diff())

    @cached_property
    def whole(self) -> GraphBatch:
        """All graphs side by side, their edges prepared once for whoever takes them all."""
        return GraphBatch(
            self.x,
            self.y,
            self.edge_index,
            self.graph_of_node,
            self.num_graphs,
            self.high,
            self.edge_options,
            self.target_nodes,
        )

    def take(self, rows: Tensor) -> GraphBatch:
        """The graphs of the given rows of ``y`` side by side; of whole graphs, row i is graph i."""
        if self.target_nodes is None:
            return self._batch(rows, rows)
        nodes = self.target_nodes[rows]
        graphs, place = torch.bucketize(nodes, self.node_ptr, right=True).unique(
            return_inverse=True
        )
        if graphs.numel() == self.num_graphs:
            return replace(self.whole, y=self.y[rows], target_nodes=nodes)
        batch = self._batch(graphs - 1, rows)
        batch.target_nodes = nodes + self._shift(graphs - 1)[place]
        return batch

    def batches(self, rows: Tensor, batch_size: int | None = None) -> Iterator[GraphBatch]:
        """The given rows of ``y`` in mini-batches, by default in one."""
        for part in rows.split(batch_size or max(1, rows.numel())):
            if part.numel():
                yield self.take(part)

    def _batch(self, graphs: Tensor, rows: Tensor) -> GraphBatch:
        nodes, batch = _ranges(self.node_ptr, graphs)
        edges, graph_of_edge = _ranges(self.edge_ptr, graphs)
        return GraphBatch(
            self.x[nodes],
            self.y[rows],
            self.edge_index[:, edges] + self._shift(graphs)[graph_of_edge],
            batch,
            graphs.numel(),
            None if self.high is None else self.high[nodes],
            {name: values[edges] for name, values in self.edge_options.items()},
        )

    def _shift(self, graphs: Tensor) -> Tensor:
        """What is added to the number of a node where these graphs stand side by side."""
        sizes = self.node_ptr.diff()[graphs]
        return sizes.cumsum(0) - sizes - self.node_ptr[graphs]


def _stored(graphs: Sequence[Data] | InMemoryDataset) -> tuple[Any, Mapping[str, Tensor] | None]:
    """All graphs in one ``Data``, and where each of them starts; ``None`` for a single one."""
    if isinstance(graphs, InMemoryDataset) and graphs._indices is None and not graphs.transform:
        return graphs._data, graphs.slices
    data, slices = InMemoryDataset.collate(list(graphs))
    return data, slices


def _ranges(ptr: Tensor, graphs: Tensor) -> tuple[Tensor, Tensor]:
    """The numbers in ``ptr[g] .. ptr[g + 1]`` for every graph g, and which of them each is in."""
    sizes = ptr.diff()[graphs]
    owner = torch.repeat_interleave(torch.arange(graphs.numel()), sizes)
    shift = ptr[graphs] - (sizes.cumsum(0) - sizes)
    return torch.arange(owner.numel()) + shift[owner], owner
