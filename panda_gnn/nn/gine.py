"""GINE and PANDA-GINE on graphs whose edges have features or categories, such as molecules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from panda_gnn.errors import InputError, choose
from panda_gnn.nn.convolution import Convolution
from panda_gnn.nn.edges import Edges
from panda_gnn.nn.panda_conv import PandaLayer
from panda_gnn.nn.partition import Pair
from panda_gnn.nn.propagate import add_messages
from panda_gnn.options import whole_number


class CategoryEncoder(nn.Module):
    r"""Rows of categories as vectors: :math:`\sum_c \mathbf{E}_c[x_c]`, a table for each column.

    Args:
        sizes: The number of categories of each column.
        width: The width of the vectors.
    """

    first: Tensor

    def __init__(self, sizes: Sequence[int], width: int) -> None:
        super().__init__()
        self.sizes = tuple(sizes)
        self.weight = nn.Parameter(torch.empty(sum(sizes), width))
        starts = torch.tensor([0, *sizes[:-1]]).cumsum(0)
        self.register_buffer("first", starts, persistent=False)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reset the parameters, table by table, by Glorot's rule."""
        for table in self.weight.split(self.sizes):
            nn.init.xavier_uniform_(table)

    def forward(self, x: Tensor) -> Tensor:
        """The vectors of rows ``[n, len(sizes)]`` of whole numbers."""
        self.check(x)
        return F.embedding_bag(x + self.first, self.weight, mode="sum")

    def check(self, x: Tensor) -> None:
        """Reject everything but rows of whole numbers that are categories of their columns."""
        if x.dim() != 2 or x.size(1) != len(self.sizes) or x.is_floating_point():
            raise InputError(
                f"categories must be whole numbers of shape [n, {len(self.sizes)}], "
                f"got {x.dtype} of shape {list(x.shape)}"
            )
        if torch.compiler.is_compiling() or x.numel() == 0:
            return
        for i, (least, most) in enumerate(zip(x.amin(0).tolist(), x.amax(0).tolist(), strict=True)):
            if least < 0 or most >= self.sizes[i]:
                raise InputError(
                    f"column {i} of the categories goes from {least} to {most}, but it has "
                    f"{self.sizes[i]} of them: they must be 0 to {self.sizes[i] - 1}"
                )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self.sizes)} -> {self.weight.size(1)})"


class GINELayer(Convolution):
    r"""The convolution of `"Strategies for Pre-training Graph Neural Networks"
    <https://arxiv.org/abs/1905.12265>`_ with features or categories on the edges.

    .. math::
        \mathbf{h}'_v = \mathrm{MLP}\Big(\mathbf{h}_v + \sum_{u \in \mathcal{N}(v)}
        \mathrm{ReLU}\big(\mathbf{h}_u + \phi(\mathbf{e}_{uv})\big)\Big)

    where :math:`\phi` is a linear map of the features, or :math:`\sum_c \mathbf{E}_c[e_{uv,c}]` of
    categories, a table for each column.

    Args:
        in_channels: Input width.
        out_channels: Output width, and hidden width of the MLP of two layers.
        edge_categories: The number of categories of each column of ``edge_attr``.
        edge_dim: The number of features in ``edge_attr``, where these are no categories.
        mlp_activation: What stands between the layers of the MLP: ``"relu"`` or ``"gelu"``.
        mlp_dropout: The dropout probability behind it.

    Shapes:
        - **input:** states of all nodes :math:`(|V|, F)`, or the pair of those of sources and
          targets; :class:`~panda_gnn.nn.Edges` with ``edge_attr`` :math:`(|E|, C)`, whole numbers
          if they are categories
        - **output:** new states of the targets :math:`(|V|, F')`

    Example:
        >>> import torch
        >>> from panda_gnn.nn import Edges, GINELayer
        >>> edge_index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
        >>> bonds = torch.tensor([[0], [0], [3], [3]])
        >>> edges = Edges.of_graph(edge_index, 3, edge_attr=bonds)
        >>> GINELayer(7, 16, edge_categories=[4])(torch.rand(3, 7), edges).shape
        torch.Size([3, 16])
    """

    reads = ("edge_attr",)

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        edge_categories: Sequence[int] = (),
        edge_dim: int | None = None,
        mlp_activation: str = "relu",
        mlp_dropout: float = 0.0,
    ) -> None:
        super().__init__()
        choose("mlp_activation", mlp_activation, ("relu", "gelu"))
        if bool(edge_categories) == (edge_dim is not None):
            raise InputError(
                "gine needs edge_dim, the number of features of an edge, or edge_categories, the "
                "number of categories of each column of edge_attr: give one of the two"
            )
        self.edge_encoder: CategoryEncoder | nn.Linear = (
            CategoryEncoder(edge_categories, in_channels)
            if edge_dim is None
            else nn.Linear(whole_number("edge_dim", edge_dim, 1), in_channels)
        )
        self.mlp = nn.Sequential(
            nn.Linear(in_channels, out_channels),
            nn.ReLU() if mlp_activation == "relu" else nn.GELU(),
            *[nn.Dropout(mlp_dropout)] * (mlp_dropout > 0),
            nn.Linear(out_channels, out_channels),
        )

    def forward(self, x: Tensor | Pair, edges: Edges) -> Tensor:
        """The new states of the targets."""
        sources, targets = (x, x) if isinstance(x, Tensor) else x
        of_edges = self._of_edges(edges.edge_attr)
        messages = F.relu(sources[edges.edge_index[0]] + of_edges)
        messages = messages if edges.mask is None else cast(Tensor, edges.masked(messages))
        out: Tensor = self.mlp(add_messages(targets, edges, messages))
        return out

    def _of_edges(self, edge_attr: Tensor | None) -> Tensor:
        """What the edges add to the states of their sources."""
        encoder = self.edge_encoder
        if edge_attr is None:
            raise InputError("gine reads features or categories of every edge: give edge_attr")
        if isinstance(encoder, nn.Linear):
            if edge_attr.dim() != 2 or edge_attr.size(1) != encoder.in_features:
                raise InputError(
                    f"edge_attr has the shape {list(edge_attr.shape)}, but gine was made with "
                    f"edge_dim={encoder.in_features}: give [num_edges, {encoder.in_features}]"
                )
            edge_attr = edge_attr.to(encoder.weight.dtype)
        out: Tensor = encoder(edge_attr)
        return out


class PandaGINEConv(PandaLayer):
    """PANDA-GINE: :class:`GINELayer` made width-aware.

    Args:
        in_channels: Input widths ``(low, high)``, or one for both.
        out_channels: Output widths ``(low, high)``, or one for both.
        **options: Those of :class:`GINELayer` and of :class:`~panda_gnn.nn.PandaConv`.

    Shapes:
        Those of :class:`~panda_gnn.nn.PandaConv`; ``edge_attr`` :math:`(|E|, C)`, whole numbers
        if they are categories.

    Example:
        >>> import torch
        >>> from panda_gnn.nn import PandaGINEConv, WidthPartition
        >>> edge_index = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
        >>> high = torch.tensor([False, True, True, False])
        >>> bonds = torch.tensor([[0], [0], [1], [1], [2], [2]])
        >>> partition = WidthPartition(edge_index, high, edge_attr=bonds)
        >>> layer = PandaGINEConv(7, (8, 12), edge_categories=[3])
        >>> [tuple(state.shape) for state in layer(torch.rand(4, 7), partition)]
        [(2, 8), (2, 12)]
    """

    layer = GINELayer
