"""Modules made again with other widths, from what they keep of their constructor's arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

import torch
import torch_geometric.nn as pyg
from torch import Tensor, nn

from panda_gnn.errors import InputError

LINEAR = (nn.Linear, pyg.Linear, pyg.MLP)
"""Modules that map states of one width to states of another, row by row."""

WIDTHS = ("in_channels", "num_features", "normalized_shape", "num_parameters", "channels")
"""Names of the one width of a module that keeps it, such as a norm."""

Make = Mapping[type[nn.Module], Callable[[Any, int, int], nn.Module]]
"""How to make a module like a given one from input and output width, by its class."""


def widths_of(module: Any, path: str) -> tuple[int, int]:
    """Input and output width of a convolution or of a linear map."""
    inner = getattr(module, "nn", None)
    if isinstance(inner, nn.Module):
        first, last = _linears(inner, path)[0], _linears(inner, path)[-1]
        return _ends(first)[0] // _copies(module), _ends(last)[1]
    if isinstance(module, nn.Linear | pyg.Linear):
        return _ends(module)
    own = [getattr(module, name, None) for name in ("in_channels", "out_channels")]
    if not all(isinstance(width, int) and width > 0 for width in own):
        raise InputError(
            f"{_name(module, path)} has the widths {own[0]} and {own[1]}, but to_panda needs two "
            "positive numbers: make it with in_channels and out_channels, and without lazy ones"
        )
    return module.in_channels, module.out_channels * _heads(module)


def with_widths(module: Any, in_width: int, out_width: int, path: str, make: Make) -> nn.Module:
    """A convolution or a linear map like ``module`` with the given widths."""
    if type(module) in make:
        return make[type(module)](module, in_width, out_width)
    inner = getattr(module, "nn", None)
    if isinstance(inner, nn.Module):
        chained = _chain(inner, in_width * _copies(module), out_width, path)
        return _rebuilt(module, path, {"nn": chained})
    if isinstance(module, nn.Sequential | pyg.MLP):
        return _chain(module, in_width, out_width, path)
    if isinstance(module, nn.Linear):
        return _rebuilt(module, path, {"in_features": in_width, "out_features": out_width})
    heads = _heads(module)
    if out_width % heads:
        raise InputError(
            f"{_name(module, path)} has {heads} heads, but high nodes would have {out_width} "
            f"channels there: choose a high_width that {heads} divides"
        )
    return _rebuilt(module, path, {"in_channels": in_width, "out_channels": out_width // heads})


def with_width(module: nn.Module, width: int, new_width: int, path: str) -> nn.Module:
    """A module that keeps the width of states, such as a norm, made for another one."""
    changed = dict.fromkeys(_own_widths(module, width), new_width)
    return deepcopy(module) if takes_any_width(module, width) else _rebuilt(module, path, changed)


def takes_any_width(module: nn.Module, width: int) -> bool:
    """Whether a module that works on states of some width works on those of any other."""
    return not (module.state_dict() or _own_widths(module, width))


def _own_widths(module: nn.Module, width: int) -> list[str]:
    return [name for name in WIDTHS if getattr(module, name, None) in (width, (width,))]


def works_by_rows(module: nn.Module, width: int, extra: bool) -> bool:
    """Whether a module gives every node what it gives without the others, in evaluation mode.

    With ``extra`` arguments, which say to which graph a node belongs, these must not matter.
    """
    trial = deepcopy(module).to("cpu", torch.float64).eval()
    batch = [torch.arange(10) // 5] if extra else []
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        x = torch.randn(10, width, dtype=torch.float64)
        try:
            whole, parts = trial(x, *batch), torch.cat([trial(x[:3]), trial(x[3:])])
            return whole.shape == x.shape and torch.allclose(whole, parts, rtol=0, atol=1e-9)
        except Exception:  # whatever a user's module may raise
            return False


def _name(module: nn.Module, path: str) -> str:
    return f"{path} ({type(module).__name__})"


def _heads(module: Any) -> int:
    """How many times a convolution gives its channels, side by side."""
    return module.heads if getattr(module, "concat", False) and hasattr(module, "heads") else 1


def _copies(conv: nn.Module) -> int:
    """How many states of nodes the network inside a convolution is given side by side."""
    return 2 if isinstance(conv, pyg.EdgeConv | pyg.DynamicEdgeConv) else 1


def _linears(module: nn.Module, path: str) -> list[Any]:
    """The linear maps of a network, in the order in which it calls them."""
    called = [module]
    if not isinstance(module, nn.Linear | pyg.Linear):
        called = [module.get_submodule(name) for name in _in_order(module, path)]
    linears = [child for child in called if isinstance(child, nn.Linear | pyg.Linear)]
    if not linears:
        raise InputError(f"{_name(module, path)} has no linear map whose width could be changed")
    return linears


def _ends(linear: Any) -> tuple[int, int]:
    if isinstance(linear, nn.Linear):
        return linear.in_features, linear.out_features
    return linear.in_channels, linear.out_channels


def _chain(module: nn.Module, in_width: int, out_width: int, path: str) -> nn.Module:
    """Linear maps one after the other with other widths; hidden ones grow with the last."""
    if isinstance(module, nn.Linear | pyg.Linear):
        return with_widths(module, in_width, out_width, path, {})
    result = deepcopy(module)
    last = _linears(module, path)[-1]
    growth = out_width / _ends(last)[1]
    width = old = in_width
    channels = [in_width]
    for name in _in_order(module, path):
        child: Any = module.get_submodule(name)
        inside = f"{path}.{name}"
        if isinstance(child, nn.Linear | pyg.Linear):
            old = _ends(child)[1]
            new_width = out_width if child is last else round(old * growth)
            made = with_widths(child, width, new_width, inside, {})
            width = new_width
            channels.append(width)
        else:
            made = with_width(child, old, width, inside)
        parent, _, own = name.rpartition(".")
        setattr(result.get_submodule(parent), own, made)
    if isinstance(result, pyg.MLP):
        result.channel_list = channels
    return result


def _in_order(module: nn.Module, path: str) -> list[str]:
    """The names of what a network calls, one after the other."""
    if isinstance(module, pyg.MLP):
        count = len(module.lins), len(module.norms)
        return [
            f"{kind}.{i}"
            for i in range(count[0])
            for kind, n in zip(("lins", "norms"), count, strict=True)
            if i < n
        ]
    if isinstance(module, nn.Sequential):
        names = []
        for name, child in module.named_children():
            inside = isinstance(child, nn.Sequential | pyg.MLP)
            names += [f"{name}.{own}" for own in _in_order(child, path)] if inside else [name]
        return names
    raise InputError(
        f"{_name(module, path)} is neither a linear map, a Sequential nor an MLP: to_panda cannot "
        "tell its hidden widths, so give make={...} for the layer's class"
    )


def _rebuilt(module: nn.Module, path: str, changes: dict[str, Any]) -> nn.Module:
    """``module`` made again with some arguments changed, if without changes it comes out equal."""
    try:
        same = _constructed(module, {})
        if _shapes(same) != _shapes(module):
            raise ValueError("its weights would have other shapes")
        differing = [
            name
            for name, value in vars(module).items()
            if _is_plain(value) and name != "training" and vars(same).get(name) != value
        ]
        if differing:
            raise ValueError(f"{differing[0]} would be lost")
        return _constructed(module, changes)
    except Exception as error:  # whatever a constructor may raise
        raise InputError(
            f"{_name(module, path)} cannot be made with other widths {changes or ''} "
            f"({type(error).__name__}: {error}): give to_panda make={{"
            f"{type(module).__name__}: lambda layer, i, o: ...}}"
        ) from error


def _shapes(module: nn.Module) -> dict[str, torch.Size]:
    return {name: value.shape for name, value in module.state_dict().items()}


def _is_plain(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, bool | int | float | str)


def _constructed(module: Any, changes: dict[str, Any]) -> nn.Module:
    arguments = dict(changes)
    parameters = dict(inspect.signature(type(module).__init__).parameters)
    names = [name for name, p in parameters.items() if p.kind not in (2, 4) and name != "self"]
    for name in names:
        if name not in arguments:
            for value in _kept(module, name):
                arguments[name] = value
    made: Any = type(module)(**arguments)
    if isinstance(module, pyg.MessagePassing):  # what it hands on to its base
        options = {name: getattr(module, name) for name in ("aggr", "flow", "node_dim")}
        lost = {name: value for name, value in options.items() if getattr(made, name) != value}
        made = type(module)(**arguments, **lost) if lost else made
    if isinstance(module, pyg.PNAConv):
        made.aggr_module = deepcopy(module.aggr_module)
    result: nn.Module = made
    return result


def _kept(module: Any, name: str) -> list[Any]:
    """The value of a constructor's argument, if the module keeps it."""
    if isinstance(module, pyg.PNAConv):
        inner = [*module.pre_nns[0], *module.post_nns[0]]
        special: dict[str, Any] = {
            "aggregators": lambda: list(module.aggr_module.aggr.aggrs),
            "scalers": lambda: module.aggr_module.scaler,
            "deg": lambda: torch.ones(2, dtype=torch.long),
            "pre_layers": lambda: (len(module.pre_nns[0]) + 1) // 2,
            "post_layers": lambda: (len(module.post_nns[0]) + 1) // 2,
            "act": lambda: next(
                (m for m in inner if not isinstance(m, nn.Linear | pyg.Linear)), None
            ),
            "train_norm": lambda: isinstance(module.aggr_module.avg_deg_lin, nn.Parameter),
        }
        if name in special:
            return [special[name]()]
    if name == "eps" and hasattr(module, "initial_eps"):
        return [module.initial_eps]
    if name == "train_eps" and hasattr(module, "eps"):
        return [isinstance(module.eps, nn.Parameter)]
    if name == "device":
        return []
    for holder in (module, *module.children()):
        if hasattr(holder, name):
            value = getattr(holder, name)
            if name == "bias":
                return [value is not None and value is not False]
            if isinstance(value, Tensor):
                continue
            return [deepcopy(value)]
    return []
