"""Graphs collated once, mini-batches cut out of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Data, InMemoryDataset

from panda_gnn.graph.cutting import cut_edges
from panda_gnn.nn import GNN, Edges, PandaGNN, WidthPartition


@dataclass(frozen=True, eq=False)
class GraphTable:
    """Graphs side by side: all of a dataset, or those of a mini-batch.

    What layers derive from the edges is prepared once, for every layer and every epoch.

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
        virtual: The mask of nodes that a rewiring added and no read-out counts, if there are any.
        other: Edges that every second layer uses instead, and where those of each graph start.
        role: The role of each node, where there are roles.
        augment: What a method makes of every mini-batch of training: a function of the rows and of
            the graphs that were taken for them.
    """

    x: Tensor
    y: Tensor
    edge_index: Tensor
    node_ptr: Tensor
    edge_ptr: Tensor
    high: Tensor | None = None
    edge_options: Mapping[str, Tensor] = field(default_factory=dict)
    target_nodes: Tensor | None = None
    virtual: Tensor | None = None
    other: tuple[Tensor, Tensor] | None = None
    role: Tensor | None = None
    augment: Callable[[Tensor, GraphTable], GraphTable] | None = None
    _prepared: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

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
        other = data.get("expander_edge_index")
        if other is not None:
            alone = torch.tensor([0, other.size(1)])
            other_ptr = alone if slices is None else slices["expander_edge_index"]
            other = other + torch.repeat_interleave(node_ptr[:-1], other_ptr.diff()), other_ptr
        return cls(
            data.x,
            data.y if data.y.is_floating_point() else data.y.view(-1),
            data.edge_index + torch.repeat_interleave(node_ptr[:-1], edge_ptr.diff()),
            node_ptr,
            edge_ptr,
            data.get("high"),
            {name: data[name] for name in edge_attributes if name in data},
            None if mask is None else mask.nonzero().view(-1),
            data.get("virtual"),
            other,
        )

    def with_nodes(
        self,
        *,
        x: Tensor | None = None,
        high: Tensor | None = None,
        role: Tensor | None = None,
    ) -> GraphTable:
        """The same graphs with other features, another mask of high nodes or other roles."""
        return replace(
            self,
            x=self.x if x is None else x,
            high=self.high if high is None else high,
            role=self.role if role is None else role,
        )

    def with_columns(self, added: Tensor) -> GraphTable:
        """The same graphs with more features of their nodes."""
        return self.with_nodes(x=torch.cat([self.x, added.to(self.x.dtype)], dim=1))

    def without_edges(self) -> GraphTable:
        """The same nodes, nothing between them."""
        return replace(
            self,
            edge_index=self.edge_index[:, :0],
            edge_ptr=torch.zeros_like(self.edge_ptr),
            edge_options={name: values[:0] for name, values in self.edge_options.items()},
        )

    def without(self, edge_option: str) -> GraphTable:
        """The same graphs without one of the edge options, these very ones where they lack it."""
        if edge_option not in self.edge_options:
            return self
        kept = {name: values for name, values in self.edge_options.items() if name != edge_option}
        return replace(self, edge_options=kept)

    @property
    def num_graphs(self) -> int:
        """The number of graphs."""
        return self.node_ptr.numel() - 1

    @property
    def num_outputs(self) -> int:
        """How many numbers a model gives for a row: one for each class, or for each target."""
        return self.y.size(1) if self.y.dim() > 1 else int(self.y.max()) + 1

    @cached_property
    def graph_of_node(self) -> Tensor:
        """The graph of each node."""
        return torch.repeat_interleave(torch.arange(self.num_graphs), self.node_ptr.diff())

    def scores(self, model: GNN) -> Tensor:
        """What ``model`` gives for each row of ``y``."""
        edges = self._prepare("partition" if isinstance(model, PandaGNN) else "edges")
        options = {} if self.other is None else {"expander_edge_index": self._prepare("other")}
        batch, num_graphs = self.graph_of_node, self.num_graphs
        if self.virtual is not None:  # they make a graph of their own, which nobody reads
            batch, num_graphs = batch.where(~self.virtual, num_graphs), num_graphs + 1
        out: Tensor = model(self.x, edges, batch=batch, num_graphs=num_graphs, **options)
        return out[: self.num_graphs] if self.target_nodes is None else out[self.target_nodes]

    def _prepare(self, kind: str) -> Edges | WidthPartition:
        if kind not in self._prepared and kind == "partition":
            assert self.high is not None
            self._prepared[kind] = WidthPartition(self.edge_index, self.high, **self.edge_options)
        elif kind not in self._prepared and kind == "other":
            assert self.other is not None
            self._prepared[kind] = Edges.of_graph(self.other[0], self.x.size(0))
        elif kind not in self._prepared:
            self._prepared[kind] = Edges.of_graph(
                self.edge_index,
                self.x.size(0),
                batch=self.graph_of_node,
                num_graphs=self.num_graphs,
                role=self.role,
                **self.edge_options,
            )
        prepared: Edges | WidthPartition = self._prepared[kind]
        return prepared

    def take(self, rows: Tensor) -> GraphTable:
        """The graphs of the given rows of ``y``; where targets are of graphs, row i is graph i."""
        if self.target_nodes is None:
            return self._graphs(rows, self.y[rows])
        nodes = self.target_nodes[rows]
        graphs, place = torch.bucketize(nodes, self.node_ptr[1:], right=True).unique(
            return_inverse=True
        )
        if graphs.numel() < self.num_graphs:
            part = self._graphs(graphs, self.y[rows])
            return replace(
                part, target_nodes=nodes + (part.node_ptr[:-1] - self.node_ptr[graphs])[place]
            )
        part = replace(self, y=self.y[rows], target_nodes=nodes)
        object.__setattr__(part, "_prepared", self._prepared)  # the same graphs, the same edges
        return part

    def batches(self, rows: Tensor, batch_size: int | None = None) -> Iterator[GraphTable]:
        """The given rows of ``y`` in mini-batches, by default in one."""
        for part in rows.split(batch_size or max(1, rows.numel())):
            if part.numel():
                yield self.take(part)

    def _graphs(self, graphs: Tensor, y: Tensor) -> GraphTable:
        nodes, graph_of_node, node_ptr = _ranges(self.node_ptr, graphs)
        shift = node_ptr[:-1] - self.node_ptr[graphs]
        edge_index, edge_ptr = _cut(self.edge_index, self.edge_ptr, graphs, shift)
        edge_options = {}
        if self.edge_options:
            edges, _, _ = _ranges(self.edge_ptr, graphs)
            edge_options = {name: values[edges] for name, values in self.edge_options.items()}
        part = GraphTable(
            self.x[nodes],
            y,
            edge_index,
            node_ptr,
            edge_ptr,
            None if self.high is None else self.high[nodes],
            edge_options,
            virtual=None if self.virtual is None else self.virtual[nodes],
            other=None if self.other is None else _cut(*self.other, graphs, shift),
            role=None if self.role is None else self.role[nodes],
        )
        vars(part)["graph_of_node"] = graph_of_node
        return part


def _stored(graphs: Sequence[Data] | InMemoryDataset) -> tuple[Any, Mapping[str, Tensor] | None]:
    """All graphs in one ``Data``, and where each of them starts; ``None`` for a single one."""
    if isinstance(graphs, InMemoryDataset) and graphs._indices is None and not graphs.transform:
        return graphs._data, graphs.slices
    data, slices = InMemoryDataset.collate(list(graphs))
    return data, slices


def _cut(
    edge_index: Tensor, edge_ptr: Tensor, graphs: Tensor, shift: Tensor
) -> tuple[Tensor, Tensor]:
    """The edges of the given graphs, ``shift`` added to the nodes of each, and a new ptr."""
    arrays = (values.numpy() for values in (edge_index, edge_ptr, graphs, shift))
    return torch.from_numpy(cut_edges(*arrays)), _new_ptr(edge_ptr, graphs)


def _new_ptr(ptr: Tensor, graphs: Tensor) -> Tensor:
    sizes = ptr.diff()[graphs]
    return torch.cat([sizes.new_zeros(1), sizes.cumsum(0)])


def _ranges(ptr: Tensor, graphs: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The numbers in ``ptr[g] .. ptr[g + 1]`` for every graph g, whose each is, and a new ptr."""
    new = _new_ptr(ptr, graphs)
    owner = torch.repeat_interleave(torch.arange(graphs.numel()), new.diff())
    return torch.arange(owner.numel()) + (ptr[graphs] - new[:-1])[owner], owner, new
