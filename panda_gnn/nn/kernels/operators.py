"""The kernels as operators of torch, ``torch.ops.panda_gnn``, with gradients.

Every operator has a kernel for the CPU, a fake one that tells the shapes, and an autograd rule of
first order. The functions of this module check what the kernels cannot, and call the operators.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from panda_gnn.errors import InputError
from panda_gnn.nn.kernels import PLAIN, loaded

FROM_ZERO, FROM_LOOP, FROM_OUT = 0, 1, 2
"""What the sum of a row starts with; as in :mod:`panda_gnn.nn.kernels.products`."""

_library = torch.library.Library("panda_gnn", "FRAGMENT")


def _operator(
    schema: str, compute: Callable[..., Any], fake: Callable[..., Any], autograd: Any = None
) -> Callable[..., Any]:
    """Define an operator, its kernel, its shapes and, if it has one, its autograd rule."""
    name = schema.partition("(")[0]
    _library.define(schema)
    _library.impl(name, compute, "CPU")
    torch.library.register_fake(f"panda_gnn::{name}", fake, lib=_library)
    operator: Callable[..., Any] = getattr(torch.ops.panda_gnn, name).default
    if autograd is not None:

        def below(*arguments: Any) -> Any:
            if type(arguments[0]) in PLAIN:
                return compute(*arguments)
            with torch._C._AutoDispatchBelowAutograd():
                return operator(*arguments)

        def above(*arguments: Any) -> Any:
            if torch.is_grad_enabled() and any(
                isinstance(argument, Tensor) and argument.requires_grad for argument in arguments
            ):
                return autograd.apply(below, *arguments)
            return below(*arguments)

        _library.impl(name, above, "Autograd")
    return operator
