"""GIN and PANDA-GIN."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from panda_gnn.nn.backend import current_backend
from panda_gnn.nn.convolution import Convolution
from panda_gnn.nn.edges import Edges
from panda_gnn.nn.kernels.row_weights import Weights, width_edge_weights
from panda_gnn.nn.panda_conv import PandaSumLayer
from panda_gnn.nn.partition import Pair, WidthPartition
from panda_gnn.nn.propagate import propagate
from panda_gnn.options import real_number


class BatchNorm(nn.BatchNorm1d):
    """Batch normalisation that takes fewer than two rows by its running statistics."""

    def forward(self, x: Tensor) -> Tensor:
        """The normalised rows."""
        if torch.compiler.is_compiling():
            return self._written_out(x)
        if self.training and x.size(0) < 2:
            return F.batch_norm(
                x, self.running_mean, self.running_var, self.weight, self.bias, False, 0.0, self.eps
            )
        return super().forward(x)

    def _written_out(self, x: Tensor) -> Tensor:
        """The formula, since torch's own asks how many rows there are, which stops an export."""
        mean, variance = self.running_mean, self.running_var
        assert mean is not None
        assert variance is not None
        if self.training:
            mean, variance = self._batch_statistics(x, mean, variance)
        scale = self.weight * (variance + self.eps).rsqrt()
        return (x - mean) * scale + self.bias

    def _batch_statistics(self, x: Tensor, mean: Tensor, variance: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and variance of the rows, of which the running ones keep a part; the running ones
        themselves where there are fewer than two rows."""
        count = torch.ones_like(x[:, 0]).sum()
        own_mean = x.sum(0) / count.clamp(min=1)
        squares = (x - own_mean).square().sum(0)
        few, part = count < 2, self.momentum
        assert part is not None
        with torch.no_grad():
            unbiased = squares / (count - 1).clamp(min=1)
            new_mean = torch.where(few, mean, (1 - part) * mean + part * own_mean)
            new_variance = torch.where(few, variance, (1 - part) * variance + part * unbiased)
            old = mean.clone(), variance.clone()
            mean.copy_(new_mean)
            variance.copy_(new_variance)
            assert self.num_batches_tracked is not None
            self.num_batches_tracked.add_((~few).to(self.num_batches_tracked.dtype))
        return (
            torch.where(few, old[0], own_mean),
            torch.where(few, old[1], squares / count.clamp(min=1)),
        )


def perceptron(
    in_channels: int, hidden: int, out_channels: int, hidden_norm: bool = True
) -> nn.Sequential:
    """GIN's MLP: linear, batch normalisation, ReLU, linear."""
    return nn.Sequential(
        nn.Linear(in_channels, hidden),
        BatchNorm(hidden) if hidden_norm else nn.Identity(),
        nn.ReLU(),
        nn.Linear(hidden, out_channels),
    )


class GINLayer(Convolution):
    r"""The convolution of `"How Powerful are Graph Neural Networks?"
    <https://arxiv.org/abs/1810.00826>`_, on :class:`~panda_gnn.nn.Edges`.

    .. math::
        \mathbf{h}'_v = \mathrm{MLP}\Big((1 + \epsilon)\,\mathbf{h}_v +
        \sum_{u \in \mathcal{N}(v)} w_{uv}\,\mathbf{h}_u\Big)

    Args:
        in_channels: Input width.
        out_channels: Output width.
        eps: The starting value of epsilon.
        train_eps: Whether epsilon is learned.
        hidden_norm: Whether the MLP normalises its hidden layer.

    Shapes:
        Those of :class:`~panda_gnn.nn.GCNLayer`.

    Example:
        >>> import torch
        >>> from panda_gnn.nn import Edges, GINLayer
        >>> edges = Edges.of_graph(torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), 3)
        >>> GINLayer(7, 16)(torch.rand(3, 7), edges).shape
        torch.Size([3, 16])
    """

    reads = ("edge_weight",)

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        eps: float = 0.0,
        train_eps: bool = False,
        hidden_norm: bool = True,
    ) -> None:
        super().__init__()
        self.initial_eps = eps = real_number("eps", eps)
        self.mlp = perceptron(in_channels, out_channels, out_channels, hidden_norm)
        self.eps: Tensor
        if train_eps:
            self.eps = nn.Parameter(torch.tensor(eps))
        else:
            self.register_buffer("eps", torch.tensor(eps))

    def reset_parameters(self) -> None:
        """Reset the parameters."""
        super().reset_parameters()
        self.eps.data.fill_(self.initial_eps)

    def forward(self, x: Tensor | Pair, edges: Edges) -> Tensor:
        """The new states of the targets."""
        sources = x if isinstance(x, Tensor) else x[0]
        loop = (1 + self.eps).expand(edges.num_targets)
        return self.transform(propagate(sources, edges, edges.edge_weight, loop))

    def transform(self, sums: Tensor) -> Tensor:
        """The MLP."""
        out: Tensor = self.mlp(sums)
        return out

    def extra_repr(self) -> str:
        """The backend."""
        return f"backend={current_backend()}"


class PandaGINConv(PandaSumLayer):
    r"""PANDA-GIN, as in the paper's appendix 'Layer-update of PANDA-GIN'.

    .. math::
        \mathbf{h}'_v &= \mathrm{MLP}_{\mathrm{low}}\Big((1 + \epsilon)\,\mathbf{h}_v +
        \sum_{u\,\mathrm{low}} \mathbf{h}_u + \sum_{u\,\mathrm{high}} g(\mathbf{h}_v, \mathbf{h}_u)
        \Big), \quad v\ \mathrm{low} \\
        \mathbf{h}'_v &= \mathrm{MLP}_{\mathrm{high}}\Big((1 + \epsilon)\,\mathbf{h}_v +
        \sum_{u\,\mathrm{high}} \mathbf{h}_u + \sum_{u\,\mathrm{low}} f(\mathbf{h}_u)\Big),
        \quad v\ \mathrm{high}

    Where both inputs have one width, f and g are skipped.

    Args:
        in_channels: Input widths ``(low, high)``, or one for both.
        out_channels: Output widths ``(low, high)``, or one for both.
        **options: Those of :class:`GINLayer` (a learned epsilon is one for low and one for high
            nodes) and of :class:`~panda_gnn.nn.PandaConv`: ``selector``, ``selector_hidden``,
            ``score``, ``activation``, ``residual``.

    Shapes:
        Those of :class:`~panda_gnn.nn.PandaConv`.

    Example:
        >>> import torch
        >>> from panda_gnn.nn import PandaGINConv
        >>> edge_index = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
        >>> high = torch.tensor([False, True, True, False])
        >>> PandaGINConv(7, 16)(torch.rand(4, 7), edge_index, high).shape  # one width for all nodes
        torch.Size([4, 16])
    """

    layer = GINLayer

    def row_weights(self, x: Pair, partition: WidthPartition) -> Weights | None:
        """The edges' own weights, and 1 + epsilon for every node."""
        if self.low.eps.requires_grad or self.high.eps.requires_grad:
            return None
        own = (1 + self.low.eps).expand(x[0].size(0)), (1 + self.high.eps).expand(x[1].size(0))
        dtype = x[0].dtype
        return width_edge_weights(partition, dtype), torch.cat(own).to(dtype)
