"""GCN and PANDA-GCN."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric.nn.inits import glorot

from panda_gnn.backend import current_backend
from panda_gnn.errors import choose
from panda_gnn.nn import kernels
from panda_gnn.nn.kernels.multiply import multiply
from panda_gnn.nn.kernels.rows import norm_of, width_norm_of
from panda_gnn.nn.panda_conv import (
    Activation,
    Convolution,
    Pair,
    PandaConv,
    Widths,
)
from panda_gnn.nn.partition import Edges, WidthPartition
from panda_gnn.nn.propagate import fused_sums, fuses, propagate, with_backend

VARIANTS = ("paper", "released")


def convolve(sources: Tensor, targets: Tensor, edges: Edges, self_loops: bool) -> Tensor:
    r"""The sums :math:`\sum_u \frac{1}{\sqrt{d_u d_v}} \mathbf{x}_u`, with the target's own."""
    if kernels.apply_to(sources, edges.edge_index):
        return multiply(sources, edges, *norm_of(edges, self_loops, sources.dtype))
    norm, loop = edges.norm(self_loops, sources.dtype)
    out = propagate(sources, edges, norm)
    return out if loop is None else out + loop.view(-1, 1) * targets


class GCNLayer(Convolution):
    r"""The graph convolution of `"Semi-supervised Classification with Graph Convolutional Networks"
    <https://arxiv.org/abs/1609.02907>`_, on :class:`~panda_gnn.nn.Edges`.

    .. math::
        \mathbf{h}'_v = \mathbf{W} \sum_{u \in \mathcal{N}(v)} \frac{1}{\sqrt{d_u d_v}}
        \mathbf{h}_u + \mathbf{b}

    Args:
        in_channels: Input width.
        out_channels: Output width.
        self_loops: Count every node among its own neighbours, as PyG's ``GCNConv`` does.
        bias: Whether there is a bias.
    """

    def __init__(
        self, in_channels: int, out_channels: int, *, self_loops: bool = True, bias: bool = True
    ) -> None:
        super().__init__()
        self.self_loops = self_loops
        self.linear = nn.Linear(in_channels, out_channels, bias=bias)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the weights anew, by Glorot's rule; the bias starts at zero."""
        glorot(self.linear.weight)
        if self.linear.bias is not None:
            nn.init.zeros_(self.linear.bias)

    def forward(self, x: Tensor | Pair, edges: Edges) -> Tensor:
        """The new states of the targets; the sum and the linear map change places if that is less
        work."""
        sources, targets = (x, x) if isinstance(x, Tensor) else x
        if self.linear.out_features >= self.linear.in_features:
            out: Tensor = self.linear(convolve(sources, targets, edges, self.self_loops))
            return out
        sources = F.linear(sources, self.linear.weight)
        out = convolve(sources, sources[: edges.num_targets], edges, self.self_loops)
        return out if self.linear.bias is None else out + self.linear.bias

    def extra_repr(self) -> str:
        """The options and the backend."""
        return f"self_loops={self.self_loops}, backend={current_backend()}"


class PandaGCNConv(PandaConv):
    r"""PANDA-GCN, Eqs. (panda-gcn-low) and (panda-gcn-high) of the paper with their neighbourhoods
    put right: a low node selects from its high neighbours, a high node expands its low ones.

    .. math::
        \mathbf{h}'_v &= \mathbf{h}_v + \sigma\Big( \sum_{u\,\mathrm{low}} \tfrac{1}{\sqrt{d_u d_v}}
        \mathbf{W}_{\mathrm{low}} \mathbf{h}_u + \sum_{u\,\mathrm{high}} \tfrac{1}{\sqrt{d_u d_v}}
        \mathbf{W}_{\mathrm{low}}\, g(\mathbf{h}_v, \mathbf{h}_u) \Big), \quad v\ \mathrm{low} \\
        \mathbf{h}'_v &= \mathbf{h}_v + \sigma\Big( \sum_{u\,\mathrm{high}} \tfrac{1}{\sqrt{d_u
        d_v}} \mathbf{W}_{\mathrm{high}} \mathbf{h}_u + \sum_{u\,\mathrm{low}} \tfrac{1}{\sqrt{d_u
        d_v}} \mathbf{W}_{\mathrm{high}}\, f(\mathbf{h}_u) \Big), \quad v\ \mathrm{high}

    Degrees are those of the whole graph. The residual connection is there where input and output
    have one width. Where both inputs have one width, f and g are skipped.

    Args:
        in_channels: Input widths ``(low, high)``, or one for both.
        out_channels: Output widths ``(low, high)``, or one for both.
        residual: Whether to add the input; the paper does.
        self_loops: Whether a node is its own neighbour too; in the paper it is not.
        bias: Whether there is a bias; in the paper there is none.
        activation: The sigma above; ``None`` for the last layer of a model.
        selector: ``"topk"`` (the paper), ``"sorted"``, ``"gated"`` or ``"linear"``.
        selector_hidden: Hidden size of the selector's eta, or ``None`` for one linear map.
        score: ``"sigmoid"`` (the paper) or ``"relu"``.
        variant: ``"paper"``, or ``"released"`` for the authors' released code: self-loops, relu
            scores, f with a bias, f and g after the linear map and even between equal widths (so
            the last layer permutes class scores), and the residual connection added after the
            linear map, inside the activation. It overrides the options it names.
    """

    low: GCNLayer
    high: GCNLayer

    def __init__(
        self,
        in_channels: Widths,
        out_channels: Widths,
        *,
        residual: bool = True,
        self_loops: bool = False,
        bias: bool = False,
        activation: Activation | None = torch.relu,
        selector: str = "topk",
        selector_hidden: int | None = None,
        score: str = "sigmoid",
        variant: str = "paper",
    ) -> None:
        released = choose("variant", variant, VARIANTS) == "released"
        if released:
            residual, self_loops, bias, score = False, True, False, "relu"
        super().__init__(
            lambda i, o: GCNLayer(i, o, self_loops=self_loops, bias=bias),
            in_channels,
            out_channels,
            selector=selector,
            selector_hidden=selector_hidden,
            score=score,
            activation=activation,
            residual=residual,
        )
        self.released = released
        if released:
            self.adapt_between(*self.out_channels, bias=True)

    def forward(self, x: Pair, partition: WidthPartition) -> Pair:
        """The new states of low and high nodes."""
        if self.released:
            return self._released(x, partition)
        if self.selector is None and self.in_channels[0] > sum(self.out_channels):
            return self._map_first(x, partition)
        if not fuses(x, partition, self.selector):
            return super().forward(x, partition)
        low, high = self._convolve(x, partition)
        return self.updated((self.low.linear(low), self.high.linear(high)), x)

    def _convolve(self, x: Pair, partition: WidthPartition) -> Pair:
        weight, loop = width_norm_of(partition, self.low.self_loops, x[0].dtype)
        return fused_sums(x, partition, weight, loop, self.expand, self.selector)

    def _map_first(self, x: Pair, partition: WidthPartition) -> Pair:
        """Both linear maps of every node, then one sum of them: where the input is wide, as word
        counts are, and f and g have nothing to adapt, that is less work than to sum the input."""
        weight = torch.cat([self.low.linear.weight, self.high.linear.weight])
        both = F.linear(x[0], weight), F.linear(x[1], weight)
        if fuses(both, partition, None):
            low, high = self._convolve(both, partition)
        else:
            merged = partition.merge(*both)
            sums = convolve(merged, merged, partition.whole, self.low.self_loops)
            low, high = partition.split(sums)
        low, high = low[:, : self.out_channels[0]], high[:, self.out_channels[0] :]
        if self.low.linear.bias is not None:
            low, high = low + self.low.linear.bias, high + self.high.linear.bias
        return self.updated((low, high), x)

    def __repr__(self) -> str:
        return with_backend(super().__repr__())

    def _released(self, x: Pair, partition: WidthPartition) -> Pair:
        low, high = self.low.linear(x[0]), self.high.linear(x[1])
        if fuses((low, high), partition, self.selector):
            into_low, into_high = self._convolve((low, high), partition)
        else:
            expanded, selected = self.adapt((low, high), partition)
            into_low = convolve(torch.cat([low, selected]), low, partition.into_low, True)
            into_high = convolve(torch.cat([high, expanded]), high, partition.into_high, True)
        return self.updated((low + into_low, high + into_high), (low, high))
