"""Dropout from given noise."""

from __future__ import annotations

from typing import Any, cast

from torch import Tensor

from panda_gnn.nn.kernels import loaded
from panda_gnn.nn.kernels.registry import Rule, address, operator


def drop(x: Tensor, noise: Tensor, threshold: int, scale: float) -> Tensor:
    """``x`` times ``scale`` where the noise reaches the threshold, else zero."""
    return cast(Tensor, _operator(x, noise, threshold, scale))


def _compute(x: Tensor, noise: Tensor, threshold: int, scale: float) -> Tensor:
    x = x.contiguous()
    out = x.new_empty(x.shape)
    arguments = (address(x), address(noise), threshold, scale, address(out))
    kernel = loaded("products").drop[x.dtype]
    loaded("threads").run(kernel, arguments, x.numel(), x.numel())
    return out


class _Rule(Rule):
    @staticmethod
    def forward(
        ctx: Any, operator: Any, x: Tensor, noise: Tensor, threshold: int, scale: float
    ) -> Any:
        ctx.save_for_backward(noise)
        ctx.threshold, ctx.scale = threshold, scale
        return operator(x, noise, threshold, scale)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        (noise,) = ctx.saved_tensors
        return None, drop(gradient, noise, ctx.threshold, ctx.scale), None, None, None


_operator = operator(
    "drop(Tensor x, Tensor noise, int threshold, float scale) -> Tensor",
    _compute,
    lambda x, noise, threshold, scale: x.new_empty(x.shape),
    _Rule,
)
