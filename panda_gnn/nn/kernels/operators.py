"""Kernels as operators of torch, ``torch.ops.panda_gnn``.

Every operator has an implementation for the CPU, a fake one that tells the shapes of its results
and, where it can be differentiated, an autograd rule of first order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from panda_gnn.errors import InputError
from panda_gnn.nn.kernels import TENSOR_CLASSES

_library = torch.library.Library("panda_gnn", "FRAGMENT")


class Rule(torch.autograd.Function):
    """An autograd rule; ``forward`` gets the operator itself as its first argument."""


def operator(
    schema: str,
    compute: Callable[..., Any],
    fake: Callable[..., Any],
    rule: type[Rule] | None = None,
) -> Callable[..., Any]:
    """Register an operator and return it.

    Args:
        schema: Its name, arguments and results, as in ``"scale(Tensor x, float by) -> Tensor"``.
        compute: What it does on the CPU.
        fake: The same for shapes only.
        rule: Its autograd rule. An operator without one takes no part in differentiation.

    On plain tensors that nothing of torch's watches or transforms, which those who call it make
    sure of (:func:`panda_gnn.nn.kernels.apply_to`), what is returned skips torch's dispatcher.
    """
    name = schema.partition("(")[0]
    _library.define(schema)
    _library.impl(name, compute, "CPU")
    torch.library.register_fake(f"panda_gnn::{name}", fake, lib=_library)
    registered: Callable[..., Any] = getattr(torch.ops.panda_gnn, name).default

    def plainly(*arguments: Any) -> Any:
        if type(arguments[0]) in TENSOR_CLASSES:
            return compute(*arguments)
        with torch._C._AutoDispatchBelowAutograd():
            return registered(*arguments)

    if rule is None:
        return plainly

    def differentiably(*arguments: Any) -> Any:
        if _learns(arguments):
            return rule.apply(plainly, *arguments)  # type: ignore[no-untyped-call]
        return plainly(*arguments)

    _library.impl(name, differentiably, "Autograd")

    # The rule without the preparations for torch.func:
    apply: Any = super(torch.autograd.Function, rule).apply  # type: ignore[misc]

    def directly(*arguments: Any) -> Any:
        if type(arguments[0]) not in TENSOR_CLASSES or torch._C._len_torch_dispatch_stack():
            return registered(*arguments)
        return apply(plainly, *arguments) if _learns(arguments) else compute(*arguments)

    return directly


def _learns(arguments: tuple[Any, ...]) -> bool:
    return torch.is_grad_enabled() and any(
        isinstance(value, Tensor) and value.requires_grad for value in arguments
    )


def first_order_only() -> None:
    """Refuse to make the graph of a gradient."""
    if torch.is_grad_enabled():
        raise InputError(
            "compiled layers have no second derivatives: "
            "call panda_gnn.backend('torch') before create_graph=True"
        )
