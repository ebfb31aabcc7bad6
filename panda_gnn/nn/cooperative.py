"""Co-GNN: every node chooses, layer by layer, whether it listens and whether it speaks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from torch import Tensor, nn
from torch.nn import functional as F

from panda_gnn.errors import InputError
from panda_gnn.nn.convolution import Convolution
from panda_gnn.nn.edges import Edges
from panda_gnn.nn.inputs import whole_or_categories
from panda_gnn.nn.kernels.updating import update
from panda_gnn.nn.models import GNN
from panda_gnn.options import real_number, whole_number


class CoGNN(GNN):
    r"""The network of `"Cooperative Graph Neural Networks" <https://arxiv.org/abs/2310.01267>`_.

    Before every layer two action networks, the same for all layers, give every node two logits
    each: to listen or not, and to speak or not. An edge :math:`u \to v` is kept in the layer where
    :math:`u` speaks and :math:`v` listens, so that a node does one of four things: both, listen,
    broadcast, or neither. In training actions are drawn by a hard Gumbel softmax, whose gradient is
    that of the soft one; in evaluation the action with the greater logit is taken, so that scores
    are no random numbers. (The public code draws there too.)

    Features are first brought to ``width`` by a linear map, activation and dropout; degrees are
    those of the edges that are kept.

    Args:
        in_channels: Width of the node features, or numbers of categories as in :class:`GNN`.
        out_channels: Number of classes or targets.
        action_width: Hidden width of the action networks.
        action_layers: Number of their hidden layers.
        temperature: That of the Gumbel softmax.
        **options: Those of :class:`GNN`; the backbone must use edge weights, as GCN and GIN do.

    Shapes:
        - **input:** ``x`` :math:`(|V|, F)`, ``edge_index`` :math:`(2, |E|)`
        - **output:** one row for each graph, :math:`(G, C)`, or for each node without a read-out

    Example:
        >>> import torch
        >>> from panda_gnn.nn import CoGNN
        >>> x, edge_index = torch.rand(4, 7), torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
        >>> CoGNN(7, 2, width=16)(x, edge_index).shape
        torch.Size([1, 2])
    """

    def __init__(
        self,
        in_channels: int | Sequence[int],
        out_channels: int,
        *,
        action_width: int = 16,
        action_layers: int = 1,
        temperature: float = 0.01,
        width: int = 64,
        **options: Any,
    ) -> None:
        given = whole_or_categories("in_channels", in_channels)
        features = given if isinstance(given, int) else None
        first = given if features is None else width
        action_width = whole_number("action_width", action_width, 1)
        action_layers = whole_number("action_layers", action_layers, 1)
        super().__init__(first, out_channels, width=width, **options)
        self.temperature = real_number("temperature", temperature, "above zero", above=0)
        self.embed = nn.Identity() if features is None else nn.Linear(features, width)
        self.in_channels = self.in_channels if features is None else features
        stack = {"last_layer_fa", "readout", "head_layers", "num_layers", "activate_layers"}
        same = {name: value for name, value in options.items() if name not in stack}
        self.listen, self.speak = (
            GNN(width, 2, width=action_width, num_layers=action_layers, readout=None, **same)
            for _ in range(2)
        )
        deaf = [
            type(module).__name__
            for module in self.modules()
            if isinstance(module, Convolution) and "edge_weight" not in module.reads
        ]
        if deaf:
            raise InputError(
                f"CoGNN drops edges by their weight, which backbone {self.backbone} does not read: "
                "use gcn, gin, rgcn, rgin or adgn"
            )

    def actions(self, network: GNN, x: Tensor, edges: Edges) -> Tensor:
        """One where a node acts, zero where it does not."""
        logits = network.states(x, edges)[-1]
        if self.training:
            return F.gumbel_softmax(logits, self.temperature, hard=True)[:, 0]
        return (logits[:, 0] >= logits[:, 1]).to(x.dtype)

    def kept(self, x: Tensor, edges: Edges) -> Edges:
        """The edges with weight zero where nobody speaks or nobody listens."""
        listens, speaks = (self.actions(one, x, edges) for one in (self.listen, self.speak))
        source, target = edges.edge_index
        weight = edges.weight(x.dtype) * speaks[source] * listens[target]
        return replace(edges, edge_weight=weight)

    def _plain_states(
        self, x: Tensor, edges: Edges, other: Edges | None = None
    ) -> Iterator[Tensor]:
        """The node states after every layer."""
        p = self.dropout if self.training else 0.0
        x = update(self.embed(x), x, self.activation, False, p)
        for i in range(len(self.layers)):
            seen = edges if other is None or i % 2 == 0 else other
            x = self._run(self._plain_step, i, seen, x)
            yield x

    def _plain_step(self, i: int, edges: Edges, x: Tensor) -> Tensor:
        return super()._plain_step(i, self.kept(x, edges), x)
