"""DRew: nodes at growing distance are heard layer by layer, with a delay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric.nn.inits import reset

from panda_gnn.errors import InputError
from panda_gnn.nn.edges import Edges
from panda_gnn.nn.explain import EdgeMask
from panda_gnn.nn.gcn import GCNLayer
from panda_gnn.nn.kernels.updating import Activation, update
from panda_gnn.nn.models import GNN
from panda_gnn.nn.panda_conv import Factory
from panda_gnn.options import whole_number


class DRewGNN(GNN):
    r"""The graph convolution of `"DRew: Dynamically Rewired Message Passing with Delay"
    <https://arxiv.org/abs/2305.08018>`_ in the stack of :class:`GNN`.

    Layer :math:`t`, from 0 on, hears the nodes at the distances :math:`k = 1, \dots, t + 1`, each
    distance by weights of its own, and those farther away than :math:`\nu` as they were some layers
    before:

    .. math::
        \mathbf{h}^{(t+1)}_v = \mathbf{h}^{(t)}_v + \sigma\Big( \sum_{k=1}^{t+1}
        \sum_{u : d(u, v) = k} \frac{1}{\sqrt{d^k_u d^k_v}} \mathbf{W}^{(t)}_k
        \mathbf{h}^{(t - \max(k - \nu, 0))}_u \Big)

    with :math:`d^k_v` the number of nodes at distance :math:`k`. ``nu=1`` is the full delay, with
    which a message takes as many layers as there are hops; ``nu >= reach`` is none. The residual
    connection is there where input and output have one width.

    The edges are all pairs of nodes up to the distance ``reach``, and ``edge_type`` is the distance
    minus one, as :class:`panda_gnn.rewiring.LASER` with ``rho=1`` writes them.

    Args:
        in_channels: Width of the node features.
        out_channels: Number of classes or targets.
        nu: How far a node hears without delay.
        reach: The greatest distance; by default one more for every layer.
        **options: Those of :class:`GNN`, the backbone being ``"gcn"``.

    Shapes:
        - **input:** ``x`` :math:`(|V|, F)`, ``edge_index`` :math:`(2, |E|)`
        - **output:** one row for each graph, :math:`(G, C)`, or for each node without a read-out

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.nn import DRewGNN
        >>> from panda_gnn.rewiring import LASER
        >>> (ring,) = transfer("ring", 4, num_graphs=1)
        >>> far = LASER(3, rho=1.0)(ring)
        >>> model = DRewGNN(5, 2, width=8, num_layers=2)
        >>> model(far.x, far.edge_index, edge_type=far.edge_type).shape
        torch.Size([1, 2])
    """

    def __init__(
        self,
        in_channels: int | Sequence[int],
        out_channels: int,
        *,
        nu: int = 1,
        reach: int | None = None,
        residual: bool = True,
        **options: Any,
    ) -> None:
        self.nu = whole_number("nu", nu, 1)
        self.reach = None if reach is None else whole_number("reach", reach, 1)
        backbone = options.get("backbone", "gcn")
        if backbone != "gcn":
            raise InputError(f"DRewGNN is made of GCN layers: backbone must be gcn, not {backbone}")
        if options.get("last_layer_fa"):
            raise InputError("last_layer_fa is an option of GNN, not of DRewGNN")
        super().__init__(in_channels, out_channels, residual=residual, **options)

    @property
    def reads(self) -> set[str]:
        """What the layers read of the edges, besides ``edge_index``."""
        return {*super().reads, "edge_type"}

    def _make_layers(
        self, backbone: str | Factory, widths: list[int], options: dict[str, Any]
    ) -> list[Any]:
        layers = []
        for t in range(len(widths) - 1):
            reach = t + 1 if self.reach is None else min(t + 1, self.reach)
            heard = [t - max(k - self.nu, 0) for k in range(1, reach + 1)]
            layers.append(DelayedLayer(heard, widths, t, options, **self._layer_options(t)))
        return layers

    def _plain_states(
        self, x: Tensor, edges: Edges, other: Edges | None = None
    ) -> Iterator[Tensor]:
        """The node states after every layer."""
        layers: Any = self.layers
        if edges.edge_type is None and max(len(layer.convs) for layer in layers) > 1:
            raise InputError(
                "DRewGNN needs edge_type, the distance of the nodes of each edge minus one, which "
                "is missing: panda_gnn.rewiring.LASER(reach, rho=1.0) writes edges and edge_type"
            )
        _check_distances(edges)
        if other is not None:
            raise InputError(
                "DRewGNN hears edges by their distance: it has no layers for expander_edge_index"
            )
        states = [x]
        for t in range(len(layers)):
            states.append(self._run(self._delayed_step, t, edges, states))
            yield states[-1]

    def _delayed_step(self, t: int, edges: Edges, states: Sequence[Tensor]) -> Tensor:
        out = self.layers[t](states, edges, self._layer_dropout(t))
        return self._finish(t, out, states[-1], self.norms)


def _check_distances(edges: Edges) -> None:
    """Reject an ``edge_type`` that is no distance minus one; those that no layer hears may be."""

    def check() -> None:
        types = edges.edge_type
        if types is not None and types.numel() and int(types.min()) < 0:
            raise InputError(
                f"edge_type goes from {int(types.min())} on, but it is the distance of the nodes "
                "of each edge minus one: types must be zero or more"
            )

    if not torch.compiler.is_compiling():
        edges.derive("distances checked", check)


class DelayedLayer(nn.Module):
    """One layer of :class:`DRewGNN`.

    Args:
        heard: For each distance from one on, the layer whose states are heard.
        widths: The widths of the states of all layers.
        number: The number of this layer.
        options: Options of the graph convolutions.
        activation: Applied to the sum.
        residual: Add the input where it is as wide as the output.
    """

    def __init__(
        self,
        heard: Sequence[int],
        widths: Sequence[int],
        number: int,
        options: dict[str, Any],
        *,
        activation: Activation | None,
        residual: bool,
    ) -> None:
        super().__init__()
        self.heard = tuple(heard)
        self.edge_mask = EdgeMask()
        self.activation = activation
        self.residual = residual
        options = {"self_loops": False, "bias": True, **options}
        self.convs = nn.ModuleList()
        for layer in heard:
            self.convs.append(GCNLayer(widths[layer], widths[number + 1], **options))
            options["bias"] = False  # one is enough for all distances

    def reset_parameters(self) -> None:
        """Reset the parameters."""
        reset(self.convs)

    def forward(self, states: Sequence[Tensor], edges: Edges, dropout: float = 0.0) -> Tensor:
        """The new states, from those of all layers so far; ``dropout`` is the probability of zero,
        in evaluation too."""
        edges = self.edge_mask.of(edges)
        parts = [
            conv(states[layer], edges.relation(distance))
            for distance, (layer, conv) in enumerate(zip(self.heard, self.convs, strict=True))
        ]
        out = sum(parts[1:], start=parts[0])
        return update(out, states[-1], self.activation, self.residual, dropout)
