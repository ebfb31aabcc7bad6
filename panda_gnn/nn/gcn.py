"""GCN and PANDA-GCN."""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric.nn.inits import glorot, zeros

from panda_gnn.nn import kernels
from panda_gnn.nn.backend import current_backend
from panda_gnn.nn.convolution import Convolution
from panda_gnn.nn.edges import Edges
from panda_gnn.nn.kernels.row_weights import Weights, width_normalised_weights
from panda_gnn.nn.panda_conv import PandaSumLayer
from panda_gnn.nn.partition import Pair, WidthPartition
from panda_gnn.nn.propagate import propagate_normalised


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

    Shapes:
        - **input:** states of all nodes :math:`(|V|, F)`, or the pair of those of sources and
          targets; the :class:`~panda_gnn.nn.Edges` between them
        - **output:** new states of the targets :math:`(|V|, F')`

    Example:
        >>> import torch
        >>> from panda_gnn.nn import Edges, GCNLayer
        >>> edges = Edges.of_graph(torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), 3)
        >>> GCNLayer(7, 16)(torch.rand(3, 7), edges).shape
        torch.Size([3, 16])
    """

    reads = ("edge_weight",)

    def __init__(
        self, in_channels: int, out_channels: int, *, self_loops: bool = True, bias: bool = True
    ) -> None:
        super().__init__()
        self.self_loops = self_loops
        self.linear = nn.Linear(in_channels, out_channels, bias=bias)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reset the parameters, by Glorot's rule; the bias starts at zero."""
        glorot(self.linear.weight)
        zeros(self.linear.bias)

    def forward(self, x: Tensor | Pair, edges: Edges) -> Tensor:
        """The new states of the targets; the sum and the linear map change places if that is less
        work."""
        sources = x if isinstance(x, Tensor) else x[0]
        if not kernels.untouched(self.linear, nn.Linear) or (
            self.linear.out_features >= self.linear.in_features
        ):
            return self.transform(propagate_normalised(sources, edges, self.self_loops))
        sources = F.linear(sources, self.linear.weight)
        return self.add_bias(propagate_normalised(sources, edges, self.self_loops))

    def transform(self, sums: Tensor) -> Tensor:
        """The linear map."""
        out: Tensor = self.linear(sums)
        return out

    def add_bias(self, out: Tensor) -> Tensor:
        """What is left of the linear map where its weight came before the sum."""
        return out if self.linear.bias is None else out + self.linear.bias

    def extra_repr(self) -> str:
        """The options and the backend."""
        return f"self_loops={self.self_loops}, backend={current_backend()}"


class PandaGCNConv(PandaSumLayer):
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
        **options: ``selector``, ``selector_hidden`` and ``score`` of
            :class:`~panda_gnn.nn.PandaConv`.

    Shapes:
        Those of :class:`~panda_gnn.nn.PandaConv`.

    Example:
        >>> import torch
        >>> from panda_gnn.nn import PandaGCNConv, WidthPartition
        >>> edge_index = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
        >>> partition = WidthPartition(edge_index, torch.tensor([False, True, True, False]))
        >>> states = PandaGCNConv(7, (8, 12))(torch.rand(4, 7), partition)
        >>> [tuple(state.shape) for state in PandaGCNConv((8, 12), (8, 12))(states, partition)]
        [(2, 8), (2, 12)]
    """

    layer = GCNLayer
    defaults: ClassVar[dict[str, Any]] = {
        "residual": True,
        "self_loops": False,
        "bias": False,
        "activation": torch.relu,
    }

    @property
    def maps_first(self) -> bool:
        """Whether both linear maps of every node come before the sum, which is less work where the
        input is wide, as word counts are, and f and g have nothing to adapt."""
        return (
            self.selector is None
            and self.in_channels[0] > sum(self.out_channels)
            and all(
                kernels.untouched(conv, GCNLayer) and kernels.untouched(conv.linear, nn.Linear)
                for conv in (self.low, self.high)
            )
        )

    def row_weights(self, x: Pair, partition: WidthPartition) -> Weights:
        """The normalised weights of the whole graph."""
        return width_normalised_weights(partition, self.low.self_loops, x[0].dtype)

    def convolve(self, x: Pair, partition: WidthPartition) -> Pair:
        """What the two convolutions make of the adapted sources."""
        if not self.maps_first:
            return super().convolve(x, partition)
        weight = torch.cat([self.low.linear.weight, self.high.linear.weight])
        both = F.linear(x[0], weight), F.linear(x[1], weight)
        sums = self.fused_sums(both, partition)
        if sums is None:
            merged = partition.merge(*both)
            whole = propagate_normalised(merged, partition.whole, self.low.self_loops)
            sums = partition.split(whole)
        out_low = self.out_channels[0]
        return self.low.add_bias(sums[0][:, :out_low]), self.high.add_bias(sums[1][:, out_low:])
