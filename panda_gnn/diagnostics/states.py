"""The states of nodes after every layer of a model, in one shape for every kind of model."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric.data import Batch, Data

from panda_gnn.errors import InputError
from panda_gnn.graph.rows import edge_index_of
from panda_gnn.nn import GNN, Edges, PandaGNN, RoleGNN, WidthPartition
from panda_gnn.nn.inputs import EDGE_VALUES
from panda_gnn.options import whole_number

StatesFunction = Callable[[Tensor, Data], "Tensor | Sequence[Tensor]"]
Model = nn.Module | StatesFunction
"""What every diagnostic takes as a model.

A :class:`~panda_gnn.nn.GNN` or :class:`~panda_gnn.nn.PandaGNN` shows the states after every layer.
Any other module is called as ``model(x, edge_index)`` and shows what it returns. A function is
called as ``function(x, data)``; it may return the states of one layer or a list of them.

Wherever a diagnostic has one entry for each layer, ``num_layers`` in its shapes, a layer is a
convolution, and its states are what it leaves to the next. A model without a head has one
convolution more than its option ``num_layers`` says, since the last one gives the scores; a model
with a head has as many.
"""


class NodeStates(NamedTuple):
    """The states after one layer.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import node_states
        >>> from panda_gnn.nn import PandaGNN
        >>> from panda_gnn.transforms import ExpandWidth
        >>> (ring,) = transfer("ring", 3, num_graphs=1)
        >>> ring = ExpandWidth("degree", k=2)(ring)
        >>> first = node_states(PandaGNN(5, 2, width=8, high_width=12), ring)[0]
        >>> first.values.shape
        torch.Size([6, 12])
        >>> first.width.tolist()
        [12, 12, 8, 8, 8, 8]
    """

    #: One row for each node; a state narrower than the widest ends in zeros.
    values: Tensor
    #: How many channels of each row are the node's own.
    width: Tensor


def node_states(model: Model, data: Data, x: Tensor | None = None) -> list[NodeStates]:
    """The states of the nodes of ``data`` after every layer of ``model``.

    In a width-aware model high nodes have wider states than low ones. Here a low state is written
    with zeros behind its channels, which changes neither its norms nor its derivatives.

    Args:
        model: See :data:`Model`; a :class:`~panda_gnn.nn.PandaGNN` needs ``data.high``.
        data: A graph or a batch of graphs.
        x: Features to use instead of ``data.x``.

    Shapes:
        - **input:** ``x`` ``[num_nodes, in_channels]``
        - **output:** for each layer ``values`` ``[num_nodes, widest]``, ``width`` ``[num_nodes]``

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.diagnostics import node_states
        >>> from panda_gnn.nn import GNN
        >>> (ring,) = transfer("ring", 3, num_graphs=1)
        >>> model = GNN(5, 2, width=8, num_layers=2)
        >>> [tuple(states.values.shape) for states in node_states(model, ring)]
        [(6, 8), (6, 8), (6, 2)]
    """
    edge_index_of(data, "node_states")
    if x is not None and x.is_floating_point():
        check_takes_numbers(model, "node_states with features of its own")
    if x is None:
        x = features(data, model)
    if isinstance(model, PandaGNN):
        partition = _partition(data)
        return [_merged(*pair, partition) for pair in model.states(x, partition)]
    if isinstance(model, GNN):
        num_nodes, expander = int(data.num_nodes or 0), data.get("expander_edge_index")
        other = None if expander is None else Edges.of_graph(expander, num_nodes)
        edges = Edges.of_graph(
            data.edge_index,
            num_nodes,
            batch=data.get("batch"),
            role=data.get("role") if isinstance(model, RoleGNN) else None,
            **edge_values(data),
        )
        states = model.states(x, edges, other)
    else:
        shown = model(x, data.edge_index) if isinstance(model, nn.Module) else model(x, data)
        states = [shown] if isinstance(shown, Tensor) else list(shown)
    return [_of_one_width(values, x.size(0)) for values in states]


def features(data: Data, model: Model) -> Tensor:
    """The node features in the model's precision, or an error that says there are none.

    Categories, for a model that embeds them, stay whole numbers.
    """
    x: Tensor | None = data.get("x")
    if x is None:
        raise InputError("the graph has no node features: set data.x, for example to torch.ones")
    if isinstance(model, GNN) and model.encoder is not None:
        if x.is_floating_point():
            raise InputError("the model embeds categories, but data.x holds no whole numbers")
        return x if x.dim() == 2 else x.reshape(x.size(0), -1)
    dtype = precision(model) or (x.dtype if x.is_floating_point() else torch.get_default_dtype())
    values: Tensor = x.to(dtype)
    return values if x.dim() == 2 else values.reshape(x.size(0), -1)


def check_takes_numbers(model: Model, who: str) -> None:
    """Reject a model that embeds categories, where features are varied or made up."""
    if isinstance(model, GNN) and model.encoder is not None:
        raise InputError(
            f"{who} needs a model of numbers, but this one embeds categories, which cannot be "
            "varied: give a function of the embedded features instead of the model"
        )


def precision(model: Model) -> torch.dtype | None:
    """The floating point type of a module's parameters, where it has any."""
    parameters = model.parameters() if isinstance(model, nn.Module) else ()
    return next((p.dtype for p in parameters if p.is_floating_point()), None)


@contextlib.contextmanager
def evaluating(model: Model) -> Iterator[None]:
    """Put a module into evaluation mode, and back as it was."""
    modules = list(model.modules()) if isinstance(model, nn.Module) else []
    training = [module.training for module in modules]
    for module in modules:
        module.training = False
    try:
        yield
    finally:
        for module, was in zip(modules, training, strict=True):
            module.training = was


def source_nodes(
    sources: int | Tensor, num_nodes: int, generator: torch.Generator, *, repeats: bool
) -> Tensor:
    """The nodes ``sources``, or so many of all nodes drawn without replacement, ascending."""
    if num_nodes == 0:
        raise InputError("the graph has no nodes, so there is nothing to measure")
    if isinstance(sources, Tensor):
        inside = sources.numel() > 0 and 0 <= int(sources.min()) <= int(sources.max()) < num_nodes
        if not inside or not (repeats or sources.unique().numel() == sources.numel()):
            kind = "nodes" if repeats else "different nodes"
            raise InputError(f"sources must be {kind} among 0..{num_nodes - 1}")
        return sources.view(-1)
    if whole_number("sources", sources, 1) >= num_nodes:
        return torch.arange(num_nodes)
    return torch.randperm(num_nodes, generator=generator)[:sources].sort().values


def copies(data: Data, count: int) -> Batch:
    """``count`` copies of a graph side by side."""
    return Batch.from_data_list([data] * count)


def edge_values(data: Data) -> dict[str, Any]:
    """What a graph has for each edge, by name, ``None`` where it has nothing."""
    return {name: data.get(name) for name in EDGE_VALUES}


def _partition(data: Data) -> WidthPartition:
    high = data.get("high")
    if high is None:
        raise InputError(
            "a PandaGNN needs the mask of the high nodes: "
            "apply panda_gnn.transforms.ExpandWidth to the graph first"
        )
    return WidthPartition(data.edge_index, high, **edge_values(data))


def _merged(low: Tensor, high: Tensor, partition: WidthPartition) -> NodeStates:
    width = max(low.size(1), high.size(1))
    values = partition.merge(
        F.pad(low, (0, width - low.size(1))), F.pad(high, (0, width - high.size(1)))
    )
    own = torch.where(partition.high, high.size(1), low.size(1))
    return NodeStates(values, own)


def _of_one_width(values: Tensor, num_nodes: int) -> NodeStates:
    if values.dim() != 2 or values.size(0) != num_nodes:
        raise InputError(
            f"a model must show one state for each of the {num_nodes} nodes, "
            f"got a tensor of shape {list(values.shape)}"
        )
    return NodeStates(values, torch.full((num_nodes,), values.size(1), device=values.device))
