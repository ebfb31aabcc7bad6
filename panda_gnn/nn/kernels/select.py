"""The best dimensions of the source of every edge, ranked and gathered."""

from __future__ import annotations

from typing import Any, cast

import torch
from torch import Tensor

from panda_gnn.errors import InputError
from panda_gnn.nn.kernels import loaded
from panda_gnn.nn.kernels.registry import Rule, address, first_order_only, operator

GREATEST_WIDTH = 1 << 15
"""Indices of dimensions are kept in 16 bits."""


def rank(
    of_high: Tensor, of_low: Tensor, crossing: Tensor, width: int, relu: bool, ascending: bool
) -> Tensor:
    """The ``width`` dimensions with the greatest ``of_high[u] + of_low[v]`` for edges ``(u, v)``.

    Equal values are ranked by index. ``relu`` makes negative ones equal; ``ascending`` lists the
    dimensions by index instead of by rank. Returns 16-bit integers ``[num_edges, width]``.
    """
    source = _checked(crossing[0], of_high)
    target = _checked(crossing[1], of_low)
    return cast(Tensor, ranking(of_high, of_low, source, target, width, relu, ascending))


def gather(x: Tensor, source: Tensor, index: Tensor) -> Tensor:
    """The dimensions ``index[e]`` of ``x[source[e]]`` for every edge."""
    return cast(Tensor, _gather(x, _checked(source, x), index.to(torch.int16)))


def _checked(node: Tensor, x: Tensor) -> Tensor:
    """The nodes as 32-bit integers, all of which must have a row in ``x``."""
    if node.numel():
        least, greatest = (int(value) for value in torch.aminmax(node))
        if least < 0 or greatest >= x.size(0):
            raise InputError(
                f"crossing goes from {least} to {greatest}, but there are {x.size(0)} such nodes: "
                "nodes are numbered from 0"
            )
    return node.to(torch.int32)


def _compute_rank(
    of_high: Tensor,
    of_low: Tensor,
    source: Tensor,
    target: Tensor,
    width: int,
    relu: bool,
    ascending: bool,
) -> Tensor:
    of_high, of_low = of_high.contiguous(), of_low.contiguous()
    size = of_high.size(1)
    exact = of_high.dtype == torch.float64
    plan = loaded("network").plan(size, size if exact else width)
    index = torch.empty((source.numel(), width), dtype=torch.int16)
    arguments = (
        address(of_high),
        address(of_low),
        address(source),
        address(target),
        size,
        width,
        max(size - 1, 1).bit_length(),
        relu,
        ascending,
        exact,
        plan.ctypes.data,
        len(plan),
        address(index),
    )
    kernel = loaded("selection").rank[of_high.dtype]
    loaded("threads").run(kernel, arguments, source.numel(), source.numel() * size * 8)
    return index


def _compute_gather(x: Tensor, source: Tensor, index: Tensor) -> Tensor:
    x = x.contiguous()
    out = x.new_empty(index.shape)
    arguments = (
        address(source),
        address(index),
        address(x),
        x.size(1),
        index.size(1),
        address(out),
    )
    kernel = loaded("selection").gather[x.dtype]
    loaded("threads").run(kernel, arguments, source.numel(), index.numel())
    return out


def _compute_scatter(
    gradient: Tensor, source: Tensor, index: Tensor, rows: int, size: int
) -> Tensor:
    gradient = gradient.contiguous()
    out = gradient.new_zeros(rows, size)
    loaded("selection").scatter[gradient.dtype](
        address(source),
        address(index),
        address(gradient),
        source.numel(),
        size,
        index.size(1),
        address(out),
    )
    return out


ranking = operator(
    "rank(Tensor of_high, Tensor of_low, Tensor source, Tensor target,"
    " int width, bool relu, bool ascending) -> Tensor",
    _compute_rank,
    lambda of_high, of_low, source, target, width, *_: of_high.new_empty(
        (source.numel(), width), dtype=torch.int16
    ),
)

_scatter = operator(
    "scatter(Tensor gradient, Tensor source, Tensor index, int rows, int size) -> Tensor",
    _compute_scatter,
    lambda gradient, source, index, rows, size: gradient.new_empty(rows, size),
)


class _Rule(Rule):
    @staticmethod
    def forward(ctx: Any, operator: Any, x: Tensor, source: Tensor, index: Tensor) -> Any:
        ctx.save_for_backward(source, index)
        ctx.shape = x.shape
        return operator(x, source, index)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        first_order_only()
        return None, _scatter(gradient, *ctx.saved_tensors, *ctx.shape), None, None


_gather = operator(
    "gather(Tensor x, Tensor source, Tensor index) -> Tensor",
    _compute_gather,
    lambda x, source, index: x.new_empty(index.shape),
    _Rule,
)
