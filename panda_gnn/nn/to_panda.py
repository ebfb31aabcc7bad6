"""Existing models made width-aware, as PyG's ``to_hetero`` makes them heterogeneous."""

from __future__ import annotations

import inspect
import operator
from copy import deepcopy
from functools import partial
from types import MappingProxyType
from typing import Any

import torch_geometric.nn as pyg
import torch_geometric.utils
from torch import Tensor, fx, nn
from torch.fx._symbolic_trace import _assert_is_none
from torch.nn import functional as F
from torch_geometric.nn.inits import reset

from panda_gnn.errors import InputError
from panda_gnn.nn.inputs import EDGE_VALUES, check_options
from panda_gnn.nn.panda_conv import SELECTOR_OPTIONS, PandaConv
from panda_gnn.nn.partition import WidthPartition
from panda_gnn.nn.rebuild import (
    LINEAR,
    Make,
    takes_any_width,
    widths_of,
    with_width,
    with_widths,
    works_by_rows,
)

ELEMENTWISE = (
    *("add", "sub", "mul", "div", "truediv", "iadd", "isub", "imul", "itruediv", "neg", "abs"),
    *("relu", "relu6", "leaky_relu", "elu", "celu", "selu", "gelu", "silu", "mish", "hardtanh"),
    *("tanh", "sigmoid", "softplus", "softsign", "exp", "clamp", "maximum", "minimum"),
    *("clone", "contiguous"),
)
"""Functions and methods that make each number of the states from numbers at the same place."""

JOIN = ("cat", "concat", "concatenate")


def partition_of(edge_index: Tensor, high: Tensor, *values: Tensor | None) -> WidthPartition:
    """The partition that the layers of a converted model share."""
    return WidthPartition(edge_index, high, **dict(zip(EDGE_VALUES, values, strict=False)))


class Tracer(fx.Tracer):
    """Traces down to convolutions, poolings and the modules of torch and PyG without any inside."""

    def __init__(self) -> None:
        named = [
            value for module in (pyg.pool, torch_geometric.utils) for value in vars(module).values()
        ]
        super().__init__(autowrap_functions=(partition_of, *filter(inspect.isfunction, named)))
        self._autowrap_search += [torch_geometric.utils, pyg.pool, pyg]

    def is_leaf_module(self, module: nn.Module, path: str) -> bool:
        """Whether a module stays as it is."""
        if isinstance(module, pyg.MessagePassing | pyg.Aggregation):
            return True
        if any(isinstance(child, pyg.MessagePassing) for child in module.modules()):
            return False
        library = type(module).__module__.startswith(("torch.nn", "torch_geometric.nn"))
        return library and not isinstance(module, nn.Sequential)

    def trace(self, root: Any, concrete_args: dict[str, Any] | None = None) -> fx.Graph:
        """The graph of a model."""
        checked = pyg.Aggregation.__call__  # asks for the shape of what has none yet
        pyg.Aggregation.__call__ = lambda module, *a, **k: nn.Module.__call__(module, *a, **k)
        try:
            return super().trace(root, concrete_args)
        finally:
            pyg.Aggregation.__call__ = checked


def to_panda(
    model: nn.Module,
    high_width: int,
    *,
    keep_weights: bool = False,
    make: Make = MappingProxyType({}),
    **options: Any,
) -> fx.GraphModule:
    """Make an existing model width-aware: its high nodes get wider states between its layers.

    Every convolution becomes a :class:`~panda_gnn.nn.PandaConv`, and linear maps, norms and jumping
    knowledge between convolutions get a counterpart for high nodes. Where all nodes must have one
    width again, as in a read-out or in the output, the layer before gives them one. With equal
    widths and weights of both sides, the result is the model itself.

    The model must be one that ``torch.fx`` can trace, such as those of
    :mod:`torch_geometric.nn.models` (GCN, GraphSAGE, GIN, GAT, PNA, EdgeCNN) and models around
    them. What cannot be made width-aware is named in an error.

    Args:
        model: The model; it is left as it is.
        high_width: The width of high nodes where low nodes have that of the widest states between
            two layers. Other widths grow in proportion.
        keep_weights: Let low nodes, and everything that all nodes share, keep the model's trained
            weights. By default all parameters are reset.
        make: For layers that cannot be made again from what they keep: their class, and a function
            of such a layer, an input and an output width that makes one.
        **options: ``selector``, ``selector_hidden`` and ``score`` of
            :class:`~panda_gnn.nn.PandaConv`.

    Returns:
        The new model, which takes what the model takes and, after ``edge_index``, the mask ``high``
        of the high nodes.

    Example:
        >>> import torch
        >>> from torch_geometric.nn import GCN
        >>> from panda_gnn.nn import to_panda
        >>> model = to_panda(GCN(7, 16, num_layers=3, out_channels=2), high_width=32)
        >>> edge_index = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
        >>> high = torch.tensor([False, True, True, False])
        >>> model(torch.rand(4, 7), edge_index, high).shape
        torch.Size([4, 2])
    """
    check_options("to_panda", options, SELECTOR_OPTIONS)
    model = deepcopy(model)
    if not keep_weights:
        reset(model)
    return _Conversion(_States(model), high_width, make, options).convert()


class _States:
    """A traced model, and which of its values are states of nodes that may get wider.

    Attributes:
        widths: The states with their widths: what leads from or to a convolution by linear maps,
            what keeps rows, and joins.
        fixed: Those that must have one width for all nodes, each with what asks for it.
    """

    def __init__(self, model: nn.Module) -> None:
        self.model, self.name = model, type(model).__name__
        parameters = inspect.signature(model.forward).parameters
        sampled = {name: None for name in parameters if name.startswith("num_sampled_")}
        try:
            self.graph, evaluating = (self._trace(training, sampled) for training in (True, False))
        except Exception as error:  # whatever a model may raise when it gets no tensors
            raise InputError(
                f"{self.name} cannot be traced by torch.fx ({type(error).__name__}: {error}), so "
                "to_panda cannot convert it: build it of panda_gnn.nn.PandaConv instead"
            ) from error
        self._put_dropout_into_modules([*evaluating.nodes])
        self.kinds = {node: self._kind(node) for node in self.graph.nodes}
        self.convs = [node for node, kind in self.kinds.items() if kind == "conv"]
        self.widths: dict[fx.Node, int] = {}
        self._find()
        self.fixed: dict[fx.Node, str] = {}
        self._fix()

    def _trace(self, training: bool, concrete_args: dict[str, None]) -> fx.Graph:
        """The graph of the model in training or in evaluation; its own mode stays."""
        modes = [(module, module.training) for module in self.model.modules()]
        try:
            return Tracer().trace(self.model.train(training), concrete_args)
        finally:
            for module, was in modes:
                module.training = was

    def module(self, node: fx.Node) -> Any:
        """The module that a node calls."""
        return self.model.get_submodule(str(node.target))

    def arguments(self, node: fx.Node) -> dict[str, Any]:
        """What the module that a node calls is given, by name."""
        signature = inspect.signature(self.module(node).forward)
        return dict(signature.bind(*node.args, **node.kwargs).arguments)

    def inputs(self, node: fx.Node) -> list[fx.Node]:
        """The values that a node makes states of."""
        kind = self.kinds[node]
        if kind == "other":
            return []
        if node.op == "call_module":
            first = next(iter(self.arguments(node).values()))
        elif kind == "join":
            first = node.args[0]
        else:
            first = [*node.args, *node.kwargs.values()]
        values = first if isinstance(first, list | tuple) else [first]
        return [value for value in values if isinstance(value, fx.Node)]

    def describe(self, node: fx.Node) -> str:
        """What a node stands for, in words."""
        if node.op == "call_module":
            return f"{node.target} ({type(self.module(node)).__name__})"
        kinds = {"placeholder": "the input", "get_attr": "the parameter", "output": "the"}
        return f"{kinds.get(node.op, 'the function')} {_function_name(node)}"

    def _put_dropout_into_modules(self, evaluating: list[fx.Node]) -> None:
        """Tracing has fixed what functions are told about training; modules know it."""
        training = [*self.graph.nodes]
        if [(n.op, n.target) for n in training] != [(n.op, n.target) for n in evaluating]:
            raise InputError(
                f"{self.name} does something else in training than in evaluation, of which "
                "to_panda would keep one: put what differs into a module that asks for its mode"
            )
        for node, other in zip(training, evaluating, strict=True):
            if node.op != "call_function" or "training" not in _parameter_names(node.target):
                continue
            given = inspect.signature(node.target).bind(*node.args, **node.kwargs).arguments
            if node.target is not F.dropout:
                raise InputError(
                    f"{self.name} calls the function {_function_name(node)}, which must know "
                    "whether the model is training: to_panda needs a module in its place"
                )
            never = inspect.signature(node.target).bind(*other.args, **other.kwargs).arguments
            if given.get("training", True) == never.get("training", True):
                raise InputError(
                    f"{self.name} calls the function dropout with the same training in both modes: "
                    "give it training=self.training, or put a module of yours in its place"
                )
            path = f"{node.name}_module"
            self.model.add_module(path, nn.Dropout(given.get("p", 0.5)))
            with self.graph.inserting_before(node):
                node.replace_all_uses_with(self.graph.call_module(path, (given["input"],)))
            self.graph.erase_node(node)

    def _kind(self, node: fx.Node) -> str:
        if node.op == "call_module":
            module = self.module(node)
            if isinstance(module, pyg.MessagePassing):
                return "conv"
            if isinstance(module, LINEAR):
                return "linear"
            return "join" if getattr(module, "mode", None) == "cat" else "same"
        if node.op in ("call_function", "call_method"):
            name = _function_name(node)
            if name in JOIN:
                dim = node.kwargs.get("dim", node.args[1] if len(node.args) > 1 else 0)
                return "join" if dim in (-1, 1) else "other"
            return "same" if name in ELEMENTWISE else "other"
        return "other"

    def _find(self) -> None:
        leading = set(self.convs)
        for node in reversed([*self.graph.nodes]):
            if node in leading:
                leading.update(self.inputs(node))
        for node, kind in self.kinds.items():
            inputs = [self.widths[value] for value in self.inputs(node) if value in self.widths]
            if kind == "conv" or (kind == "linear" and (inputs or node in leading)):
                self.widths[node] = widths_of(self.module(node), str(node.target))[1]
            elif inputs and kind == "join" and len(inputs) == len(self.inputs(node)):
                self.widths[node] = sum(inputs)
            elif inputs and kind == "same" and self._keeps_rows(node, max(inputs)):
                self.widths[node] = max(inputs)

    def _keeps_rows(self, node: fx.Node, width: int) -> bool:
        if node.op != "call_module":
            return all(
                value in self.widths or self._is_number(value) for value in self.inputs(node)
            )
        if isinstance(self.module(node), pyg.JumpingKnowledge):
            return True
        return works_by_rows(self.module(node), width, len(self.arguments(node)) > 1)

    def _is_number(self, node: fx.Node) -> bool:
        """Whether a value is one number, which goes with states of any width."""
        if node.op != "get_attr":
            return False
        value = operator.attrgetter(str(node.target))(self.model)
        return isinstance(value, Tensor) and value.numel() == 1

    def _fix(self) -> None:
        """Find the states that something else uses, and those that must be as wide as these."""
        for node in self.widths:
            for user in node.users:
                if user not in self.widths or node not in self.inputs(user):
                    self.fixed.setdefault(node, self.describe(user))
        before = -1
        while before < len(self.fixed):
            before = len(self.fixed)
            for node in self.widths:
                if self.kinds[node] in ("conv", "linear"):
                    continue
                inputs = [value for value in self.inputs(node) if value in self.widths]
                own = self.fixed.get(node)
                others = [self.fixed[value] for value in inputs if value in self.fixed]
                if others and (self.kinds[node] == "same" or len(others) == len(inputs)):
                    own = self.fixed.setdefault(node, others[0])
                if own is not None:
                    for value in inputs:
                        self.fixed.setdefault(value, own)

    def width_between(self) -> int:
        """The greatest width of the states that convolutions are given; if some of these cannot
        get wider, an error says why."""
        if not self.convs:
            raise InputError(f"{self.name} calls no convolution of PyG: to_panda has nothing to do")
        between = []
        for conv in self.convs:
            value = next(iter(self.arguments(conv).values()))
            if not isinstance(value, fx.Node):
                raise InputError(
                    f"{self.describe(conv)} of {self.name} is given {value}: to_panda needs the "
                    "states of all nodes as one value"
                )
            why = self.fixed.get(value) or (None if value in self.widths else self._blocker(value))
            if why is not None:
                raise InputError(
                    f"to_panda cannot make {self.describe(conv)} of {self.name} width-aware: {why} "
                    "needs all nodes of a graph at one width, so put something in its place that "
                    "treats every node by itself"
                )
            between += [self.widths[value]] if value in self.widths else []
        if not between:
            raise InputError(
                f"{self.name} has no states between two layers that could get wider: it needs a "
                "second convolution, or a linear map before the first"
            )
        return max(between)

    def _blocker(self, node: fx.Node) -> str | None:
        """What comes between the states of a convolution and ``node``, which is no such state."""
        for value in node.all_input_nodes:
            why = self.describe(node) if value in self.widths else self._blocker(value)
            if why is not None:
                return why
        return None


class _Conversion:
    """The graph of the new model, made value by value; wide states are pairs of values."""

    def __init__(
        self, states: _States, high_width: int, make: Make, options: dict[str, Any]
    ) -> None:
        self.states, self.make, self.options = states, make, options
        width = states.width_between()
        if not isinstance(high_width, int) or high_width < width:
            raise InputError(
                f"high_width is {high_width}, it must be a whole number of at least {width}, the "
                f"width between the layers of {states.name}"
            )
        self.width, self.growth = width, high_width / width
        self.graph = fx.Graph(tracer_cls=Tracer)
        self.modules: dict[str, Any] = {}
        self.made_for: dict[str, object] = {}
        self.ones: dict[fx.Node, Any] = {}
        self.pairs: dict[fx.Node, tuple[fx.Node, fx.Node]] = {}
        self.high_widths: dict[fx.Node, int] = {}
        self.partitions: dict[tuple[Any, ...], fx.Node] = {}

    def convert(self) -> fx.GraphModule:
        """The new model."""
        nodes = [n for n in self.states.graph.nodes if not n.name.startswith("num_sampled_")]
        inputs = [node for node in nodes if node.op == "placeholder"]
        first = self.states.arguments(self.states.convs[0])["edge_index"]
        while first not in inputs and first.target is not getattr and first.all_input_nodes:
            first = first.all_input_nodes[0]
        self.edge_index = first
        required = [node for node in inputs if not node.args]
        before = first if first in inputs else required[-1]
        for node in inputs:
            self.ones[node] = self.graph.node_copy(node)
            if node is before:
                self.high = self.graph.placeholder("high", Tensor)
        for node in nodes:
            self._emit(node)
        model = self.states.model
        for node in self.graph.nodes:
            node.type = None  # one that is written as a string cannot be pickled
            if node.op == "get_attr":
                self.modules[node.target] = operator.attrgetter(node.target)(model)
        result = fx.GraphModule(self.modules, self.graph, f"Panda{self.states.name}")
        result.graph.lint()
        return result.train(model.training)

    def _emit(self, node: fx.Node) -> None:
        """Put what a value becomes into the new graph, once."""
        if node in self.ones or node in self.pairs or node.target is _assert_is_none:
            return
        kind = self.states.kinds[node] if node in self.states.widths else "other"
        inputs = self.states.inputs(node)
        if kind == "conv":
            self._conv(node)
        elif kind != "other" and (self._is_wide(node) or any(map(self._is_wide, inputs))):
            self._both(node, kind)
        else:
            self.ones[node] = self.graph.node_copy(node, self._one)
            if node.op == "call_module":
                path, module = str(node.target), self.states.module(node)
                self._put(path, {"": module}, None if module.state_dict() else "any")

    def _is_wide(self, node: fx.Node) -> bool:
        return node in self.states.widths and node not in self.states.fixed

    def _one(self, node: fx.Node) -> Any:
        """What a value with one row for each node, or no rows, becomes."""
        self._emit(node)
        return self.ones[node]

    def _pair(self, node: fx.Node) -> tuple[fx.Node, fx.Node]:
        """What the states of low and of high nodes become."""
        self._emit(node)
        if node not in self.pairs:
            given = self._partition(self.edge_index), self._one(node)
            self.pairs[node] = self._ends(self.graph.call_method("split", given))
        return self.pairs[node]

    def _ends(self, pair: fx.Node) -> tuple[fx.Node, fx.Node]:
        low, high = (self.graph.call_function(operator.getitem, (pair, i)) for i in (0, 1))
        return low, high

    def _leave(self, node: fx.Node, pair: tuple[fx.Node, fx.Node], high_width: int) -> None:
        """Keep the new states, merged where all nodes have one width."""
        if self._is_wide(node):
            self.pairs[node], self.high_widths[node] = pair, high_width
        else:
            partition = self._partition(self.edge_index)
            self.ones[node] = self.graph.call_method("merge", (partition, *pair))

    def _partition(self, edge_index: fx.Node, *values: fx.Node | None) -> fx.Node:
        key = (edge_index, *values) if any(value is not None for value in values) else (edge_index,)
        if key not in self.partitions:
            given = [value if value is None else self._one(value) for value in key[1:]]
            self.partitions[key] = self.graph.call_function(
                partition_of, (self._one(edge_index), self.high, *given)
            )
        return self.partitions[key]

    def _put(self, path: str, modules: dict[str, nn.Module], widths: object) -> None:
        """Keep what a module becomes; one that is called twice must get the same widths twice."""
        if self.made_for.setdefault(path, widths) != widths:
            raise InputError(
                f"{path} of {self.states.name} is called with states of different widths of high "
                "nodes: to_panda needs a module for each"
            )
        for name, module in modules.items():
            self.modules.setdefault(path + name, module)

    def _conv(self, node: fx.Node) -> None:
        path, conv = str(node.target), self.states.module(node)
        arguments = self.states.arguments(node)
        x, edge_index, *_ = arguments.values()
        for name, value in list(arguments.items())[2:]:
            if name not in EDGE_VALUES and value is not None:
                raise InputError(
                    f"{self.states.describe(node)} of {self.states.name} is given {name}: to_panda "
                    f"knows {', '.join(EDGE_VALUES)}"
                )
        in_width, out_width = widths_of(conv, path)
        in_high = self.high_widths.get(x, in_width)
        out_high = self._grown(node)

        def factory(i: int, o: int) -> nn.Module:
            return with_widths(conv, i, o, path, self.make)

        layer = PandaConv(factory, (in_width, in_high), (out_width, out_high), **self.options)
        _like(layer, conv).low.conv.load_state_dict(conv.state_dict())
        self._put(path, {"": layer}, (in_high, out_high))
        partition = self._partition(edge_index, *(arguments.get(name) for name in EDGE_VALUES))
        out = self.graph.call_module(path, (self._pair(x), partition))
        self._leave(node, self._ends(out), out_high)

    def _grown(self, node: fx.Node) -> int:
        width = self.states.widths[node]
        if width == 1 < self.width:  # a gate, one number for all columns
            return 1
        return round(width * self.growth) if self._is_wide(node) else width

    def _both(self, node: fx.Node, kind: str) -> None:
        """The same for low and for high nodes."""
        inputs = [value for value in self.states.inputs(node) if value in self.states.widths]
        for value in inputs:
            self._emit(value)
        widths = [self.high_widths.get(value, self.states.widths[value]) for value in inputs]
        if kind == "linear":
            out_high = self._grown(node)
        else:
            out_high = sum(widths) if kind == "join" else max(widths)
            if kind == "same" and len({*widths} - {1}) > 1:
                raise InputError(
                    f"{self.states.describe(node)} of {self.states.name} combines states that high "
                    f"nodes have in the widths {widths}: choose a high_width that is a multiple"
                )
        if node.op == "call_module":
            first = next(iter(self.states.arguments(node).values()))
            sides = self._module_sides(node, kind, widths, out_high)
            low, high = (
                self.graph.call_module(side, (fx.map_arg(first, partial(self._half, i)),))
                for i, side in enumerate(sides)
            )
        else:
            low, high = (self.graph.node_copy(node, partial(self._side, i)) for i in (0, 1))
        self._leave(node, (low, high), out_high)

    def _half(self, i: int, node: fx.Node) -> fx.Node:
        """What states become for low (0) or for high (1) nodes."""
        return self._pair(node)[i]

    def _side(self, i: int, node: fx.Node) -> Any:
        """The same where the value may be a number, which is one for both."""
        return self._half(i, node) if node in self.states.widths else self._one(node)

    def _module_sides(
        self, node: fx.Node, kind: str, widths: list[int], out_high: int
    ) -> tuple[str, str]:
        """The names of the modules for low and high nodes."""
        path, module = str(node.target), self.states.module(node)
        if kind != "linear" and takes_any_width(module, self.states.widths[node]):
            self._put(path, {"": module}, "any")
            return path, path
        if kind == "linear":
            in_high = widths[0] if widths else widths_of(module, path)[0]
            high = with_widths(module, in_high, out_high, path, self.make)
        else:
            high = with_width(module, self.states.widths[node], out_high, path)
        sides = {".low": module, ".high": _like(high, module)}
        self._put(path, sides, (*widths, out_high))
        return f"{path}.low", f"{path}.high"


def _like(new: Any, old: nn.Module) -> Any:
    """A new module where and of the type that an old one is."""
    values = [value for value in old.state_dict().values() if value.is_floating_point()]
    return new.to(values[0].device, values[0].dtype) if values else new


def _function_name(node: fx.Node) -> str:
    name = node.target if isinstance(node.target, str) else node.target.__name__
    return name.rstrip("_")


def _parameter_names(function: Any) -> list[str]:
    try:
        return list(inspect.signature(function).parameters)
    except ValueError:  # a builtin
        return []
