"""A-DGN: a step of a stable, non-dissipative differential equation on the graph."""

from __future__ import annotations

from torch import Tensor, nn
from torch_geometric.nn import AntiSymmetricConv

from panda_gnn.nn.convolution import Convolution
from panda_gnn.nn.edges import Edges
from panda_gnn.nn.gcn import GCNLayer
from panda_gnn.nn.partition import Pair
from panda_gnn.options import real_number


class ADGNLayer(Convolution):
    r"""A step of `"Anti-Symmetric DGN: a stable architecture for Deep Graph Networks"
    <https://arxiv.org/abs/2210.09789>`_, by PyG's
    :class:`~torch_geometric.nn.conv.AntiSymmetricConv` around our graph convolution.

    .. math::
        \mathbf{h}'_v = \mathbf{h}_v + \epsilon \tanh\Big( (\mathbf{W} - \mathbf{W}^\top - \gamma
        \mathbf{I}) \mathbf{h}_v + \sum_{u \in \mathcal{N}(v) \cup \{v\}} \tfrac{1}{\sqrt{d_u d_v}}
        \mathbf{V} \mathbf{h}_u + \mathbf{b} \Big)

    A step keeps the width. Where ``in_channels`` and ``out_channels`` differ, a linear map comes
    before it. The layer has its activation inside, so that none follows it in a model.

    Args:
        in_channels: Input width.
        out_channels: Output width.
        epsilon: The size of the step, above zero.
        gamma: The strength of the diffusion that makes the step stable, zero or more.

    Shapes:
        - **input:** states :math:`(|V|, F)` and :class:`~panda_gnn.nn.Edges`
        - **output:** states :math:`(|V|, F')`

    Example:
        >>> import torch
        >>> from panda_gnn.nn import ADGNLayer, Edges
        >>> edges = Edges.of_graph(torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), 3)
        >>> ADGNLayer(7, 16)(torch.rand(3, 7), edges).shape
        torch.Size([3, 16])
    """

    reads = ("edge_weight",)
    activates = True

    def __init__(
        self, in_channels: int, out_channels: int, *, epsilon: float = 0.1, gamma: float = 0.1
    ) -> None:
        super().__init__()
        epsilon = real_number("epsilon", epsilon, "above zero and finite", above=0)
        gamma = real_number("gamma", gamma, "zero or more and finite", least=0)
        same = in_channels == out_channels
        self.embed = nn.Identity() if same else nn.Linear(in_channels, out_channels)
        neighbours = _Neighbours(out_channels)
        self.step = AntiSymmetricConv(out_channels, neighbours, epsilon=epsilon, gamma=gamma)

    def forward(self, x: Tensor | Pair, edges: Edges) -> Tensor:
        """The new states of the targets, which are the first of the sources."""
        sources = self.embed(x if isinstance(x, Tensor) else x[0])
        out: Tensor = self.step(sources[: edges.num_targets], sources, edges)
        return out


class _Neighbours(nn.Module):
    """The sum over neighbours as PyG's layer calls it: with targets, sources and edges."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.conv = GCNLayer(width, width, bias=False)

    def reset_parameters(self) -> None:
        """Reset the parameters."""
        self.conv.reset_parameters()

    def forward(self, targets: Tensor, sources: Tensor, edges: Edges) -> Tensor:
        """The normalised sum over the neighbours of every target."""
        out: Tensor = self.conv((sources, targets), edges)
        return out
