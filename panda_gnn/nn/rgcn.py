"""R-GCN and PANDA-R-GCN."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch_geometric.nn.inits import glorot, zeros

from panda_gnn.errors import InputError
from panda_gnn.nn.convolution import Convolution
from panda_gnn.nn.edges import Edges
from panda_gnn.nn.panda_conv import PandaLayer
from panda_gnn.nn.partition import Pair
from panda_gnn.nn.propagate import propagate
from panda_gnn.options import whole_number


def check_relations(edges: Edges, num_relations: int) -> None:
    """Reject an ``edge_type`` for which there are no weights."""

    def check() -> None:
        types = edges.edge_type
        if types is None or types.numel() == 0:
            return
        lowest, highest = int(types.min()), int(types.max())
        if lowest < 0 or highest >= num_relations:
            raise InputError(
                f"edge_type goes from {lowest} to {highest}, but the layer has "
                f"num_relations={num_relations}: types must be 0 to {num_relations - 1}"
            )

    if not torch.compiler.is_compiling():
        edges.derive(("relations checked", num_relations), check)


class RGCNLayer(Convolution):
    r"""The convolution of `"Modeling Relational Data with Graph Convolutional Networks"
    <https://arxiv.org/abs/1703.06103>`_, on :class:`~panda_gnn.nn.Edges`.

    .. math::
        \mathbf{h}'_v = \mathbf{W}_{\mathrm{root}} \mathbf{h}_v + \sum_r
        \sum_{u \in \mathcal{N}_r(v)} \frac{1}{|\mathcal{N}_r(v)|} \mathbf{W}_r \mathbf{h}_u
        + \mathbf{b}

    Args:
        in_channels: Input width.
        out_channels: Output width.
        num_relations: Number of relations; without ``edge_type`` every edge is of relation 0.
        bias: Whether there is a bias.

    Shapes:
        Those of :class:`~panda_gnn.nn.GCNLayer`; ``edge_type`` :math:`(|E|)`.

    Example:
        >>> import torch
        >>> from panda_gnn.nn import Edges, RGCNLayer
        >>> edge_index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
        >>> relation = torch.tensor([0, 0, 1, 1])
        >>> edges = Edges.of_graph(edge_index, 3, edge_type=relation)
        >>> RGCNLayer(7, 16, num_relations=2)(torch.rand(3, 7), edges).shape
        torch.Size([3, 16])
    """

    reads = ("edge_weight", "edge_type")

    def __init__(
        self, in_channels: int, out_channels: int, *, num_relations: int = 1, bias: bool = True
    ) -> None:
        super().__init__()
        self.num_relations = whole_number("num_relations", num_relations, 1)
        self.weight = nn.Parameter(torch.empty(num_relations, in_channels, out_channels))
        self.root = nn.Linear(in_channels, out_channels, bias=bias)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reset the parameters, by Glorot's rule; the bias starts at zero."""
        glorot(self.weight)
        glorot(self.root.weight)
        zeros(self.root.bias)

    def forward(self, x: Tensor | Pair, edges: Edges) -> Tensor:
        """The new states of the targets."""
        sources, targets = (x, x) if isinstance(x, Tensor) else x
        out: Tensor = self.root(targets)
        check_relations(edges, self.num_relations)
        for relation, weight in enumerate(self.weight):
            own = edges.relation(relation)
            out = out + propagate(sources, own, own.mean(sources.dtype)) @ weight
        return out


class PandaRGCNConv(PandaLayer):
    r"""PANDA-R-GCN: :class:`RGCNLayer` made width-aware, every relation with weights of its own.

    For a low node, and likewise for a high one with f in place of g,

    .. math::
        \mathbf{h}'_v = \mathbf{W}_{\mathrm{root}} \mathbf{h}_v + \sum_r
        \frac{1}{|\mathcal{N}_r(v)|} \Big( \sum_{u\,\mathrm{low}} \mathbf{W}_r \mathbf{h}_u +
        \sum_{u\,\mathrm{high}} \mathbf{W}_r\, g(\mathbf{h}_v, \mathbf{h}_u) \Big) + \mathbf{b},

    where :math:`\mathcal{N}_r(v)` holds the neighbours of both widths. The relation of an edge is
    its ``edge_type``: a bond type, or 0 for original and 1 for added edges after a rewiring. Where
    both inputs have one width, f and g are skipped.

    Args:
        in_channels: Input widths ``(low, high)``, or one for both.
        out_channels: Output widths ``(low, high)``, or one for both.
        **options: Those of :class:`RGCNLayer` and of :class:`~panda_gnn.nn.PandaConv`:
            ``selector``, ``selector_hidden``, ``score``, ``activation``, ``residual``.

    Shapes:
        Those of :class:`~panda_gnn.nn.PandaConv`; ``edge_type`` :math:`(|E|)`.

    Example:
        >>> import torch
        >>> from panda_gnn.nn import PandaRGCNConv, WidthPartition
        >>> edge_index = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
        >>> high = torch.tensor([False, True, True, False])
        >>> relation = torch.tensor([0, 0, 1, 1, 0, 0])
        >>> partition = WidthPartition(edge_index, high, edge_type=relation)
        >>> layer = PandaRGCNConv(7, (8, 12), num_relations=2)
        >>> [tuple(state.shape) for state in layer(torch.rand(4, 7), partition)]
        [(2, 8), (2, 12)]
    """

    layer = RGCNLayer
