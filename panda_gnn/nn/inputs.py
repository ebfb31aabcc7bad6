"""What layers and models are given, checked: one sentence instead of a stack of shapes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric import EdgeIndex

from panda_gnn.errors import InputError, choose
from panda_gnn.nn import kernels
from panda_gnn.options import whole_number

EDGE_VALUES = ("edge_weight", "edge_attr", "edge_type")
"""What a graph may have for each edge."""


def check_edge_index(edge_index: Any) -> Tensor:
    """The edges as an ordinary tensor ``[2, num_edges]`` of whole numbers."""
    if not isinstance(edge_index, Tensor) or edge_index.layout != torch.strided:
        kind = type(edge_index).__name__
        if isinstance(edge_index, Tensor):
            kind = f"a matrix of layout {edge_index.layout}"
        raise InputError(
            f"edge_index is {kind}, but layers take pairs of nodes: give "
            "torch_geometric.utils.to_edge_index(adj_t.t()) as edge_index and edge_weight"
        )
    pairs: Tensor = edge_index.as_tensor() if isinstance(edge_index, EdgeIndex) else edge_index
    if pairs.dim() != 2 or pairs.size(0) != 2 or not is_integer(pairs):
        raise InputError(
            f"edge_index must be integers of shape [2, num_edges], "
            f"got {pairs.dtype} of shape {list(pairs.shape)}"
        )
    return pairs.long()


def check_ends(edge_index: Tensor, num_nodes: int) -> None:
    """No edge leads to a node that the graph does not have; nobody knows while torch compiles, and
    on other devices than a CPU looking would take too long."""
    if not kernels.ordinary(edge_index) or edge_index.numel() == 0:
        return
    least, most = (int(end) for end in edge_index.aminmax())
    if least < 0 or most >= num_nodes:
        wrong = ((edge_index < 0) | (edge_index >= num_nodes)).any(dim=0).nonzero()[0]
        source, target = edge_index[:, wrong].view(-1).tolist()
        raise InputError(
            f"edge_index has the edge ({source}, {target}), but the graph has {num_nodes} nodes: "
            "nodes are numbered from 0"
        )


def check_both_directions(edge_index: Tensor, num_nodes: int, who: str) -> None:
    """Every edge has its opposite; not looked at where :func:`check_ends` does not look."""
    if not kernels.ordinary(edge_index):
        return
    source, target = edge_index.long()
    there, back = source * num_nodes + target, target * num_nodes + source
    if not torch.equal(there.unique(), back.unique()):
        raise InputError(
            f"{who} needs an undirected graph, but edge_index has edges without their opposite: "
            "apply torch_geometric.transforms.ToUndirected() first"
        )


def check_edge_values(num_edges: int, **values: Tensor | None) -> list[Tensor | None]:
    """``edge_weight``, ``edge_attr`` and ``edge_type``, one row of each for each edge."""
    for name, value in values.items():
        if value is None:
            continue
        check_tensor(name, value, "row", "edge")
        if value.dim() == 0 or value.size(0) != num_edges:
            rows = "no" if value.dim() == 0 else value.size(0)
            raise InputError(
                f"{name} has {rows} rows, but edge_index has {num_edges} edges: give one row for "
                "each edge"
            )
        if name == "edge_weight" and value.dim() == 2 and value.size(1) == 1:
            values[name] = value.view(-1)
        elif name != "edge_attr" and value.dim() != 1:
            raise InputError(
                f"{name} has the shape {list(value.shape)}, but every edge has one: give the "
                f"shape [{num_edges}]"
            )
        if name == "edge_type" and not is_integer(value):
            raise InputError(f"edge_type is {value.dtype}, but relations are whole numbers")
    return list(values.values())


def check_tensor(name: str, values: Any, row: str, of: str) -> None:
    """``values`` is a tensor, with a ``row`` for each ``of`` something."""
    if not isinstance(values, Tensor):
        raise InputError(
            f"{name} is of type {type(values).__name__}: give a tensor with one {row} for each {of}"
        )


def check_num_graphs(num_graphs: int | None, batch: Tensor | None) -> None:
    """``num_graphs`` is a number of graphs that ``batch`` tells apart."""
    if num_graphs is not None and batch is None and num_graphs != 1:
        raise InputError(
            f"num_graphs is {num_graphs}, but without batch there is one graph: give batch, the "
            "number of each node's graph"
        )
    if num_graphs is not None and (isinstance(num_graphs, float | bool) or num_graphs < 0):
        raise InputError(f"num_graphs is {num_graphs}, it must be a whole number, zero or more")


def check_nodes(
    num_nodes: int,
    high: Tensor | None = None,
    batch: Tensor | None = None,
    role: Tensor | None = None,
) -> None:
    """``high``, ``batch`` and ``role`` have one entry for each node."""
    for name, values in (("high", high), ("batch", batch)):
        if values is not None:
            check_tensor(name, values, "entry", "node")
    if role is not None:
        check_tensor("role", role, "whole number", "node")
    if high is not None and (high.dtype != torch.bool or high.dim() != 1):
        raise InputError(
            f"high must be a boolean mask with one entry for each node, "
            f"got {high.dtype} of shape {list(high.shape)}"
        )
    if batch is not None and (batch.dim() != 1 or batch.dtype not in (torch.int64, torch.int32)):
        raise InputError(
            f"batch must be the number of each node's graph, "
            f"got {batch.dtype} of shape {list(batch.shape)}"
        )
    for name, values in (("high", high), ("batch", batch)):
        if values is not None and values.size(0) != num_nodes:
            raise InputError(
                f"{name} has {values.size(0)} entries, but there are {num_nodes} nodes: give one "
                "for each row of x"
            )
    if role is not None and (role.shape != (num_nodes,) or not is_integer(role)):
        raise InputError(
            f"role must be a whole number for each of {num_nodes} nodes, got {role.dtype} of shape "
            f"{list(role.shape)}: give data.role, written by panda_gnn.transforms.AssignRoles"
        )


def check_features(x: Any, in_channels: int) -> None:
    """``x`` is a matrix of numbers, ``in_channels`` for each node."""
    if not isinstance(x, Tensor) or x.dim() != 2:
        shape = list(x.shape) if isinstance(x, Tensor) else type(x).__name__
        raise InputError(
            f"x must have the shape [num_nodes, {in_channels}], got {shape}: give one row for each "
            "node"
        )
    if not x.is_floating_point():
        raise InputError(
            f"x is {x.dtype}, but node features are floating-point numbers: call x.float(), or "
            "give in_channels the number of categories of each column"
        )
    if x.size(1) != in_channels:
        raise InputError(
            f"x has {x.size(1)} columns, but the model was made for in_channels={in_channels}"
        )


def check_read(values: dict[str, Tensor | None], reader: Any, who: str) -> None:
    """No layer is given edge values that are not among what it ``reads``."""
    for name, value in values.items():
        if value is not None and name not in (read := reader.reads):
            reads = " and ".join(n for n in EDGE_VALUES if n in read) or "no values of edges"
            raise InputError(f"{who} does not use {name}: it reads {reads}, so leave {name} out")


def check_prepared(prepared: object, **given: object) -> None:
    """Nothing that belongs to the edges is given beside edges that are prepared already."""
    for name, value in given.items():
        if value is not None:
            kind = type(prepared).__name__
            raise InputError(f"{name} was given beside {kind}: give it to {kind} when it is made")


def whole_or_categories(name: str, value: Any) -> int | list[int]:
    """A width, zero or more, or the number of categories of each of some columns."""
    if isinstance(value, list | tuple):
        if not value:
            raise InputError(f"{name} is empty: give a width, or the categories of each column")
        return [whole_number(f"{name}[{i}]", size, 1) for i, size in enumerate(value)]
    return whole_number(name, value)


def is_integer(values: Tensor) -> bool:
    """Whether these are whole numbers, and no booleans."""
    return not (values.is_floating_point() or values.is_complex() or values.dtype == torch.bool)


def option_names(make: Callable[..., Any]) -> list[str] | None:
    """The options of a class or function beyond its first two arguments; ``None`` if it takes any.

    Where a class hands options on to its base, as PyG's convolutions do, those of the base count.
    """
    while isinstance(make, partial):
        make = make.func
    if not isinstance(make, type):
        return _names([make])
    return _names([vars(base)["__init__"] for base in make.__mro__ if "__init__" in vars(base)])


def _names(functions: Iterable[Callable[..., Any]]) -> list[str] | None:
    found: list[str] = []
    for i, function in enumerate(functions):
        names = keyword_names(function)
        found += names if i else names[2:]
        parameters = inspect.signature(function).parameters.values()
        if not any(parameter.kind == parameter.VAR_KEYWORD for parameter in parameters):
            return list(dict.fromkeys(found))
    return None


def keyword_names(function: Callable[..., Any]) -> list[str]:
    """What can be given to a function by name."""
    return [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        and parameter.name != "self"
    ]


def check_options(who: str, options: Iterable[str], known: Sequence[str] | None) -> None:
    """Every option is one that somebody takes."""
    if known is not None:
        for name in options:
            choose("option", name, known, f"of {who}")


def check_factory(make: Any, argument: str) -> None:
    """``make`` is a class or function that makes convolutions, and not one of them."""
    if isinstance(make, nn.Module):
        name = type(make).__name__
        raise InputError(
            f"{argument} is a {name}, one module with one width: give the class {name}, or a "
            "function that makes one from input and output width"
        )
    if not callable(make):
        raise InputError(
            f"{argument} is {make!r}: give a class or function that makes a convolution from input "
            "and output width"
        )
    if isinstance(make, type):
        parameters = list(inspect.signature(make).parameters)
        if len(parameters) < 2 or "out" not in parameters[1]:
            raise InputError(
                f"{argument} is the class {make.__name__}, which is not made from input and output "
                f"width: give a function that does, such as lambda i, o: {make.__name__}(...)"
            )


def name_of(make: Any) -> str:
    """The name of a class or function."""
    while isinstance(make, partial):
        make = make.func
    return str(getattr(make, "__name__", type(make).__name__))
