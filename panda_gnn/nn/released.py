r"""PANDA as the authors' released code has it, which differs from the paper's equations.

All layers: relu scores, so that all negative logits are tied, and f with a bias. What else differs
says each class. An option that the released code fixes is overridden without a word, so that
``variant="released"`` of :class:`~panda_gnn.nn.PandaGNN` takes the same options as ``"paper"``.
"""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor

from panda_gnn.nn.edges import Edges
from panda_gnn.nn.gcn import PandaGCNConv
from panda_gnn.nn.gin import PandaGINConv
from panda_gnn.nn.panda_conv import PandaLayer, Widths
from panda_gnn.nn.partition import Pair, WidthPartition
from panda_gnn.nn.propagate import propagate, propagate_normalised
from panda_gnn.nn.rgcn import PandaRGCNConv, RGCNLayer
from panda_gnn.nn.rgin import PandaRGINConv, RGINLayer


class ReleasedConv(PandaLayer):
    """What the layers have in common: relu scores, and f with a bias."""

    #: The options that the released code fixes.
    fixed: ClassVar[dict[str, Any]]

    def __init__(self, in_channels: Widths, out_channels: Widths, **options: Any) -> None:
        super().__init__(in_channels, out_channels, **(options | self.fixed | {"score": "relu"}))
        self.adapt_with_bias()

    def adapt_with_bias(self) -> None:
        """Make f and g again, f with a bias, where the layer has them."""
        if self.expand is not None:
            self.adapt_between(*self.in_channels, bias=True)


class ReleasedGCNConv(ReleasedConv, PandaGCNConv):
    r"""PANDA-GCN with self-loops, f and g after the linear maps and even between equal widths (so
    the last layer permutes class scores), and a residual connection inside the activation:

    .. math::
        \mathbf{h}'_v = \sigma\Big(\mathbf{y}_v + \sum_{u \in \mathcal{N}(v) \cup \{v\}}
        \tfrac{1}{\sqrt{d_u d_v}} \mathbf{m}_{uv}\Big), \quad \mathbf{y}_v = \mathbf{W} \mathbf{h}_v

    with messages :math:`\mathbf{m}_{uv}` made of :math:`\mathbf{y}_u`.
    """

    fixed: ClassVar[dict[str, Any]] = {"residual": False, "self_loops": True, "bias": False}

    def adapt_with_bias(self) -> None:
        """Make f and g for the output widths."""
        self.adapt_between(*self.out_channels, bias=True)

    def convolve(self, x: Pair, partition: WidthPartition) -> Pair:
        """The mapped states, and the sums of the messages made of them."""
        low, high = self.low.linear(x[0]), self.high.linear(x[1])
        sums = self.fused_sums((low, high), partition)
        if sums is None:
            expanded, selected = self.adapt((low, high), partition)
            sums = (
                propagate_normalised(torch.cat([low, selected]), partition.into_low, True),
                propagate_normalised(torch.cat([high, expanded]), partition.into_high, True),
            )
        return low + sums[0], high + sums[1]


class ReleasedGINConv(ReleasedConv, PandaGINConv):
    """PANDA-GIN with epsilon fixed at zero."""

    fixed: ClassVar[dict[str, Any]] = {"eps": 0.0, "train_eps": False}


class ReleasedRGCNLayer(RGCNLayer):
    """R-GCN that sends every edge through every relation's weights, summed and not averaged."""

    def forward(self, x: Tensor | Pair, edges: Edges) -> Tensor:
        """The new states of the targets."""
        sources, targets = (x, x) if isinstance(x, Tensor) else x
        out: Tensor = self.root(targets)
        return out + propagate(sources, edges, edges.edge_weight) @ self.weight.sum(0)


class ReleasedRGCNConv(ReleasedConv, PandaRGCNConv):
    """PANDA-R-GCN of :class:`ReleasedRGCNLayer`, without a bias."""

    layer = ReleasedRGCNLayer
    fixed: ClassVar[dict[str, Any]] = {"bias": False}


class ReleasedRGINLayer(RGINLayer):
    """R-GIN that sends every edge through every relation's MLP and keeps the last one's result."""

    def forward(self, x: Tensor | Pair, edges: Edges) -> Tensor:
        """The new states of the targets."""
        root: Tensor = self.root(x if isinstance(x, Tensor) else x[1])
        last: Tensor = self.relations[-1](x, edges)
        return root + last


class ReleasedRGINConv(ReleasedConv, PandaRGINConv):
    """PANDA-R-GIN of :class:`ReleasedRGINLayer`, with epsilon fixed at zero."""

    layer = ReleasedRGINLayer
    fixed: ClassVar[dict[str, Any]] = {"eps": 0.0, "train_eps": False}
