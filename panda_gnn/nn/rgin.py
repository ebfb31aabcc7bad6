"""R-GIN and PANDA-R-GIN."""

from __future__ import annotations

from torch import Tensor, nn
from torch_geometric.nn.inits import reset

from panda_gnn.nn.convolution import Convolution
from panda_gnn.nn.edges import Edges
from panda_gnn.nn.gin import GINLayer
from panda_gnn.nn.panda_conv import PandaLayer
from panda_gnn.nn.partition import Pair
from panda_gnn.nn.rgcn import check_relations
from panda_gnn.options import whole_number


class RGINLayer(Convolution):
    r"""GIN with an MLP for each relation and a root weight, on :class:`~panda_gnn.nn.Edges`.

    .. math::
        \mathbf{h}'_v = \mathbf{W}_{\mathrm{root}} \mathbf{h}_v + \mathbf{b} + \sum_r
        \mathrm{MLP}_r\Big((1 + \epsilon_r)\,\mathbf{h}_v + \sum_{u \in \mathcal{N}_r(v)}
        \mathbf{h}_u\Big)

    Args:
        in_channels: Input width.
        out_channels: Output width.
        num_relations: Number of relations; without ``edge_type`` every edge is of relation 0.
        eps: The starting value of every epsilon.
        train_eps: Whether the epsilons are learned.
        hidden_norm: Whether the MLPs normalise their hidden layer.

    Shapes:
        Those of :class:`~panda_gnn.nn.GCNLayer`; ``edge_type`` :math:`(|E|)`.

    Example:
        >>> import torch
        >>> from panda_gnn.nn import Edges, RGINLayer
        >>> edge_index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
        >>> relation = torch.tensor([0, 0, 1, 1])
        >>> edges = Edges.of_graph(edge_index, 3, edge_type=relation)
        >>> RGINLayer(7, 16, num_relations=2)(torch.rand(3, 7), edges).shape
        torch.Size([3, 16])
    """

    reads = ("edge_weight", "edge_type")

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        num_relations: int = 1,
        eps: float = 0.0,
        train_eps: bool = False,
        hidden_norm: bool = True,
    ) -> None:
        super().__init__()
        self.num_relations = whole_number("num_relations", num_relations, 1)
        self.root = nn.Linear(in_channels, out_channels)
        self.relations = nn.ModuleList(
            GINLayer(
                in_channels, out_channels, eps=eps, train_eps=train_eps, hidden_norm=hidden_norm
            )
            for _ in range(num_relations)
        )

    def reset_parameters(self) -> None:
        """Reset the parameters."""
        self.root.reset_parameters()
        reset(self.relations)

    def forward(self, x: Tensor | Pair, edges: Edges) -> Tensor:
        """The new states of the targets."""
        targets = x if isinstance(x, Tensor) else x[1]
        out: Tensor = self.root(targets)
        check_relations(edges, self.num_relations)
        for relation, layer in enumerate(self.relations):
            out = out + layer(x, edges.relation(relation))
        return out


class PandaRGINConv(PandaLayer):
    r"""PANDA-R-GIN: :class:`RGINLayer` made width-aware, every relation with an MLP of its own.

    For a low node, and likewise for a high one with f in place of g,

    .. math::
        \mathbf{h}'_v = \mathbf{W}_{\mathrm{root}} \mathbf{h}_v + \mathbf{b} + \sum_r
        \mathrm{MLP}_r\Big((1 + \epsilon_r)\,\mathbf{h}_v + \sum_{u\,\mathrm{low}} \mathbf{h}_u +
        \sum_{u\,\mathrm{high}} g(\mathbf{h}_v, \mathbf{h}_u)\Big),

    the sums being over the neighbours of relation r. The relation of an edge is its ``edge_type``.
    Where both inputs have one width, f and g are skipped.

    Args:
        in_channels: Input widths ``(low, high)``, or one for both.
        out_channels: Output widths ``(low, high)``, or one for both.
        **options: Those of :class:`RGINLayer` and of :class:`~panda_gnn.nn.PandaConv`:
            ``selector``, ``selector_hidden``, ``score``, ``activation``, ``residual``.

    Shapes:
        Those of :class:`~panda_gnn.nn.PandaConv`; ``edge_type`` :math:`(|E|)`.

    Example:
        >>> import torch
        >>> from panda_gnn.nn import PandaRGINConv, WidthPartition
        >>> edge_index = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
        >>> high = torch.tensor([False, True, True, False])
        >>> relation = torch.tensor([0, 0, 1, 1, 0, 0])
        >>> partition = WidthPartition(edge_index, high, edge_type=relation)
        >>> layer = PandaRGINConv(7, (8, 12), num_relations=2)
        >>> [tuple(state.shape) for state in layer(torch.rand(4, 7), partition)]
        [(2, 8), (2, 12)]
    """

    layer = RGINLayer
