"""The stack of layers that plain and width-aware models share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint
from torch_geometric.nn.inits import reset

from panda_gnn.errors import InputError, choose
from panda_gnn.nn.adgn import ADGNLayer
from panda_gnn.nn.backbones import PYG_BACKBONES
from panda_gnn.nn.convolution import Convolution
from panda_gnn.nn.edges import Edges
from panda_gnn.nn.gcn import GCNLayer, PandaGCNConv
from panda_gnn.nn.gin import BatchNorm, GINLayer, PandaGINConv
from panda_gnn.nn.gine import CategoryEncoder, GINELayer, PandaGINEConv
from panda_gnn.nn.inputs import (
    check_factory,
    check_features,
    check_nodes,
    check_num_graphs,
    check_options,
    check_prepared,
    check_read,
    keyword_names,
    name_of,
    option_names,
    whole_or_categories,
)
from panda_gnn.nn.kernels.updating import update
from panda_gnn.nn.panda_conv import SELECTOR_OPTIONS, Factory, PandaConv, PlainConv, as_partition
from panda_gnn.nn.partition import Pair, WidthPartition
from panda_gnn.nn.readout import FullyAdjacentLast, graphs_of, mean_of_graphs
from panda_gnn.nn.released import (
    ReleasedGCNConv,
    ReleasedGINConv,
    ReleasedRGCNConv,
    ReleasedRGINConv,
)
from panda_gnn.nn.rgcn import PandaRGCNConv, RGCNLayer
from panda_gnn.nn.rgin import PandaRGINConv, RGINLayer
from panda_gnn.options import flag, real_number, whole_number
from panda_gnn.registry import Registry

PLAIN_LAYERS: Registry[Callable[..., nn.Module]] = Registry(
    "backbone",
    {
        "gcn": GCNLayer,
        "gin": GINLayer,
        "gine": GINELayer,
        "rgcn": RGCNLayer,
        "rgin": RGINLayer,
        **PYG_BACKBONES,
        "adgn": ADGNLayer,
    },
)
"""What makes the convolutions of each backbone, by its name."""

_PAPER_LAYERS: dict[str, Callable[..., PandaConv]] = {
    "gcn": PandaGCNConv,
    "gin": PandaGINConv,
    "gine": PandaGINEConv,
    "rgcn": PandaRGCNConv,
    "rgin": PandaRGINConv,
    **{name: partial(PandaConv, make) for name, make in PYG_BACKBONES.items()},
    "adgn": partial(PandaConv, ADGNLayer),
}
PANDA_VARIANTS: Mapping[str, Mapping[str, Callable[..., PandaConv]]] = MappingProxyType(
    {
        "paper": _PAPER_LAYERS,
        "released": {
            "gcn": ReleasedGCNConv,
            "gin": ReleasedGINConv,
            "rgcn": ReleasedRGCNConv,
            "rgin": ReleasedRGINConv,
        },
    }
)
BACKBONES = ("gcn", "gin", "rgcn", "rgin")
"""The paper's backbones, for any graph."""


def backbone_names() -> list[str]:
    """Every backbone; ``"gine"`` is for graphs whose edges have features."""
    return list(PLAIN_LAYERS)


def add_backbone(name: str, make: Factory) -> None:
    """Make a convolution a backbone by name, plain and width-aware.

    Args:
        name: A name that is still free.
        make: Makes the convolution from input and output width, such as its class.
    """
    check_factory(make, "backbone")
    PLAIN_LAYERS.register(name, make)
    _PAPER_LAYERS[name] = partial(PandaConv, make)


ACTIVATIONS: Mapping[str, Callable[[Tensor], Tensor]] = MappingProxyType(
    {"relu": torch.relu, "gelu": F.gelu}
)
PANDA_LAYERS = ("all", "last")


class NumParameters(NamedTuple):
    """How many parameters learn, and how many keep their random start for ever."""

    trained: int
    never_trained: int


class GNN(nn.Module):
    r"""A plain graph neural network: encoder, convolutions, read-out, head.

    Without a head (``head_layers=0``, the paper's stack ``in -> width x num_layers -> out``) there
    are ``num_layers + 1`` convolutions, the last of which gives the scores of the nodes. With a
    head there are ``num_layers`` convolutions, and the head is applied to what the read-out gives.

    A convolution is followed by batch norm, activation, dropout, unit norm and residual connection,
    where the model has them. (Without head and norms, dropout comes after the residual connection.)
    Scores are left as they are.

    Args:
        in_channels: Width of the node features; or the number of categories of each column of
            ``x``, which are then embedded into ``width`` numbers.
        out_channels: Number of classes or targets.
        backbone: ``"gcn"``, ``"gin"``, ``"gine"``, ``"rgcn"``, ``"rgin"``, ``"sage"``, ``"gat"``,
            ``"gatv2"``, ``"pna"``, ``"transformer"``, ``"adgn"``, or a function that makes any PyG
            convolution from input and output width, such as the class itself.
        width: Hidden width.
        num_layers: Number of hidden layers.
        dropout: Dropout probability.
        readout: ``"mean"`` for one output for each graph, ``None`` for one for each node.
        residual: Add the input of a layer where it is as wide as its output.
        last_layer_fa: Let every node see its whole graph in the last layer.
        activation: ``"relu"`` or ``"gelu"``.
        batch_norm: Normalise what convolutions return; they have no bias then.
        unit_norm: Divide the states of nodes by their norm after every convolution.
        head_layers: Number of linear maps of the head.
        activate_layers: Whether an activation follows a convolution, in a model with norms or head;
            after ``"adgn"``, which has its own, none ever does.
        edge_categories: The number of categories of each column of ``edge_attr``, for ``"gine"``,
            which has ``edge_dim`` instead where these are features.
        share_edge_encoder: Let all layers of ``"gine"`` that have one width embed these alike.
        recompute: Keep nothing but the states between layers for the backward pass, which runs
            every layer once more: a training step on a large graph takes less memory and more time.
            For models without batch norms.
        **options: Options of the backbone's layers, such as ``num_relations`` or ``self_loops``, or
            of the convolution's class.

    Shapes:
        - **input:** ``x`` ``[num_nodes, in_channels]``, or a column of whole numbers for each entry
          of ``in_channels``; ``edge_index`` ``[2, num_edges]``; optionally ``edge_weight``
          ``[num_edges]``, ``edge_attr`` ``[num_edges, columns]``, ``batch`` ``[num_nodes]``
        - **output:** ``[num_graphs, out_channels]``, or ``[num_nodes, out_channels]`` with
          ``readout=None``

    Example:
        >>> import torch
        >>> from panda_gnn.nn import GNN
        >>> x, edge_index = torch.rand(4, 7), torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
        >>> GNN(7, 2, width=16)(x, edge_index).shape
        torch.Size([1, 2])
        >>> GNN(7, 2, width=16, backbone="gin", readout=None)(x, edge_index).shape
        torch.Size([4, 2])
    """

    #: What the last forward pass adds to the loss of the task.
    auxiliary_loss: Tensor | float = 0.0

    def __init__(
        self,
        in_channels: int | Sequence[int],
        out_channels: int,
        *,
        backbone: str | Factory = "gcn",
        width: int = 64,
        num_layers: int = 4,
        dropout: float = 0.5,
        readout: str | None = "mean",
        residual: bool = False,
        last_layer_fa: bool = False,
        activation: str = "relu",
        batch_norm: bool = False,
        unit_norm: bool = False,
        head_layers: int = 0,
        activate_layers: bool = True,
        edge_categories: Sequence[int] = (),
        share_edge_encoder: bool = False,
        recompute: bool = False,
        **options: Any,
    ) -> None:
        super().__init__()
        if isinstance(backbone, str):
            choose("backbone", backbone, PLAIN_LAYERS)
        else:
            check_factory(backbone, "backbone")
        if readout not in ("mean", None):
            raise InputError(f"unknown readout '{readout}': choose mean, or None for node outputs")
        in_channels = whole_or_categories("in_channels", in_channels)
        out_channels = whole_number("out_channels", out_channels, 1)
        self.width = whole_number("width", width, 1)
        self.num_layers = whole_number("num_layers", num_layers, 1)
        head_layers = whole_number("head_layers", head_layers)
        self.dropout = real_number("dropout", dropout, "a number from 0 to 1", least=0, most=1)
        self.residual = flag("residual", residual)
        self.unit_norm = flag("unit_norm", unit_norm)
        self.recompute = flag("recompute", recompute)
        self.activate_layers = flag("activate_layers", activate_layers)
        last_layer_fa = flag("last_layer_fa", last_layer_fa)
        batch_norm = flag("batch_norm", batch_norm)
        if backbone == "gine":
            if not edge_categories and "edge_dim" not in options:
                raise InputError("backbone 'gine' needs edge_dim or edge_categories: give one")
            if share_edge_encoder and not edge_categories:
                raise InputError("share_edge_encoder needs edge_categories, which are missing")
            options["edge_categories"] = edge_categories
        elif share_edge_encoder or edge_categories:
            name = "share_edge_encoder" if share_edge_encoder else "edge_categories"
            raise InputError(f"{name} is for the backbone 'gine', not for '{backbone}'")
        if backbone == "pna" and "deg" not in options:
            raise InputError("backbone 'pna' needs deg, the number of nodes of each degree")
        if backbone == "gcn" and batch_norm:
            options.setdefault("bias", False)
        self._check_options(backbone, options)
        #: The name of the backbone, or that of the function that makes its convolutions.
        self.backbone = backbone if isinstance(backbone, str) else name_of(backbone)
        self.readout = readout
        self.activation = ACTIVATIONS[choose("activation", activation, ACTIVATIONS)]
        #: Whether the model, and not each layer, has activation and residual connection.
        self.finishes = batch_norm or unit_norm or head_layers > 0
        if not (activate_layers or self.finishes):
            raise InputError("activate_layers=False needs a model with head, batch or unit norm")
        self.encoder: CategoryEncoder | None = None
        if not isinstance(in_channels, int):
            self.encoder = CategoryEncoder(in_channels, width)
            in_channels = width
        self.in_channels = in_channels
        widths = [in_channels] + [width] * num_layers + ([] if head_layers else [out_channels])
        layers = self._make_layers(backbone, widths, options)
        if last_layer_fa:
            if not isinstance(backbone, str):
                raise InputError(f"last_layer_fa needs a backbone among {', '.join(BACKBONES)}")
            layers[-1] = FullyAdjacentLast(backbone, widths[-2], widths[-1], layers[-1])
        self.layers = nn.ModuleList(layers)
        if any(isinstance(one, Convolution) and one.activates for one in self.layers.modules()):
            self.activate_layers = False
        if share_edge_encoder:
            encoders: dict[int, CategoryEncoder] = {}
            for layer in self.modules():
                if isinstance(layer, GINELayer):
                    own = layer.edge_encoder
                    assert isinstance(own, CategoryEncoder)
                    layer.edge_encoder = encoders.setdefault(own.weight.size(1), own)
        hidden_high = [
            layer.out_channels[1] for layer in layers[:-1] if isinstance(layer, PandaConv)
        ]
        self.norms = nn.ModuleList(BatchNorm(width) for _ in range(num_layers * batch_norm))
        self.high_norms = nn.ModuleList(BatchNorm(high) for high in hidden_high * batch_norm)
        head = [width] * head_layers + [out_channels]
        self.head = nn.ModuleList(nn.Linear(i, o) for i, o in pairwise(head))
        if recompute and any(name.endswith("running_mean") for name, _ in self.named_buffers()):
            raise InputError(
                "recompute=True runs every layer twice, but this model has batch norms, whose "
                "running means would count every batch twice: leave recompute or the norms out"
            )

    def _check_options(self, backbone: str | Factory, options: Mapping[str, Any]) -> None:
        """The backbone takes all options that the model does not take itself."""
        known = option_names(PLAIN_LAYERS[backbone] if isinstance(backbone, str) else backbone)
        if known is not None:
            kinds = [kind for kind in type(self).__mro__ if issubclass(kind, GNN)]
            inits = [vars(kind)["__init__"] for kind in kinds if "__init__" in vars(kind)]
            own = [name for init in inits for name in keyword_names(init)]
            known = [*known, *dict.fromkeys(own)]
        name = backbone if isinstance(backbone, str) else name_of(backbone)
        check_options(f"{type(self).__name__} with backbone {name}", options, known)

    def _make_layers(
        self, backbone: str | Factory, widths: list[int], options: dict[str, Any]
    ) -> list[Any]:
        layers = range(len(widths) - 1)
        return [self._plain_layer(i, backbone, widths, options) for i in layers]

    def _plain_layer(
        self, i: int, backbone: str | Factory, widths: list[int], options: dict[str, Any]
    ) -> PlainConv:
        layer = PLAIN_LAYERS[backbone] if isinstance(backbone, str) else backbone
        make = partial(layer, **options)
        return PlainConv(make, *widths[i : i + 2], **self._layer_options(i))

    def _layer_options(self, i: int) -> dict[str, Any]:
        """Activation and residual connection of a layer."""
        if self.finishes:
            return {"activation": None, "residual": False}
        activation = None if i == self.num_layers else self.activation
        return {"activation": activation, "residual": self.residual}

    def reset_parameters(self) -> None:
        """Reset the parameters."""
        for child in self.children():
            reset(child)

    @property
    def num_parameters(self) -> NumParameters:
        """The numbers of parameters that are trained and that never are."""
        trained = sum(p.numel() for p in self.parameters() if p.requires_grad)
        return NumParameters(trained, sum(p.numel() for p in self.parameters()) - trained)

    def _layer_dropout(self, i: int) -> float:
        """With which probability layer ``i`` itself zeroes numbers."""
        drops = self.training and i < self.num_layers and not self.finishes
        return self.dropout if drops else 0.0

    def _finish(self, i: int, out: Tensor, before: Tensor, norms: nn.ModuleList) -> Tensor:
        """What layer ``i`` leaves to the next: ``out``, normalised, activated, dropped out, where
        the layer does not do that itself."""
        if not self.finishes or i == self.num_layers:
            return out
        out = norms[i](out) if norms else out
        activation = self.activation if self.activate_layers else None
        out = update(out, before, activation, False, self.dropout if self.training else 0.0)
        if self.unit_norm:
            out = F.normalize(out, dim=1)
        return before + out if self.residual and before.size(1) == out.size(1) else out

    def _plain_states(
        self, x: Tensor, edges: Edges, other: Edges | None = None
    ) -> Iterator[Tensor]:
        """The node states after every layer up to the first width-aware one."""
        for i, layer in enumerate(self.layers):
            if isinstance(layer, PandaConv):
                return
            x = self._run(self._plain_step, i, edges if other is None or i % 2 == 0 else other, x)
            yield x

    def _plain_step(self, i: int, edges: Edges, x: Tensor) -> Tensor:
        dropped = self._layer_dropout(i)
        out = self.layers[i](x, edges, dropped) if dropped else self.layers[i](x, edges)
        return self._finish(i, out, x, self.norms)

    def _run(self, step: Callable[..., Any], *given: Any) -> Any:
        """What a step gives; nothing in it is kept for the backward pass where it is recomputed."""
        if self.recompute and torch.is_grad_enabled():
            return checkpoint(step, *given, use_reentrant=False)
        return step(*given)

    def states(self, x: Tensor, edges: Edges, other: Edges | None = None) -> list[Tensor]:
        """The node states after every layer; without a head the last are the scores.

        Args:
            x: Node features or categories.
            edges: The edges of the graph.
            other: Edges that every second layer uses instead, such as those of an expander graph.
        """
        x = x if self.encoder is None else self.encoder(x)
        return list(self._plain_states(x, edges, other))

    def forward(
        self,
        x: Tensor,
        edge_index: Tensor | Edges,
        edge_weight: Tensor | None = None,
        edge_attr: Tensor | None = None,
        batch: Tensor | None = None,
        num_graphs: int | None = None,
        edge_type: Tensor | None = None,
        expander_edge_index: Tensor | Edges | None = None,
    ) -> Tensor:
        """The scores of each graph, or of each node where ``readout`` is ``None``.

        Args:
            x: Node features or categories, shape ``[num_nodes, columns]``.
            edge_index: The edges, as a tensor or prepared as :class:`~panda_gnn.nn.Edges`.
            edge_weight: Optional weight of each edge.
            edge_attr: Optional features of each edge.
            batch: The graph of each node; without it there is one graph.
            num_graphs: The number of graphs, where known.
            edge_type: Optional relation of each edge.
            expander_edge_index: Optional edges that every second layer uses instead.
        """
        values = {"edge_weight": edge_weight, "edge_attr": edge_attr, "edge_type": edge_type}
        edges = self._edges(x, edge_index, batch, num_graphs, **values)
        other = expander_edge_index
        if isinstance(other, Edges):
            self._check_prepared(x, other, other)
        elif other is not None:
            other = Edges.of_graph(other, x.size(0))
        return self.read(self.states(x, edges, other)[-1], edges.batch, edges.num_graphs)

    def _edges(
        self,
        x: Tensor,
        edge_index: Tensor | Edges,
        batch: Tensor | None,
        num_graphs: int | None,
        role: Tensor | None = None,
        **values: Tensor | None,
    ) -> Edges:
        """What a model was given of the edges, checked, with the graph of each node."""
        self._check_x(x)
        if not isinstance(edge_index, Edges):
            check_read(values, self, str(self.backbone))
            check_num_graphs(num_graphs, batch)
            graphs: dict[str, Any] = {"batch": batch, "num_graphs": num_graphs, "role": role}
            return Edges.of_graph(edge_index, x.size(0), **(graphs | values))
        edges = self._check_prepared(x, edge_index, edge_index, role=role, **values)
        if batch is None:
            batch, num_graphs = edges.batch, edges.num_graphs
        check_nodes(x.size(0), batch=batch)
        check_num_graphs(num_graphs, batch)
        return replace(edges, batch=batch, num_graphs=num_graphs)

    @property
    def reads(self) -> set[str]:
        """What the layers read of the edges, besides ``edge_index``."""
        convolutions = (module for module in self.modules() if isinstance(module, Convolution))
        return {name for convolution in convolutions for name in convolution.reads}

    def _check_x(self, x: Tensor) -> None:
        if self.encoder is None:
            check_features(x, self.in_channels)
        else:
            self.encoder.check(x)

    def _check_prepared(
        self, x: Tensor, prepared: Edges | WidthPartition, edges: Edges, **given: Tensor | None
    ) -> Edges:
        """The edges of ``prepared``, which are all that was given, and as many nodes as ``x``."""
        check_prepared(prepared, **given)
        if x.size(0) != edges.num_targets:
            raise InputError(
                f"x has the shape {list(x.shape)}, but the edges have {edges.num_targets} nodes: "
                "give one row for each"
            )
        return edges

    def read(self, out: Tensor, batch: Tensor | None, num_graphs: int | None) -> Tensor:
        """The head, applied to the mean over the nodes of each graph or to every node."""
        if self.readout is not None:
            out = mean_of_graphs(out, *graphs_of(out, batch, num_graphs))
        for i, linear in enumerate(self.head):
            out = linear(self.activation(out) if i else out)
        return out


class PandaGNN(GNN):
    r"""The width-aware counterpart of :class:`GNN`, its high nodes having ``high_width``.

    The last layer gives both sides one width and merges them.

    Args:
        in_channels: As in :class:`GNN`.
        out_channels: Number of classes or targets.
        high_width: Hidden width of high nodes; by default 128, or twice the width if that is more.
        panda_layers: ``"all"``, or ``"last"`` for plain layers up to the last convolution, before
            which a learned linear map lifts the high nodes to ``high_width``.
        variant: ``"paper"``, or ``"released"`` for the authors' released code
            (:mod:`panda_gnn.nn.released`).
        **options: Those of :class:`GNN` (except ``last_layer_fa``), of
            :class:`~panda_gnn.nn.PandaConv` (``selector``, ``selector_hidden``, ``score``) and of
            the backbone's layers. Unless ``residual`` is given, PANDA-GCN in all layers has
            the paper's residual connection, everything else and models with a head have none.
            PANDA-GCN has the paper's layers without self-loops and bias, with a head those of GCN.

    Shapes:
        Those of :class:`GNN`, with the mask ``high`` ``[num_nodes]`` after ``edge_index``; or ``x``
        and a :class:`~panda_gnn.nn.WidthPartition`, which has both.

    Example:
        >>> import torch
        >>> from panda_gnn.nn import PandaGNN
        >>> x, edge_index = torch.rand(4, 7), torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
        >>> high = torch.tensor([False, True, True, False])  # or data.high of ExpandWidth
        >>> PandaGNN(7, 2, width=16, high_width=24)(x, edge_index, high).shape
        torch.Size([1, 2])
    """

    def __init__(
        self,
        in_channels: int | Sequence[int],
        out_channels: int,
        *,
        high_width: int | None = None,
        panda_layers: str = "all",
        variant: str = "paper",
        backbone: str | Factory = "gcn",
        residual: bool | None = None,
        **options: Any,
    ) -> None:
        self.panda_layers = choose("panda_layers", panda_layers, PANDA_LAYERS)
        own = SELECTOR_OPTIONS if isinstance(backbone, str) else (*SELECTOR_OPTIONS, "bipartite")
        self.panda_options = {key: options.pop(key) for key in own if key in options}
        self.variant = choose("variant", variant, PANDA_VARIANTS)
        if variant != "paper":
            known = PANDA_VARIANTS[variant]
            choose("backbone", str(backbone), known, f"of the variant '{variant}'")
        if options.pop("last_layer_fa", False):
            raise InputError("last_layer_fa is an option of GNN, not of PandaGNN")
        width = whole_number("width", options.get("width", 64), 1)
        has_head = bool(options.get("head_layers"))
        if high_width is None:
            high_width = max(128, 2 * width)
        self.high_width = high_width = whole_number("high_width", high_width, 1)
        if high_width < width:
            raise InputError(f"high_width is {high_width}, it must be at least width ({width})")
        if residual is None:
            residual = backbone == "gcn" and panda_layers == "all" and not has_head
        if backbone == "gcn" and has_head:
            options = {"self_loops": True, "bias": not options.get("batch_norm"), **options}
        super().__init__(in_channels, out_channels, backbone=backbone, residual=residual, **options)
        self.lift: nn.Linear | None = None
        if panda_layers == "last":
            last = self.layers[-1]
            assert isinstance(last, PandaConv)
            self.lift = nn.Linear(*last.in_channels, bias=False)

    def _make_layers(
        self, backbone: str | Factory, widths: list[int], options: dict[str, Any]
    ) -> list[Any]:
        last = len(widths) - 2
        high = [widths[0]] + [self.high_width] * last + [widths[-1]]
        plain = 0
        if self.panda_layers == "last":
            plain, high[last] = last, self.high_width
        layers: list[Any] = [self._plain_layer(i, backbone, widths, options) for i in range(plain)]
        named = PANDA_VARIANTS[self.variant]
        make = named[backbone] if isinstance(backbone, str) else partial(PandaConv, backbone)
        for i in range(plain, last + 1):
            channels = (widths[i], high[i]), (widths[i + 1], high[i + 1])
            own = self._layer_options(i) | self.panda_options
            layers.append(make(*channels, **own, **options))
        return layers

    def _states(self, x: Tensor, partition: WidthPartition) -> Iterator[Tensor | Pair]:
        """The states after every layer: of all nodes where they have one width, else as a pair."""
        x = x if self.encoder is None else self.encoder(x)
        plain = 0
        for state in self._plain_states(x, partition.whole):
            plain += 1
            x = state
            yield x
        low, high = partition.split(x)
        if self.lift is not None:
            high = self.lift(high)
        for i in range(plain, len(self.layers)):
            merges = i + 1 == self.num_layers and len(self.head) > 0
            if merges and self.residual and self.lift is None:
                same = high if i == 0 else torch.zeros_like(high[:, : self.width])
                x = partition.merge(low, same)
            if merges:
                out = partition.merge(*self.layers[i]((low, high), partition))
                yield self._finish(i, out, x, self.norms)
                return
            low, high = self._run(self._panda_step, i, partition, low, high)
            yield low, high

    def _panda_step(self, i: int, partition: WidthPartition, low: Tensor, high: Tensor) -> Pair:
        dropped = self._layer_dropout(i)
        out_low, out_high = self.layers[i]((low, high), partition, dropout=dropped)
        return (
            self._finish(i, out_low, low, self.norms),
            self._finish(i, out_high, high, self.high_norms),
        )

    def states(  # type: ignore[override]
        self, x: Tensor, partition: WidthPartition
    ) -> list[Pair]:
        """The states of low and high nodes after every layer; without a head the last are the
        scores."""
        states = self._states(x, partition)
        return [partition.split(s) if isinstance(s, Tensor) else s for s in states]

    def forward(  # type: ignore[override]
        self,
        x: Tensor,
        edge_index: Tensor | Edges | WidthPartition,
        high: Tensor | None = None,
        edge_weight: Tensor | None = None,
        edge_attr: Tensor | None = None,
        batch: Tensor | None = None,
        num_graphs: int | None = None,
        edge_type: Tensor | None = None,
    ) -> Tensor:
        """The scores of each graph, or of each node where ``readout`` is ``None``.

        Args:
            x: Node features or categories, shape ``[num_nodes, columns]``.
            edge_index: The edges, as a tensor or prepared as a
                :class:`~panda_gnn.nn.WidthPartition`.
            high: Boolean mask of the high nodes, such as ``data.high`` of
                :class:`~panda_gnn.transforms.ExpandWidth`; needed where ``edge_index`` is a tensor.
            edge_weight: This and the arguments after it are those of :meth:`GNN.forward`.
        """
        self._check_x(x)
        values = {"edge_weight": edge_weight, "edge_attr": edge_attr, "edge_type": edge_type}
        if isinstance(edge_index, Edges):
            raise InputError(
                "edge_index is Edges, which knows no high nodes: give PandaGNN a WidthPartition, "
                "or edge_index and high"
            )
        who, reader = type(self).__name__, str(self.backbone)
        if not isinstance(edge_index, WidthPartition):
            check_nodes(x.size(0), high)
        partition = as_partition(edge_index, high, values, who, self, reader)
        if partition is edge_index:
            self._check_prepared(x, partition, partition.whole)
        check_nodes(x.size(0), batch=batch)
        check_num_graphs(num_graphs, batch)
        *_, last = self._states(x, partition)
        out = last if isinstance(last, Tensor) else partition.merge(*last)
        return self.read(out, batch, num_graphs)
