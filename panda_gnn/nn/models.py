"""The stack of layers that plain and width-aware models share."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch_geometric.nn.inits import reset

from panda_gnn.errors import InputError, choose
from panda_gnn.nn.dropout import dropout
from panda_gnn.nn.gcn import GCNLayer, PandaGCNConv
from panda_gnn.nn.gin import GINLayer, PandaGINConv
from panda_gnn.nn.panda_conv import Factory, Pair, PandaConv, PlainConv
from panda_gnn.nn.partition import Edges, WidthPartition
from panda_gnn.nn.readout import FullyAdjacentLast, graphs_of, mean_of_graphs
from panda_gnn.nn.rgcn import PandaRGCNConv, RGCNLayer
from panda_gnn.nn.rgin import PandaRGINConv, RGINLayer

PLAIN = {"gcn": GCNLayer, "gin": GINLayer, "rgcn": RGCNLayer, "rgin": RGINLayer}
PANDA = {
    "gcn": PandaGCNConv,
    "gin": PandaGINConv,
    "rgcn": PandaRGCNConv,
    "rgin": PandaRGINConv,
}
BACKBONES = tuple(PLAIN)


class NumParameters(NamedTuple):
    """How many parameters learn, and how many keep their random start for ever."""

    trained: int
    never_trained: int


def count_parameters(model: nn.Module) -> NumParameters:
    """The numbers of parameters of any model that are trained and that never are."""
    trained = sum(p.numel() for p in model.parameters() if p.requires_grad)
    return NumParameters(trained, sum(p.numel() for p in model.parameters()) - trained)


class GNN(nn.Module):
    r"""A plain graph neural network: ``in -> width x num_layers -> out``.

    There are ``num_layers + 1`` convolutions with ReLU and dropout between them. For graphs, the
    scores of the nodes are averaged; there is no other read-out.

    Args:
        in_channels: Width of the node features.
        out_channels: Number of classes or targets.
        backbone: ``"gcn"``, ``"gin"``, ``"rgcn"``, ``"rgin"``, or a function that makes any PyG
            convolution from input and output width.
        width: Hidden width.
        num_layers: Number of hidden layers.
        dropout: Dropout probability between layers.
        readout: ``"mean"`` for one output for each graph, ``None`` for one for each node.
        residual: Add the input of a layer where it is as wide as its output.
        last_layer_fa: Let every node see its whole graph in the last layer.
        **options: Options of the backbone's layers, such as ``num_relations`` or ``self_loops``.
    """

    #: What the last forward pass adds to the loss of the task.
    auxiliary_loss: Tensor | float = 0.0

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        backbone: str | Factory = "gcn",
        width: int = 64,
        num_layers: int = 4,
        dropout: float = 0.5,
        readout: str | None = "mean",
        residual: bool = False,
        last_layer_fa: bool = False,
        **options: Any,
    ) -> None:
        super().__init__()
        if isinstance(backbone, str):
            choose("backbone", backbone, BACKBONES)
        if readout not in ("mean", None):
            raise InputError(f"unknown readout '{readout}': choose mean, or None for node outputs")
        if width < 1 or num_layers < 1:
            raise InputError(
                f"width is {width} and num_layers {num_layers}, both must be at least 1"
            )
        self.backbone = backbone
        self.width = width
        self.num_layers = num_layers
        self.dropout = dropout
        self.readout = readout
        layers = self._make_layers(in_channels, out_channels, residual, options)
        if last_layer_fa:
            if not isinstance(backbone, str):
                raise InputError(f"last_layer_fa needs a backbone among {', '.join(BACKBONES)}")
            layers[-1] = FullyAdjacentLast(backbone, width, out_channels, layers[-1])
        self.layers = nn.ModuleList(layers)

    def _make_layers(
        self, in_channels: int, out_channels: int, residual: bool, options: dict[str, Any]
    ) -> list[Any]:
        widths = [in_channels] + [self.width] * self.num_layers + [out_channels]
        return [
            self._plain_layer(widths[i], widths[i + 1], i == self.num_layers, residual, options)
            for i in range(self.num_layers + 1)
        ]

    def _plain_layer(
        self, before: int, after: int, last: bool, residual: bool, options: dict[str, Any]
    ) -> PlainConv:
        conv = self.backbone
        if isinstance(conv, str):
            layer = PLAIN[conv]
            make: Factory = lambda i, o: layer(i, o, **options)  # noqa: E731
        else:
            make = conv
        return PlainConv(
            make, before, after, activation=None if last else torch.relu, residual=residual
        )

    def reset_parameters(self) -> None:
        """Draw all weights anew."""
        for child in self.children():
            reset(child)

    @property
    def num_parameters(self) -> NumParameters:
        """The numbers of parameters that are trained and that never are."""
        return count_parameters(self)

    def states(self, x: Tensor, edges: Edges, other: Edges | None = None) -> list[Tensor]:
        """The node states after every layer, the last being the scores.

        Args:
            x: Node features.
            edges: The edges of the graph.
            other: Edges that every second layer uses instead, such as those of an expander graph.
        """
        states: list[Tensor] = []
        for i, layer in enumerate(self.layers):
            if i > 0:
                x = dropout(x, self.dropout, self.training)
            x = layer(x, edges if other is None or i % 2 == 0 else other)
            states.append(x)
        return states

    def forward(
        self,
        x: Tensor,
        edge_index: Tensor | Edges,
        *,
        batch: Tensor | None = None,
        num_graphs: int | None = None,
        edge_weight: Tensor | None = None,
        edge_attr: Tensor | None = None,
        edge_type: Tensor | None = None,
        expander_edge_index: Tensor | None = None,
    ) -> Tensor:
        """The scores of each graph, or of each node where ``readout`` is ``None``.

        Args:
            x: Node features, shape ``[num_nodes, in_channels]``.
            edge_index: The edges, as a tensor or prepared as :class:`~panda_gnn.nn.Edges`.
            batch: The graph of each node; without it there is one graph.
            num_graphs: The number of graphs, where known.
            edge_weight: Optional weight of each edge.
            edge_attr: Optional features of each edge.
            edge_type: Optional relation of each edge.
            expander_edge_index: Optional edges that every second layer uses instead.
        """
        edges = edge_index
        if isinstance(edges, Tensor):
            edges = Edges.of_graph(
                edges,
                x.size(0),
                edge_weight=edge_weight,
                edge_attr=edge_attr,
                edge_type=edge_type,
                batch=batch,
                num_graphs=num_graphs,
            )
        other = None
        if expander_edge_index is not None:
            other = Edges.of_graph(expander_edge_index, x.size(0))
        return self.read(self.states(x, edges, other)[-1], batch, num_graphs)

    def read(self, out: Tensor, batch: Tensor | None, num_graphs: int | None) -> Tensor:
        """The mean over the nodes of each graph, or the nodes' own scores."""
        if self.readout is None:
            return out
        return mean_of_graphs(out, *graphs_of(out, batch, num_graphs))


class PandaGNN(GNN):
    r"""The width-aware twin of :class:`GNN`: the same stack, high nodes having ``high_width``.

    The last layer gives both sides the output width and merges them.

    Args:
        in_channels: Width of the node features.
        out_channels: Number of classes or targets.
        high_width: Hidden width of high nodes.
        panda_layers: ``"all"``, or ``"last"`` for plain layers up to the last convolution, before
            which a learned linear map lifts the high nodes to ``high_width``.
        **options: Those of :class:`GNN` (except ``last_layer_fa``), of
            :class:`~panda_gnn.nn.PandaConv` (``selector``, ``selector_hidden``, ``score``) and of
            the backbone's layers. Unless ``residual`` is given, PANDA-GCN in all layers has
            the paper's residual connection, everything else has none.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        high_width: int = 128,
        panda_layers: str = "all",
        backbone: str | Factory = "gcn",
        residual: bool | None = None,
        **options: Any,
    ) -> None:
        self.panda_layers = choose("panda_layers", panda_layers, ("all", "last"))
        self.high_width = high_width
        if options.pop("last_layer_fa", False):
            raise InputError("last_layer_fa is an option of GNN, not of PandaGNN")
        width = options.get("width", 64)
        if high_width < width:
            raise InputError(f"high_width is {high_width}, it must be at least width ({width})")
        super().__init__(
            in_channels,
            out_channels,
            backbone=backbone,
            residual=backbone == "gcn" and panda_layers == "all" if residual is None else residual,
            **options,
        )
        self.lift: nn.Linear | None = None
        if panda_layers == "last":
            self.lift = nn.Linear(self.width, high_width, bias=False)

    def _make_layers(
        self, in_channels: int, out_channels: int, residual: bool, options: dict[str, Any]
    ) -> list[Any]:
        low = [in_channels] + [self.width] * self.num_layers + [out_channels]
        high = [in_channels] + [self.high_width] * self.num_layers + [out_channels]
        panda = {key: options.pop(key) for key in PANDA_OPTIONS if key in options}
        layers: list[Any] = []
        for i in range(self.num_layers + 1):
            last = i == self.num_layers
            if self.panda_layers == "last" and not last:
                layers.append(self._plain_layer(low[i], low[i + 1], last, residual, options))
                continue
            layers.append(
                self._panda_layer(
                    (low[i], high[i]),
                    (low[i + 1], high[i + 1]),
                    activation=None if last else torch.relu,
                    residual=residual,
                    **panda,
                    **options,
                )
            )
        return layers

    def _panda_layer(
        self, before: tuple[int, int], after: tuple[int, int], **options: Any
    ) -> PandaConv:
        if isinstance(self.backbone, str):
            layer: PandaConv = PANDA[self.backbone](before, after, **options)
            return layer
        return PandaConv(self.backbone, before, after, **options)

    def panda_states(self, x: Tensor, partition: WidthPartition) -> list[Pair]:
        """The states of low and high nodes after every layer, the last being the scores."""
        states: list[Pair] = []
        plain = x
        pair = partition.split(x)
        for i, layer in enumerate(self.layers):
            if isinstance(layer, PlainConv):
                plain = layer(plain, partition.whole)
                states.append(partition.split(plain))
                plain = dropout(plain, self.dropout, self.training)
                pair = partition.split(plain)
                continue
            if self.lift is not None:
                if i > 0:
                    pair = pair[0], self.lift(pair[1])
            elif i > 0:
                low, high = pair
                pair = (
                    dropout(low, self.dropout, self.training),
                    dropout(high, self.dropout, self.training),
                )
            pair = layer(pair, partition)
            states.append(pair)
        return states

    def forward(  # type: ignore[override]
        self,
        x: Tensor,
        edge_index: Tensor | WidthPartition,
        high: Tensor | None = None,
        *,
        batch: Tensor | None = None,
        num_graphs: int | None = None,
        edge_weight: Tensor | None = None,
        edge_attr: Tensor | None = None,
        edge_type: Tensor | None = None,
    ) -> Tensor:
        """The scores of each graph, or of each node where ``readout`` is ``None``.

        Args:
            x: Node features, shape ``[num_nodes, in_channels]``.
            edge_index: The edges, as a tensor or prepared as a
                :class:`~panda_gnn.nn.WidthPartition`.
            high: Boolean mask of the high nodes, such as ``data.high`` of
                :class:`~panda_gnn.transforms.ExpandWidth`; needed where ``edge_index`` is a tensor.
            batch: The graph of each node; without it there is one graph.
            num_graphs: The number of graphs, where known.
            edge_weight: Optional weight of each edge.
            edge_attr: Optional features of each edge.
            edge_type: Optional relation of each edge.
        """
        partition = edge_index
        if isinstance(partition, Tensor):
            if high is None:
                raise InputError(
                    "PandaGNN needs the mask of the high nodes: pass high=data.high, "
                    "written by panda_gnn.transforms.ExpandWidth"
                )
            partition = WidthPartition(
                partition,
                high,
                edge_weight=edge_weight,
                edge_attr=edge_attr,
                edge_type=edge_type,
            )
        out = partition.merge(*self.panda_states(x, partition)[-1])
        return self.read(out, batch, num_graphs)


PANDA_OPTIONS = ("selector", "selector_hidden", "score", "variant")
