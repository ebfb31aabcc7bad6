"""The paper's bound on the sensitivity: what width, weights and topology allow."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch_geometric.data import Data

from panda_gnn.errors import InputError
from panda_gnn.graph.rows import edge_index_of
from panda_gnn.nn import GNN, Edges
from panda_gnn.nn.gcn import GCNLayer
from panda_gnn.nn.panda_conv import PlainConv
from panda_gnn.nn.propagate import propagate_normalised


class ModelConstants(NamedTuple):
    """What the bound needs to know of a model.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import ModelConstants, sensitivity_bound
        >>> (ring,) = transfer("ring", 4, num_graphs=1)
        >>> constants = ModelConstants(lipschitz=1.0, max_weight=0.1, width=16, num_layers=4)
        >>> sensitivity_bound(constants, ring).shape
        torch.Size([4, 8, 8])
    """

    #: z, a Lipschitz constant of the activation; 1 for ReLU.
    lipschitz: float
    #: w, the largest absolute value of an entry of a weight matrix.
    max_weight: float
    #: p, the largest width of a layer's output.
    width: int
    #: How many convolutions there are, see :data:`panda_gnn.diagnostics.states.Model`.
    num_layers: int
    #: Whether the shift matrix has self-loops.
    self_loops: bool = True


def sensitivity_bound(
    model: GNN | ModelConstants, data: Data, *, sources: Tensor | None = None
) -> Tensor:
    r"""The right-hand side :math:`(z w p)^\ell (\mathbf{S}^\ell)_{vu}` of Eq. (sens).

    With :math:`\mathbf{S} = \mathbf{D}^{-1/2} (\mathbf{A} + \mathbf{I}) \mathbf{D}^{-1/2}`, degrees
    counting the self-loops (without :math:`\mathbf{I}` where the model has none). It bounds the
    operator norm of the Jacobian of a graph convolutional network
    :math:`\mathbf{H}' = \sigma(\mathbf{S} \mathbf{H} \mathbf{W}^\top + \mathbf{b})`: the absolute
    column sum of :math:`\mathbf{W}` is at most :math:`w p`. The entrywise norm is bounded by this
    times the number of input features.

    Args:
        model: A plain :class:`~panda_gnn.nn.GNN` with backbone ``gcn``, ReLU and no residual
            connection, norm or encoder, or the constants of any other.
        data: The graph.
        sources: The nodes :math:`u`; all if omitted.

    Returns:
        A tensor ``[num_layers, num_nodes, num_sources]`` in double precision, in the order of
        :attr:`Sensitivity.norms <panda_gnn.diagnostics.Sensitivity>`.

    Shapes:
        - **input:** ``sources`` ``[num_sources]``
        - **output:** ``[num_layers, num_nodes, num_sources]``

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import sensitivity, sensitivity_bound
        >>> from panda_gnn.nn import GNN
        >>> (ring,) = transfer("ring", 4, num_graphs=1)
        >>> model = GNN(5, 2, width=8, num_layers=2)
        >>> bool((sensitivity(model, ring).norms <= sensitivity_bound(model, ring) + 1e-6).all())
        True
    """
    constants = model if isinstance(model, ModelConstants) else gcn_constants(model)
    device = edge_index_of(data, "sensitivity_bound").device
    if data.get("expander_edge_index") is not None:
        raise InputError(
            "the bound holds where all layers have the same edges, but data has "
            "expander_edge_index, which every second layer uses: delete it from data"
        )
    num_nodes = int(data.num_nodes or 0)
    edges = Edges.of_graph(data.edge_index, num_nodes, edge_weight=data.get("edge_weight"))
    nodes = torch.arange(num_nodes, device=device) if sources is None else sources.to(device)
    power = torch.zeros(num_nodes, nodes.numel(), dtype=torch.float64, device=device)
    power = power.scatter_(0, nodes[None, :], 1.0)
    factor = constants.lipschitz * constants.max_weight * constants.width
    layers = []
    for layer in range(1, constants.num_layers + 1):
        power = propagate_normalised(power, edges, constants.self_loops)
        layers.append(factor**layer * power)
    return torch.stack(layers)


def gcn_constants(model: GNN) -> ModelConstants:
    """The constants of a plain graph convolutional network with ReLU."""
    convolutions = [layer.conv for layer in model.layers if isinstance(layer, PlainConv)]
    layers = [conv for conv in convolutions if isinstance(conv, GCNLayer)]
    beyond_the_bound = {
        f"the class {type(model).__name__}": type(model) is not GNN,
        "another backbone": len(layers) != len(model.layers),
        "a residual connection": model.residual,
        "batch norm": len(model.norms) > 0,
        "unit norm": model.unit_norm,
        "an encoder of categories": model.encoder is not None,
        "another activation": model.activation is not torch.relu,
    }
    for what, there in beyond_the_bound.items():
        if there:
            raise InputError(
                "the bound holds for a plain GNN with backbone 'gcn', ReLU and no residual "
                f"connection, norm or encoder, but this model has {what}: give ModelConstants for "
                "any other model"
            )
    weights = [layer.linear.weight.detach() for layer in layers]
    return ModelConstants(
        lipschitz=1.0,
        max_weight=max(float(weight.abs().max()) for weight in weights),
        width=max(weight.size(0) for weight in weights),
        num_layers=len(weights),
        self_loops=layers[0].self_loops,
    )
