"""What follows a convolution, in one pass: ReLU, residual connection and dropout.

Replaces ``torch.relu``, ``+`` and the dropout beside this file, one after the other, with their
backward pass: 1.1 times faster on a small batch, 2.3 times on a large one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from panda_gnn.nn import kernels
from panda_gnn.nn.kernels.dropout import LEVELS, dropout
from panda_gnn.nn.kernels.jit import Int16s, Reals, addresses, kernel
from panda_gnn.nn.kernels.operators import Rule, operator
from panda_gnn.nn.kernels.random_words import random_words
from panda_gnn.nn.kernels.threads import run

if TYPE_CHECKING:
    from numba.np.numpy_support import carray

Activation = Callable[[Tensor], Tensor]


def update(
    out: Tensor, x: Tensor, activation: Activation | None, residual: bool, p: float = 0.0
) -> Tensor:
    """The activation of ``out``, where the widths agree the residual connection to ``x``, and
    dropout.

    Args:
        out: What a convolution gives.
        x: The states before it.
        activation: Applied to ``out``.
        residual: Whether to add ``x`` where it is as wide as ``out``.
        p: The probability of zero.
    """
    adds = residual and x.size(-1) == out.size(-1)
    if p > 0 and round(p * LEVELS) < LEVELS and activation is torch.relu:
        same = x.shape == out.shape and x.dtype == out.dtype
        if out.is_floating_point() and kernels.apply_to(out, x) and (same or not adds):
            words = random_words(-(-out.numel() // 4))
            changed: Tensor = _operator(out, x if adds else None, words, round(p * LEVELS))
            return changed
    if activation is not None:
        out = activation(out)
    out = x + out if adds else out
    return dropout(out, p) if p else out


@kernel()
def _update_states(
    out_: Reals,
    x_: Reals,
    noise_: Int16s,
    new_: Reals,
    adds: int,
    threshold: int,
    scale: float,
    first: int,
    last: int,
) -> None:
    """``(x + relu(out)) * factor``, the factor being zero or the scale; x only if ``adds``."""
    out, noise = carray(out_, (last,))[first:last], carray(noise_, (last,))[first:last]
    new, least, zero = carray(new_, (last,))[first:last], np.int16(threshold), scale - scale
    if adds:
        x = carray(x_, (last,))[first:last]
        for i in range(last - first):
            active = zero if out[i] <= zero else out[i]
            new[i] = (x[i] + active) * (scale if noise[i] >= least else zero)
    else:
        for i in range(last - first):
            active = zero if out[i] <= zero else out[i]
            new[i] = active * (scale if noise[i] >= least else zero)


@kernel()
def _update_gradients(
    gradient_: Reals,
    out_: Reals,
    noise_: Int16s,
    of_out_: Reals,
    of_x_: Reals,
    adds: int,
    threshold: int,
    scale: float,
    first: int,
    last: int,
) -> None:
    """The gradients of ``out`` and, if it is added, of ``x``."""
    gradient, out = carray(gradient_, (last,))[first:last], carray(out_, (last,))[first:last]
    noise, of_out = carray(noise_, (last,))[first:last], carray(of_out_, (last,))[first:last]
    least, zero = np.int16(threshold), scale - scale
    if adds:
        of_x = carray(of_x_, (last,))[first:last]
        for i in range(last - first):
            own = gradient[i] * (scale if noise[i] >= least else zero)
            of_x[i] = own
            of_out[i] = zero if out[i] <= zero else own
    else:
        for i in range(last - first):
            own = gradient[i] * (scale if noise[i] >= least else zero)
            of_out[i] = zero if out[i] <= zero else own


def _level(threshold: int) -> tuple[int, float]:
    """The least noise that keeps a number, and what kept numbers are multiplied by."""
    return threshold - LEVELS // 2, LEVELS / (LEVELS - threshold)


def _compute(out: Tensor, x: Tensor | None, words: Tensor, threshold: int) -> Tensor:
    out, x = out.contiguous(), None if x is None else x.contiguous()
    new = torch.empty(out.shape, dtype=out.dtype)
    arguments = (*addresses(out, x, words, new), x is not None, *_level(threshold))
    run(_update_states[out.dtype], arguments, out.numel(), out.numel())
    return new


class _Rule(Rule):
    @staticmethod
    def forward(
        ctx: Any, operator: Any, out: Tensor, x: Tensor | None, words: Tensor, threshold: int
    ) -> Tensor:
        ctx.save_for_backward(out, words)
        ctx.threshold, ctx.adds = threshold, x is not None
        new: Tensor = operator(out, x, words, threshold)
        return new

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        out, words = ctx.saved_tensors
        least, scale = _level(ctx.threshold)
        if torch.is_grad_enabled() or not kernels.ordinary(gradient):  # second derivatives, vmap
            noise = words.view(torch.int16)[: out.numel()].view(out.shape)
            own = gradient * ((noise >= least).to(out.dtype) * scale)
            return None, own.masked_fill(out <= 0, 0), own if ctx.adds else None, None, None
        gradient, out = gradient.contiguous(), out.contiguous()
        of_out = torch.empty(out.shape, dtype=out.dtype)
        of_x = torch.empty_like(of_out) if ctx.adds else None
        arguments = (*addresses(gradient, out, words, of_out, of_x), ctx.adds, least, scale)
        run(_update_gradients[out.dtype], arguments, out.numel(), out.numel())
        return None, of_out, of_x, None, None


_operator = operator(
    "update(Tensor out, Tensor? x, Tensor words, int threshold) -> Tensor",
    _compute,
    lambda out, x, words, threshold: torch.empty_like(out, memory_format=torch.contiguous_format),
    _Rule,
)
