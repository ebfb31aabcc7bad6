"""The kernels behind ``panda_gnn.backend("compiled")``, and when they apply.

Importing this package imports no numba. The kernels are compiled where they are first called and
kept on disk, so that later processes only load them; a line on standard error says when compiling
takes place. They compute what the torch code beside each call computes, which is the reference.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

import torch
from torch import Tensor, nn
from torch.autograd import forward_ad

from panda_gnn.backend import current_backend

TYPES = (torch.float32, torch.float64, torch.int64, torch.bool)
PLAIN = (Tensor, nn.Parameter)


def ordinary(*tensors: Tensor) -> bool:
    """Whether these are plain tensors on the CPU that nobody traces or transforms.

    Numbers must be float32 or float64, indices int64.
    """
    if (
        torch.compiler.is_compiling()
        or torch.jit.is_tracing()  # type: ignore[attr-defined,no-untyped-call]
        or torch._C._functorch.peek_interpreter_stack() is not None
        or forward_ad._current_level >= 0
    ):
        return False
    return all(
        tensor.is_cpu and tensor.dtype in TYPES and type(tensor) in PLAIN for tensor in tensors
    )


def apply_to(*tensors: Tensor) -> bool:
    """Whether kernels may run on these tensors: if they are ordinary and the switch says so."""
    return current_backend() == "compiled" and ordinary(*tensors)


_loaded: dict[str, ModuleType] = {}


def loaded(name: str) -> ModuleType:
    """The module ``panda_gnn.nn.kernels.<name>`` of compiled kernels.

    Compiling takes seconds and happens once per installation; a line on standard error says so.
    """
    if name not in _loaded:
        from panda_gnn.nn.kernels.typed import compile_times

        before = sum(compile_times.values())
        _loaded[name] = importlib.import_module(f"{__name__}.{name}")
        seconds = sum(compile_times.values()) - before
        if seconds > 0:
            print(
                f"panda_gnn: compiled the {name} kernels in {seconds:.1f} s (kept for later runs)",
                file=sys.stderr,
            )
    return _loaded[name]
