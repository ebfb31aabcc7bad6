"""Models of the long-range graph benchmark: molecules in, several targets for each of them out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric.nn.inits import reset

from panda_gnn.errors import InputError, choose
from panda_gnn.nn.categories import CategoryEncoder, GINELayer
from panda_gnn.nn.dropout import dropout
from panda_gnn.nn.gcn import GCNLayer, PandaGCNConv
from panda_gnn.nn.models import NumParameters, count_parameters
from panda_gnn.nn.panda_conv import PandaConv, PlainConv
from panda_gnn.nn.partition import Edges, WidthPartition
from panda_gnn.nn.readout import graphs_of, mean_of_graphs

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": F.relu, "gelu": F.gelu}
BACKBONES = ("gcn", "gine")
PANDA_LAYERS = ("last", "all")


class Finish(nn.Module):
    """What follows a convolution: batch norm, activation, dropout, unit norm, residual connection.

    A single state has no variance: in training it passes the batch norm as it is.

    Args:
        width: Output width of the convolution.
        activation: The activation.
        dropout: Dropout probability.
        batch_norm: Whether there is a batch norm.
        unit_norm: Whether every state is divided by its Euclidean norm.
        residual: Whether the input of the convolution is added where it is as wide.
    """

    def __init__(
        self,
        width: int,
        activation: Callable[[Tensor], Tensor],
        *,
        dropout: float,
        batch_norm: bool,
        unit_norm: bool,
        residual: bool,
    ) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(width) if batch_norm else None
        self.activation = activation
        self.dropout = dropout
        self.unit_norm = unit_norm
        self.residual = residual

    def forward(self, out: Tensor, before: Tensor) -> Tensor:
        """The states that the next layer sees."""
        if self.norm is not None and (not self.training or out.size(0) > 1):
            out = self.norm(out)
        out = dropout(self.activation(out), self.dropout, self.training)
        if self.unit_norm:
            out = F.normalize(out, dim=1)
        return before + out if self.residual and before.size(1) == out.size(1) else out


class LongRangeGNN(nn.Module):
    r"""Embedded categories, ``num_layers`` convolutions of one width, a mean over nodes, a head.

    Args:
        out_channels: Number of targets of a graph.
        node_categories: The number of categories of each column of ``x``.
        edge_categories: The number of categories of each column of ``edge_attr``; the backbone
            ``"gine"`` needs them, ``"gcn"`` does not look at edges' features.
        backbone: ``"gcn"`` or ``"gine"``.
        width: Hidden width.
        num_layers: Number of convolutions.
        dropout: Dropout probability.
        activation: ``"relu"`` or ``"gelu"``.
        batch_norm: Whether a batch norm follows every convolution.
        unit_norm: Whether node states are divided by their norm after every convolution.
        residual: Whether the input of a convolution is added to its output.
        head_layers: Linear maps of the head.
    """

    def __init__(
        self,
        out_channels: int,
        node_categories: Sequence[int],
        edge_categories: Sequence[int] = (),
        *,
        backbone: str = "gcn",
        width: int = 300,
        num_layers: int = 5,
        dropout: float = 0.0,
        activation: str = "relu",
        batch_norm: bool = True,
        unit_norm: bool = False,
        residual: bool = False,
        head_layers: int = 1,
    ) -> None:
        super().__init__()
        choose("backbone", backbone, BACKBONES)
        choose("activation", activation, ACTIVATIONS)
        if min(width, num_layers, head_layers) < 1:
            raise InputError(
                f"width is {width}, num_layers {num_layers} and head_layers {head_layers}, "
                "all must be at least 1"
            )
        self.backbone = backbone
        self.width = width
        self.num_layers = num_layers
        self.dropout = dropout
        self.activation = ACTIVATIONS[activation]
        self.batch_norm = batch_norm
        self.unit_norm = unit_norm
        self.residual = residual
        self.edge_categories = tuple(edge_categories)
        self.encoder = CategoryEncoder(node_categories, width)
        self._make_layers()
        self.head = nn.ModuleList(
            nn.Linear(width, width if i + 1 < head_layers else out_channels)
            for i in range(head_layers)
        )

    def _make_layers(self) -> None:
        width = self.width
        self.layers = nn.ModuleList(
            PlainConv(self._convolution, width, width) for _ in range(self.num_layers)
        )
        self.finish = nn.ModuleList(self._finish(width) for _ in range(self.num_layers))

    def _convolution(self, before: int, after: int) -> nn.Module:
        if self.backbone == "gine":
            return GINELayer(before, after, self.edge_categories)
        return GCNLayer(before, after, bias=not self.batch_norm)

    def _finish(self, width: int) -> Finish:
        return Finish(
            width,
            self.activation,
            dropout=self.dropout,
            batch_norm=self.batch_norm,
            unit_norm=self.unit_norm,
            residual=self.residual,
        )

    def reset_parameters(self) -> None:
        """Draw all weights anew."""
        for child in self.children():
            reset(child)

    @property
    def num_parameters(self) -> NumParameters:
        """The numbers of parameters that are trained and that never are."""
        return count_parameters(self)

    def states(self, x: Tensor, edges: Edges) -> Tensor:
        """The states of all nodes after the last convolution."""
        x = self.encoder(x)
        for layer, finish in zip(self.layers, self.finish, strict=True):
            x = finish(layer(x, edges), x)
        return x

    def forward(
        self,
        x: Tensor,
        edge_index: Tensor | Edges,
        *,
        batch: Tensor | None = None,
        num_graphs: int | None = None,
        edge_attr: Tensor | None = None,
    ) -> Tensor:
        """The targets of each graph.

        Args:
            x: The categories of each node, shape ``[num_nodes, len(node_categories)]``.
            edge_index: The edges, as a tensor or prepared as :class:`~panda_gnn.nn.Edges`.
            batch: The graph of each node; without it there is one graph.
            num_graphs: The number of graphs, where known.
            edge_attr: The categories of each edge, where ``edge_index`` is a tensor.
        """
        edges = edge_index
        if isinstance(edges, Tensor):
            edges = Edges.of_graph(edges, x.size(0), edge_attr=edge_attr)
        return self.read(self.states(x, edges), batch, num_graphs)

    def read(self, x: Tensor, batch: Tensor | None, num_graphs: int | None) -> Tensor:
        """The head, applied to the mean over the nodes of each graph."""
        x = mean_of_graphs(x, *graphs_of(x, batch, num_graphs))
        for i, linear in enumerate(self.head):
            x = linear(x) if i == 0 else linear(self.activation(x))
        return x


class PandaLongRangeGNN(LongRangeGNN):
    r"""The width-aware twin of :class:`LongRangeGNN`; both widths merge in the last convolution.

    Args:
        out_channels: Number of targets of a graph.
        node_categories: The number of categories of each column of ``x``.
        edge_categories: The number of categories of each column of ``edge_attr``.
        high_width: Hidden width of high nodes.
        panda_layers: ``"last"`` as in the paper, for plain convolutions up to the last, before
            which a learned linear map lifts the high nodes to ``high_width``; or ``"all"``.
        selector: The selector of :class:`~panda_gnn.nn.PandaConv`.
        **options: Those of :class:`LongRangeGNN`.
    """

    def __init__(
        self,
        out_channels: int,
        node_categories: Sequence[int],
        edge_categories: Sequence[int] = (),
        *,
        high_width: int = 450,
        panda_layers: str = "last",
        selector: str = "topk",
        **options: Any,
    ) -> None:
        self.high_width = high_width
        self.panda_layers = choose("panda_layers", panda_layers, PANDA_LAYERS)
        self.selector = selector
        width = options.get("width", 300)
        if high_width < width:
            raise InputError(f"high_width is {high_width}, it must be at least width ({width})")
        super().__init__(out_channels, node_categories, edge_categories, **options)
        self.lift: nn.Linear | None = None
        if panda_layers == "last":
            self.lift = nn.Linear(self.width, high_width, bias=False)

    def _make_layers(self) -> None:
        width, high_width, last = self.width, self.high_width, self.num_layers - 1
        layers: list[nn.Module] = []
        finish, finish_high = [], []
        for i in range(self.num_layers):
            finish.append(self._finish(width))
            if self.panda_layers == "last" and i < last:
                layers.append(PlainConv(self._convolution, width, width))
                continue
            wide = self.panda_layers == "last" or i > 0
            layers.append(
                self._panda_convolution(
                    (width, high_width if wide else width),
                    (width, width if i == last else high_width),
                )
            )
            if i < last:
                finish_high.append(self._finish(high_width))
        self.layers = nn.ModuleList(layers)
        self.finish = nn.ModuleList(finish)
        self.finish_high = nn.ModuleList(finish_high)

    def _panda_convolution(self, before: tuple[int, int], after: tuple[int, int]) -> PandaConv:
        if self.backbone == "gine":
            return PandaConv(self._convolution, before, after, selector=self.selector)
        return PandaGCNConv(
            before,
            after,
            residual=False,
            self_loops=True,
            bias=not self.batch_norm,
            activation=None,
            selector=self.selector,
        )

    def panda_states(self, x: Tensor, partition: WidthPartition) -> Tensor:
        """The states of all nodes after the last convolution."""
        x = self.encoder(x)
        plain = self.num_layers - 1 if self.panda_layers == "last" else 0
        for i in range(plain):
            x = self.finish[i](self.layers[i](x, partition.whole), x)
        low, high = partition.split(x)
        if self.lift is not None:
            high = self.lift(high)
        for i in range(plain, self.num_layers - 1):
            out_low, out_high = self.layers[i]((low, high), partition)
            low, high = self.finish[i](out_low, low), self.finish_high[i](out_high, high)
        if self.lift is None:  # a residual connection is only there where the widths agree
            same = high if self.num_layers == 1 else torch.zeros_like(high[:, : self.width])
            x = partition.merge(low, same)
        merged = partition.merge(*self.layers[-1]((low, high), partition))
        out: Tensor = self.finish[-1](merged, x)
        return out

    def forward(  # type: ignore[override]
        self,
        x: Tensor,
        edge_index: Tensor | WidthPartition,
        high: Tensor | None = None,
        *,
        batch: Tensor | None = None,
        num_graphs: int | None = None,
        edge_attr: Tensor | None = None,
    ) -> Tensor:
        """The targets of each graph.

        Args:
            x: The categories of each node, shape ``[num_nodes, len(node_categories)]``.
            edge_index: The edges, as a tensor or prepared as a
                :class:`~panda_gnn.nn.WidthPartition`.
            high: Boolean mask of the high nodes; needed where ``edge_index`` is a tensor.
            batch: The graph of each node; without it there is one graph.
            num_graphs: The number of graphs, where known.
            edge_attr: The categories of each edge, where ``edge_index`` is a tensor.
        """
        partition = edge_index
        if isinstance(partition, Tensor):
            if high is None:
                raise InputError("high is missing: give the mask that ExpandWidth writes")
            partition = WidthPartition(partition, high, edge_attr=edge_attr)
        return self.read(self.panda_states(x, partition), batch, num_graphs)
