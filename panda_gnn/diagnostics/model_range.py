r"""The range of a model: how far away what it depends on is, on average.

After `"On Measuring Long-Range Interactions in Graph Neural Networks"
<https://arxiv.org/abs/2506.05971>`_. With :math:`J_{uv} = \sum_{\alpha\beta}
|\partial F_{u\alpha} / \partial x_{v\beta}|` the influence of the input of node v on the output of
node u, and d a distance, the range of u is

.. math::
    \rho_u = \frac{\sum_v J_{uv} \, d(u, v)}{\sum_v J_{uv}},

v = u included: the distance that the output of u expects its input to come from. A row without any
influence has range 0. The range of a graph is the mean over its nodes. For what is computed of a
whole graph, :math:`J_{uv}` is :math:`|\partial^2 y / \partial x_u \partial x_v|`, summed over
channels: which pairs of nodes it looks at together.

The distance counts hops, or is the effective resistance. After a rewiring it stays that of the
original graph, which is what ``distance_graph`` is for. A pair of nodes of different components has
no distance. It is left out of both sums, and ``apart`` says which share of the influence that was.
(The released code gives such a pair distance 0, which calls a model short-ranged that looks at
another component.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from panda_gnn.diagnostics.resistance import effective_resistance
from panda_gnn.diagnostics.sensitivity import SAMPLED_SOURCES, sensitivity
from panda_gnn.diagnostics.signal import hop_distances
from panda_gnn.diagnostics.states import (
    Model,
    check_takes_numbers,
    edge_values,
    evaluating,
    features,
    node_states,
    source_nodes,
)
from panda_gnn.errors import InputError, choose
from panda_gnn.graph.limits import EXACT_SENSITIVITY_NODES, HESSIAN_INPUTS
from panda_gnn.graph.rows import read_graph
from panda_gnn.nn import GNN, PandaGNN, RoleGNN
from panda_gnn.nn.backend import backend
from panda_gnn.options import whole_number

DISTANCES = ("hops", "resistance")

GraphModel = nn.Module | Callable[[Tensor, Data], Tensor]
"""A :class:`~panda_gnn.nn.GNN` or :class:`~panda_gnn.nn.PandaGNN` with a read-out, another module,
called as ``model(x, edge_index)``, or a function, called as ``function(x, data)``; each gives the
scores of one graph."""


class ModelRange(NamedTuple):
    """The range of some nodes of a graph.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import walk_range
        >>> (ring,) = transfer("ring", 4, num_graphs=1)
        >>> measured = walk_range(ring, 1)  # a node and its two neighbours, alike
        >>> round(measured.mean, 4), measured.apart
        (0.6667, 0.0)
    """

    #: The range of each node that was measured.
    of_nodes: Tensor
    #: These nodes.
    nodes: Tensor
    #: The share of all influence that is between nodes of different components.
    apart: float

    @property
    def mean(self) -> float:
        """The mean over the nodes; zero without any."""
        return float(self.of_nodes.mean()) if self.of_nodes.numel() else 0.0


def range_of_influence(
    influence: Tensor, distance: Tensor, nodes: Tensor | None = None
) -> ModelRange:
    """The range of nodes whose influences are known.

    Args:
        influence: The influence of every node on each of some nodes, ``[num_rows, num_nodes]``; of
            signed numbers the absolute value is taken.
        distance: Their distances, of the same shape, infinite where there is none.
        nodes: The nodes of the rows; all nodes if omitted.

    Shapes:
        - **input:** ``influence`` and ``distance`` ``[num_rows, num_nodes]``, ``nodes``
          ``[num_rows]``

    Example:
        >>> import torch
        >>> from panda_gnn.diagnostics import range_of_influence
        >>> influence, distance = torch.tensor([[2.0, 1.0, 1.0]]), torch.tensor([[0.0, 1.0, 3.0]])
        >>> range_of_influence(influence, distance).mean
        1.0
    """
    if influence.shape != distance.shape:
        raise InputError(
            f"influence has shape {list(influence.shape)}, distance {list(distance.shape)}: both "
            "must have a row for each node that is influenced and a column for each node"
        )
    weight, near = influence.double().abs(), distance.isfinite()
    total = weight.sum()
    apart = float(weight[~near].sum() / total) if bool(total > 0) else 0.0
    weight = torch.where(near, weight, 0.0)
    reached = (weight * torch.where(near, distance.double(), 0.0)).sum(1)
    sums = weight.sum(1)
    of_nodes = reached / torch.where(sums > 0, sums, 1.0)
    if nodes is None:
        nodes = torch.arange(of_nodes.numel(), device=of_nodes.device)
    return ModelRange(of_nodes, nodes, apart)


def node_range(
    model: Model,
    data: Data,
    *,
    distance: str = "hops",
    distance_graph: Data | None = None,
    layer: int = -1,
    nodes: int | Tensor | None = None,
    channels: int | None = None,
    seed: int = 0,
) -> ModelRange:
    """The range of the states of nodes, by the Jacobian.

    For a model of whole graphs this is the alternative without second derivatives: the range of
    what its read-out gets.

    Args:
        model: See :data:`~panda_gnn.diagnostics.states.Model`.
        data: An undirected graph with features.
        distance: ``"hops"`` or ``"resistance"``.
        distance_graph: The graph whose distances count, such as the one before a rewiring; nodes
            that it does not have, such as virtual ones, are left out.
        layer: After which layer.
        nodes: Nodes whose states are looked at, or how many random ones; by default all of a graph
            of up to 512, else 64.
        channels: How many random channels of the states are looked at; all if omitted.
        seed: Draws nodes and channels.

    Shapes:
        - **output:** ``of_nodes`` and ``nodes``, one entry for each node that was measured

    Example:
        >>> import torch
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import node_range
        >>> from panda_gnn.nn import GNN
        >>> (ring,) = transfer("ring", 4, num_graphs=1)
        >>> torch.manual_seed(0) and node_range(GNN(5, 2, width=8, num_layers=3), ring).mean < 4
        True
    """
    x = features(data, model)
    generator = torch.Generator().manual_seed(seed)
    original = data if distance_graph is None else distance_graph
    count = int(original.num_nodes or 0)
    exact = nodes is None and channels is None and x.size(0) <= EXACT_SENSITIVITY_NODES
    chosen = count if exact else SAMPLED_SOURCES if nodes is None else nodes
    rows = source_nodes(chosen, count, generator, repeats=False).to(x.device)
    if exact:
        measured = sensitivity(model, data, norm="entrywise", seed=seed).norms[layer]
        influence = measured[rows, :count]
    else:
        influence = _influence(model, data, x, rows, layer, channels, generator)[:, :count]
    return range_of_influence(influence, distances(original, distance, rows), rows)


def graph_range(
    model: GraphModel,
    data: Data,
    *,
    distance: str = "hops",
    distance_graph: Data | None = None,
) -> ModelRange:
    """The range of what is computed of a whole graph, by its second derivatives.

    A network of ReLUs whose read-out is linear has none almost everywhere: its range is then 0
    though it sees the whole graph, and :func:`node_range` tells more. One backward pass for each
    input feature of each node is needed, so there may be at most
    :data:`~panda_gnn.graph.limits.HESSIAN_INPUTS`.

    Args:
        model: See :data:`GraphModel`.
        data: An undirected graph with features.
        distance: ``"hops"`` or ``"resistance"``.
        distance_graph: The graph whose distances count; as in :func:`node_range`.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import graph_range
        >>> (ring,) = transfer("ring", 4, num_graphs=1)
        >>> graph_range(lambda x, data: x.sum() ** 2, ring).mean  # all pairs alike
        2.0
    """
    x = features(data, model)
    check_takes_numbers(model, "graph_range")
    if x.numel() > HESSIAN_INPUTS:
        raise InputError(
            f"second derivatives by {x.numel()} inputs take as many backward passes, and at most "
            f"{HESSIAN_INPUTS} are accepted: use node_range instead"
        )
    num_nodes, num_features = x.shape
    influence = x.new_zeros(num_nodes, num_nodes, dtype=torch.float64)
    with backend("torch"), evaluating(model):
        inputs = x.detach().clone().requires_grad_()
        for output in _outputs(model, data, inputs):
            if not output.requires_grad:
                continue
            (first,) = torch.autograd.grad(output, inputs, create_graph=True, retain_graph=True)
            if not first.requires_grad:
                continue
            for place, derivative in enumerate(first.flatten()):
                (second,) = torch.autograd.grad(
                    derivative, inputs, retain_graph=True, materialize_grads=True
                )
                influence[place // num_features] += second.abs().sum(1)
    original = data if distance_graph is None else distance_graph
    count = int(original.num_nodes or 0)
    rows = torch.arange(count, device=x.device)
    return range_of_influence(influence[:count, :count], distances(original, distance, rows))


def walk_range(
    data: Data, depth: int, *, distance: str = "hops", nodes: int = SAMPLED_SOURCES, seed: int = 0
) -> ModelRange:
    r"""The range of ``depth`` rounds of averaging, :math:`(\tilde{\mathbf{D}}^{-1} (\mathbf{A} +
    \mathbf{I}))^k`: of message passing before anything is learned.

    Graphs of more than 512 nodes are measured at ``nodes`` random ones.

    Args:
        data: An undirected graph.
        depth: How many rounds.
        distance: ``"hops"`` or ``"resistance"``.
        nodes: How many nodes of a large graph are measured.
        seed: Draws them.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import walk_range
        >>> (ring,) = transfer("ring", 4, num_graphs=1)
        >>> [round(walk_range(ring, depth).mean, 4) for depth in (0, 1, 2)]
        [0.0, 0.6667, 0.8889]
    """
    graph = read_graph(data, "walk_range")
    whole_number("depth", depth)
    size = graph.num_nodes
    generator = torch.Generator().manual_seed(seed)
    rows = source_nodes(
        size if size <= EXACT_SENSITIVITY_NODES else nodes, size, generator, repeats=False
    )
    source, target = torch.from_numpy(graph.sources), torch.from_numpy(graph.columns)
    degrees = 1 + torch.from_numpy(graph.degrees).double()
    walk = torch.zeros(size, rows.numel(), dtype=torch.float64)
    walk[rows, torch.arange(rows.numel())] = 1.0
    for _ in range(depth):  # where walkers from each of the rows are, one step after the other
        walk = walk / degrees.view(-1, 1)
        walk = walk.index_add(0, target, walk[source])
    return range_of_influence(walk.t(), distances(data, distance, rows).cpu(), rows)


def distances(data: Data, kind: str, rows: Tensor) -> Tensor:
    """The distances of all nodes from those of ``rows``, infinite between components."""
    if choose("distance", kind, DISTANCES) == "hops":
        return hop_distances(data, rows)
    return effective_resistance(data)[rows.to(data.edge_index.device)]


def _influence(
    model: Model,
    data: Data,
    x: Tensor,
    rows: Tensor,
    layer: int,
    channels: int | None,
    generator: torch.Generator,
) -> Tensor:
    """The influence of every node on those of ``rows``, one backward pass for each channel."""
    check_takes_numbers(model, "node_range")
    with evaluating(model):
        inputs = x.detach().clone().requires_grad_()
        states = node_states(model, data, inputs)[layer]
        influence = x.new_zeros(rows.numel(), x.size(0))
        for place, node in enumerate(rows.tolist()):
            width = int(states.width[node])
            count = width if channels is None else min(whole_number("channels", channels, 1), width)
            for channel in torch.randperm(width, generator=generator)[:count].tolist():
                (row,) = torch.autograd.grad(
                    states.values[node, channel], inputs, retain_graph=True, materialize_grads=True
                )
                influence[place] += row.abs().sum(1)
    return influence


def _outputs(model: GraphModel, data: Data, x: Tensor) -> Tensor:
    """The scores of the graph, in one row."""
    if isinstance(model, GNN):
        options = {name: value for name, value in edge_values(data).items() if name in model.reads}
        if isinstance(model, PandaGNN):
            options["high"] = data.get("high")
        elif isinstance(model, RoleGNN):
            options["role"] = data.get("role")
        elif (expander := data.get("expander_edge_index")) is not None:
            options["expander_edge_index"] = expander
        scores = model(x, data.edge_index, **options)
    else:
        scores = model(x, data.edge_index) if isinstance(model, nn.Module) else model(x, data)
    if scores.dim() > 1 and scores.size(0) != 1:
        raise InputError(
            f"graph_range needs the scores of one graph, got a tensor of shape "
            f"{list(scores.shape)}: give a model with a read-out, or use node_range"
        )
    flat: Tensor = scores.reshape(-1)
    return flat
