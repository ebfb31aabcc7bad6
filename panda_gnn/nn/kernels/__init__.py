"""The kernels behind ``panda_gnn.backend("compiled")``, and when they apply.

One file for each: the function that layers call, the torch operator with its autograd rule, and the
code that :mod:`~panda_gnn.nn.kernels.jit` compiles when it is first called. Every kernel computes
what the torch code beside its call computes, which is the reference. What each gains is in its
file, and is measured by ``python benchmarks/kernels.py``.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.autograd import forward_ad
from torch.nn.modules import module as global_hooks

from panda_gnn.nn.backend import current_backend

DTYPES = (torch.float32, torch.float64, torch.int64, torch.bool)
TENSOR_CLASSES = (Tensor, nn.Parameter)


def ordinary(*tensors: Tensor) -> bool:
    """Whether these are plain tensors on the CPU that nobody traces, transforms or casts.

    Numbers must be float32 or float64, indices int64.
    """
    if (
        torch.compiler.is_compiling()
        or torch.jit.is_tracing()  # type: ignore[attr-defined,no-untyped-call]
        or torch._C._functorch.peek_interpreter_stack() is not None
        or forward_ad._current_level >= 0
        or torch.is_autocast_enabled("cpu")
    ):
        return False
    return all(
        tensor.is_cpu and tensor.dtype in DTYPES and type(tensor) in TENSOR_CLASSES
        for tensor in tensors
    )


def apply_to(*tensors: Tensor) -> bool:
    """Whether kernels may run on these tensors: if they are ordinary and the switch says so."""
    return current_backend() == "compiled" and ordinary(*tensors)


def untouched(module: object, *kinds: type[nn.Module]) -> bool:
    """Whether a module may be bypassed: it is of one of ``kinds`` and nobody hooked, parametrised
    or patched it."""
    return (
        type(module) in kinds
        and isinstance(module, nn.Module)
        and "forward" not in vars(module)
        and not (
            module._forward_hooks
            or module._forward_pre_hooks
            or module._backward_hooks
            or module._backward_pre_hooks
            or global_hooks._global_forward_hooks
            or global_hooks._global_forward_pre_hooks
            or global_hooks._global_backward_hooks
            or global_hooks._global_backward_pre_hooks
        )
    )
