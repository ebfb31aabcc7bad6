"""Any convolution made width-aware."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch_geometric.nn.inits import glorot, reset

from panda_gnn.errors import InputError, choose
from panda_gnn.nn import kernels
from panda_gnn.nn.backend import current_backend
from panda_gnn.nn.convolution import Convolution, GraphConvolution, as_convolution, settle
from panda_gnn.nn.edges import Edges
from panda_gnn.nn.explain import EdgeMask, hide
from panda_gnn.nn.inputs import (
    check_factory,
    check_features,
    check_nodes,
    check_options,
    check_prepared,
    check_read,
    option_names,
)
from panda_gnn.nn.kernels.row_weights import Weights
from panda_gnn.nn.kernels.updating import Activation, update
from panda_gnn.nn.partition import Pair, WidthPartition
from panda_gnn.nn.propagate import can_fuse, propagate_adapted
from panda_gnn.nn.selectors import SELECTORS
from panda_gnn.nn.selectors import selector as make_selector
from panda_gnn.options import whole_number

Widths = int | tuple[int, int]
Factory = Callable[..., nn.Module]

SELECTOR_OPTIONS = ("selector", "selector_hidden", "score")
PANDA_OPTIONS = (*SELECTOR_OPTIONS, "activation", "residual")


def as_pair(widths: Widths, name: str) -> tuple[int, int]:
    """``(low, high)`` from one width for both or from two."""
    pair = widths if isinstance(widths, tuple | list) else (widths, widths)
    try:
        low, high = (whole_number(name, width, 1) for width in pair)
    except (InputError, ValueError):
        raise InputError(f"{name} is {widths}, it must be one or two positive widths") from None
    return low, high


def as_partition(
    edge_index: Tensor | WidthPartition,
    high: Tensor | None,
    values: dict[str, Tensor | None],
    who: str,
    reader: Any,
    read_by: str,
) -> WidthPartition:
    """``edge_index`` if it is prepared, else the partition made of it, ``high`` and ``values``.

    Errors speak in the name of ``who``, or of ``read_by`` if the ``reader`` does not use a value.
    """
    if isinstance(edge_index, WidthPartition):
        check_prepared(edge_index, high=high, **values)
        return edge_index
    if high is None:
        raise InputError(
            f"{who} needs the mask of the high nodes: pass high=data.high, written by "
            "panda_gnn.transforms.ExpandWidth"
        )
    check_read(values, reader, read_by)
    return WidthPartition(edge_index, high, **values)


class PlainConv(nn.Module):
    """The plain counterpart of :class:`PandaConv`: one convolution, one width, the same options.

    Args:
        conv: Makes the convolution from input and output width.
        in_channels: Input width.
        out_channels: Output width.
        activation: Applied to what the convolution returns.
        residual: Add the input where it is as wide as the output.

    Shapes:
        - **input:** states of all nodes :math:`(|V|, F)` and the :class:`~panda_gnn.nn.Edges`
        - **output:** their new states :math:`(|V|, F')`

    Example:
        >>> import torch
        >>> from torch_geometric.nn import SAGEConv
        >>> from panda_gnn.nn import Edges, PlainConv
        >>> edges = Edges.of_graph(torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), 3)
        >>> PlainConv(SAGEConv, 7, 16, activation=torch.relu)(torch.rand(3, 7), edges).shape
        torch.Size([3, 16])
    """

    def __init__(
        self,
        conv: Factory,
        in_channels: int,
        out_channels: int,
        *,
        activation: Activation | None = None,
        residual: bool = False,
    ) -> None:
        super().__init__()
        check_factory(conv, "conv")
        self.conv = as_convolution(conv(in_channels, out_channels))
        self.activation = None if self.conv.activates else activation
        self.residual = residual
        #: For explainers, which know PyG's convolutions already.
        self.edge_mask = None if isinstance(self.conv, GraphConvolution) else EdgeMask()

    def reset_parameters(self) -> None:
        """Reset the parameters."""
        reset(self.conv)

    def forward(self, x: Tensor, edges: Edges, dropout: float = 0.0) -> Tensor:
        """The new states of all nodes; ``dropout`` is the probability of zero, always."""
        if self.edge_mask is not None:
            edges = self.edge_mask.of(edges)
        return update(self.conv(x, edges), x, self.activation, self.residual, dropout)


class PandaConv(nn.Module):
    r"""Any convolution made width-aware, after `"PANDA: Expanded Width-Aware Message Passing Beyond
    Rewiring" <https://arxiv.org/abs/2406.03671>`_.

    Low and high nodes each get a convolution :math:`\mathrm{MPNN}` of their own width, whose
    sources have been brought to that width:

    .. math::
        \mathbf{H}'_{\mathrm{low}} &= \mathrm{MPNN}_{\mathrm{low}}\big(\{\mathbf{h}_u\}_{u\,
        \mathrm{low}} \cup \{g(\mathbf{h}_v, \mathbf{h}_u)\}_{u\,\mathrm{high},\, v\,\mathrm{low}}
        \big) \\
        \mathbf{H}'_{\mathrm{high}} &= \mathrm{MPNN}_{\mathrm{high}}\big(\{\mathbf{h}_u\}_{u\,
        \mathrm{high}} \cup \{f(\mathbf{h}_u)\}_{u\,\mathrm{low}}\big)

    with :math:`f(\mathbf{h}_u) = \mathbf{W}_f \mathbf{h}_u` and the selector :math:`g` of
    :mod:`panda_gnn.nn.selectors`. Where both inputs have one width, as in the first layer of a
    model, f and g have nothing to adapt: messages are passed as they are, and low and high nodes
    differ only in their weights.

    With equal widths and equal weights of both convolutions, the layer is the plain convolution.
    Whether that holds is tried on a small graph when a layer is made or, if it needs to see edge
    features first, when it is first used. A convolution that normalises by degree, such as PyG's
    ``GCNConv``, gets weights normalised by the degrees of the whole graph; one of several hops, for
    instance, is rejected.

    Args:
        conv: Makes the convolution from input and output width, such as
            ``SAGEConv`` or ``lambda i, o: GATv2Conv(i, o, heads=2, concat=False)``.
        in_channels: Input widths ``(low, high)``, or one for both.
        out_channels: Output widths ``(low, high)``, or one for both.
        selector: ``"topk"`` (the paper), ``"sorted"``, ``"gated"``, ``"gated-fixed"`` or
            ``"linear"``.
        selector_hidden: Hidden size of the selector's eta, or ``None`` for one linear map.
        score: ``"sigmoid"`` (the paper) or ``"relu"``.
        activation: Applied to what the convolutions return.
        residual: Add the input where it is as wide as the output.
        bipartite: Whether a PyG convolution takes ``(sources, targets)``; by default found out.
        **options: Handed on to ``conv``.

    Shapes:
        - **input:** states of all nodes :math:`(|V|, F)`, where low and high ones have one width,
          or the pair ``(x_low, x_high)`` of shapes :math:`(|V_{low}|, F_{low})` and
          :math:`(|V_{high}|, F_{high})`; edge indices :math:`(2, |E|)` and the mask of the high
          nodes :math:`(|V|)`, or the :class:`WidthPartition` made of them
        - **output:** for states of all nodes their new states :math:`(|V|, F')`, if both output
          widths are equal; else the new states as a pair

    Example:
        >>> import torch
        >>> from torch_geometric.nn import SAGEConv
        >>> from panda_gnn.nn import PandaConv
        >>> edge_index = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
        >>> high = torch.tensor([False, True, True, False])
        >>> states = PandaConv(SAGEConv, 7, (8, 12))(torch.rand(4, 7), edge_index, high)
        >>> [tuple(state.shape) for state in states]
        [(2, 8), (2, 12)]
    """

    def __init__(
        self,
        conv: Factory,
        in_channels: Widths,
        out_channels: Widths,
        *,
        selector: str = "topk",
        selector_hidden: int | None = None,
        score: str = "sigmoid",
        activation: Activation | None = None,
        residual: bool = False,
        bipartite: bool | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        check_factory(conv, "conv")
        self.in_channels = as_pair(in_channels, "in_channels")
        self.out_channels = as_pair(out_channels, "out_channels")
        self.residual = residual
        self.selector_kind = choose("selector", selector, SELECTORS)
        self.selector_hidden = selector_hidden
        self.score = score
        in_low, in_high = self.in_channels
        out_low, out_high = self.out_channels
        self.low = as_convolution(conv(in_low, out_low, **options), bipartite)
        self.high = as_convolution(conv(in_high, out_high, **options), bipartite)
        self.activation = None if self.low.activates else activation
        self.edge_mask = EdgeMask()
        for conv_of_half in self._graph_convolutions:
            hide(conv_of_half.conv)
        self.settled = not self._graph_convolutions or settle(self._graph_convolutions, in_low)
        self.expand: nn.Linear | None = None
        self.selector: nn.Module | None = None
        if in_low != in_high:
            self.adapt_between(in_low, in_high)

    @property
    def _graph_convolutions(self) -> list[GraphConvolution]:
        return [conv for conv in (self.low, self.high) if isinstance(conv, GraphConvolution)]

    def adapt_between(self, width: int, high_width: int, bias: bool = False) -> None:
        """Make f and g for the two widths."""
        self.selector = make_selector(
            self.selector_kind, width, high_width, hidden=self.selector_hidden, score=self.score
        )
        self.expand = nn.Linear(width, high_width, bias=bias)
        glorot(self.expand.weight)

    def reset_parameters(self) -> None:
        """Reset the parameters."""
        for module in (self.low, self.high, self.expand, self.selector):
            reset(module)
        if self.expand is not None:
            glorot(self.expand.weight)

    def adapt(self, x: Pair, partition: WidthPartition) -> Pair:
        """What f and g make of the sources: a row for each low node, a row for each crossing."""
        x_low, x_high = x
        if self.expand is None or self.selector is None:
            return x_low, x_high[partition.crossing[0]]
        return self.expand(x_low), self.selector(x_low, x_high, partition.crossing)

    def convolve(self, x: Pair, partition: WidthPartition) -> Pair:
        """What the two convolutions make of the adapted sources."""
        x_low, x_high = x
        expanded, selected = self.adapt(x, partition)
        low = self.low((torch.cat([x_low, selected]), x_low), partition.into_low)
        high = self.high((torch.cat([x_high, expanded]), x_high), partition.into_high)
        return low, high

    def forward(
        self,
        x: Tensor | Pair,
        edge_index: Tensor | WidthPartition,
        high: Tensor | None = None,
        edge_weight: Tensor | None = None,
        edge_attr: Tensor | None = None,
        edge_type: Tensor | None = None,
        dropout: float = 0.0,
    ) -> Any:
        """The new states of low and high nodes.

        Args:
            x: The states of all nodes, or those of low and high nodes as a pair.
            edge_index: The edges, as a tensor or prepared as a
                :class:`~panda_gnn.nn.WidthPartition`.
            high: Boolean mask of the high nodes; needed where ``edge_index`` is a tensor.
            edge_weight: Optional weight of each edge.
            edge_attr: Optional features of each edge.
            edge_type: Optional relation of each edge.
            dropout: The probability of zero, in evaluation as in training: the caller decides.

        Returns:
            A tensor for all nodes where ``x`` is one and both output widths are equal, else a pair.
        """
        values = {"edge_weight": edge_weight, "edge_attr": edge_attr, "edge_type": edge_type}
        name = type(self).__name__
        partition = as_partition(edge_index, high, values, name, self.low, name)
        if not isinstance(x, Tensor):
            self._check_pair(x, partition)
            return self._of_pair(x, partition, dropout)
        if self.in_channels[0] != self.in_channels[1]:
            raise InputError(
                f"x is one tensor, but low and high nodes have the widths {self.in_channels}: give "
                "the pair (x_low, x_high), such as partition.split(x)"
            )
        check_features(x, self.in_channels[0])
        check_nodes(x.size(0), partition.high)
        out = self._of_pair(partition.split(x), partition, dropout)
        return partition.merge(*out) if self.out_channels[0] == self.out_channels[1] else out

    def _check_pair(self, x: Pair, partition: WidthPartition) -> None:
        """States of low and of high nodes, each with its number of rows and its width."""
        if len(x) != 2 or not all(isinstance(part, Tensor) for part in x):
            raise InputError("x must be the states of all nodes or the pair (x_low, x_high)")
        rows = partition.low_nodes.numel(), partition.high_nodes.numel()
        if (x[0].size(0), x[1].size(0)) != rows:
            raise InputError(
                f"x has {x[0].size(0)} low and {x[1].size(0)} high rows, but the partition has "
                f"{rows[0]} low and {rows[1]} high nodes"
            )
        if (x[0].size(-1), x[1].size(-1)) != self.in_channels:
            raise InputError(
                f"x has the widths {x[0].size(-1)} and {x[1].size(-1)}, but the layer was made for "
                f"{self.in_channels[0]} and {self.in_channels[1]}"
            )
        for part, width in zip(x, self.in_channels, strict=True):
            check_features(part, width)

    def _of_pair(self, x: Pair, partition: WidthPartition, dropout: float) -> Pair:
        """The new states of low and high nodes."""
        if not (self.settled or torch.compiler.is_compiling()):
            edges = partition.whole
            self.settled = edges.edge_index.size(1) > 0 and settle(
                self._graph_convolutions, self.in_channels[0], edges
            )
        partition = partition.with_whole(self.edge_mask.of(partition.whole))
        low, high = self.convolve(x, partition)
        return (
            update(low, x[0], self.activation, self.residual, dropout),
            update(high, x[1], self.activation, self.residual, dropout),
        )

    def __repr__(self) -> str:
        name = type(self).__name__
        if type(self) is PandaConv:
            inner = self.low.conv if isinstance(self.low, GraphConvolution) else self.low
            name = f"{name}[{type(inner).__name__}]"
        low, high = (
            f"{i} -> {o}" for i, o in zip(self.in_channels, self.out_channels, strict=True)
        )
        return f"{name}(low={low}, high={high}, selector={self.selector_kind})"


class PandaLayer(PandaConv):
    """A :class:`PandaConv` of one of our own convolutions.

    Args:
        in_channels: Input widths ``(low, high)``, or one for both.
        out_channels: Output widths ``(low, high)``, or one for both.
        **options: Those of :class:`PandaConv` and of the convolution.
    """

    #: The convolution.
    layer: ClassVar[type[Convolution]]
    #: Options that are not what they are in :class:`PandaConv` or in the convolution.
    defaults: ClassVar[dict[str, Any]] = {}

    def __init__(self, in_channels: Widths, out_channels: Widths, **options: Any) -> None:
        options = self.defaults | options
        known = [*PANDA_OPTIONS, *(option_names(self.layer) or ())]
        check_options(type(self).__name__, options, known)
        super().__init__(self.layer, in_channels, out_channels, **options)


class PandaSumLayer(PandaLayer):
    """A :class:`PandaLayer` whose convolution transforms sums, which can be computed at once.

    Where they can (:func:`~panda_gnn.nn.propagate.can_fuse`), no message is ever stored. The
    convolution's method ``transform`` makes new states of sums.
    """

    low: Any
    high: Any

    def row_weights(self, x: Pair, partition: WidthPartition) -> Weights | None:
        """The weights of edges and of nodes' own states, or ``None`` where these learn."""
        raise NotImplementedError

    def fused_sums(self, x: Pair, partition: WidthPartition) -> Pair | None:
        """The adapted sums of low and high nodes, or ``None`` where they cannot be fused."""
        plain = all(kernels.untouched(conv, self.layer) for conv in (self.low, self.high))
        if not plain or not can_fuse(x, partition, self.expand, self.selector):
            return None
        weights = self.row_weights(x, partition)
        if weights is None:
            return None
        return propagate_adapted(x, partition, weights, self.expand, self.selector)

    def convolve(self, x: Pair, partition: WidthPartition) -> Pair:
        """What the two convolutions make of the adapted sources."""
        sums = self.fused_sums(x, partition)
        if sums is None:
            return super().convolve(x, partition)
        return self.low.transform(sums[0]), self.high.transform(sums[1])

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, backend={current_backend()})"
