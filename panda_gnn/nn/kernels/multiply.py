"""Sums of messages over the edges into every target, as one product with sparse rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor

from panda_gnn.errors import InputError
from panda_gnn.nn.kernels import loaded
from panda_gnn.nn.kernels.registry import Rule, address, first_order_only, operator
from panda_gnn.nn.kernels.rows import back_of, rows_of

if TYPE_CHECKING:
    from panda_gnn.nn.partition import Edges

FROM_ZERO, FROM_LOOP, FROM_OUT = 0, 1, 2
"""What the sum of a row starts with; the same as in :mod:`panda_gnn.nn.kernels.products`."""


def multiply(x: Tensor, edges: Edges, weight: Tensor, loop: Tensor | None = None) -> Tensor:
    r"""The sums :math:`l_v \mathbf{x}_v + \sum_{u \to v} w_{uv}\,\mathbf{x}_u`.

    Args:
        x: States of the sources, of which the first are the targets.
        edges: The edges.
        weight: The weight of each edge, in the order of the rows.
        loop: The weight of each target's own state.
    """
    if x.dim() != 2 or x.size(0) != edges.num_sources:
        raise InputError(
            f"x has the shape {list(x.shape)}, but the edges have {edges.num_sources} sources: "
            "give one row for each"
        )
    if loop is not None:
        loop = loop.to(x.dtype)
        if loop.numel() != edges.num_targets:
            raise InputError(
                f"loop has {loop.numel()} entries, but the edges have {edges.num_targets} targets: "
                "give one weight for each"
            )
    rows = rows_of(edges)
    back = back_of(edges) if x.requires_grad and torch.is_grad_enabled() else (None, None, None)
    return cast(Tensor, _operator(x, weight, loop, rows.ptr, rows.column, *back))


def add_rows(
    out: Tensor,
    x: Tensor,
    weight: Tensor,
    ptr: Tensor,
    column: Tensor,
    start: int,
    *,
    first: int = 0,
    loop: Tensor | None = None,
    entry: Tensor | None = None,
) -> None:
    """Set ``out`` to the sums of as many rows as it has, from the row ``first`` on.

    ``start`` says what the sums start with. Given ``entry``, the rows are transposed ones, and
    ``weight`` is in the order of the others. All tensors must be contiguous.
    """
    width = out.size(1)
    arguments = (
        address(ptr, first),
        address(column),
        address(weight),
        address(entry),
        entry is not None,
        address(x),
        address(loop),
        start,
        width,
        address(out),
    )
    kernel = loaded("products").multiply[x.dtype]
    loaded("threads").run(kernel, arguments, out.size(0), column.numel() * width)


def _compute(
    x: Tensor, weight: Tensor, loop: Tensor | None, ptr: Tensor, column: Tensor, *back: Any
) -> Tensor:
    x, weight = x.contiguous(), weight.contiguous()
    loop = None if loop is None else loop.contiguous()
    out = x.new_empty(ptr.numel() - 1, x.size(1))
    add_rows(out, x, weight, ptr, column, FROM_ZERO if loop is None else FROM_LOOP, loop=loop)
    return out


def _compute_back(
    gradient: Tensor,
    weight: Tensor,
    loop: Tensor | None,
    ptr: Tensor,
    column: Tensor,
    entry: Tensor,
) -> Tensor:
    gradient, weight = gradient.contiguous(), weight.contiguous()
    loop = None if loop is None else loop.contiguous()
    out = gradient.new_empty(ptr.numel() - 1, gradient.size(1))
    own = 0 if loop is None else gradient.size(0)
    if loop is not None:
        add_rows(out[:own], gradient, weight, ptr, column, FROM_LOOP, loop=loop, entry=entry)
    add_rows(out[own:], gradient, weight, ptr, column, FROM_ZERO, first=own, entry=entry)
    return out


def _compute_entries(gradient: Tensor, x: Tensor, ptr: Tensor, column: Tensor) -> Tensor:
    gradient, x = gradient.contiguous(), x.contiguous()
    width = x.size(1)
    out = x.new_empty(column.numel())
    arguments = (address(ptr), address(column), address(gradient), address(x), width, address(out))
    kernel = loaded("products").multiply_entries[x.dtype]
    loaded("threads").run(kernel, arguments, gradient.size(0), column.numel() * width)
    return out


_back = operator(
    "multiply_back(Tensor gradient, Tensor weight, Tensor? loop,"
    " Tensor ptr, Tensor column, Tensor entry) -> Tensor",
    _compute_back,
    lambda gradient, weight, loop, ptr, *_: gradient.new_empty(ptr.numel() - 1, gradient.size(1)),
)

_entries = operator(
    "multiply_entries(Tensor gradient, Tensor x, Tensor ptr, Tensor column) -> Tensor",
    _compute_entries,
    lambda gradient, x, ptr, column: x.new_empty(column.numel()),
)


class _Rule(Rule):
    @staticmethod
    def forward(ctx: Any, operator: Any, x: Tensor, weight: Tensor, loop: Any, *rows: Any) -> Any:
        learned = ctx.needs_input_grad[2] or ctx.needs_input_grad[3]
        ctx.save_for_backward(x if learned else None, weight, loop, *rows)
        return operator(x, weight, loop, *rows)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        first_order_only()
        x, weight, loop, ptr, column, *back = ctx.saved_tensors
        of_x = of_weight = of_loop = None
        if ctx.needs_input_grad[1]:
            of_x = _back(gradient, weight, loop, *back)
        if ctx.needs_input_grad[2]:
            of_weight = _entries(gradient, x, ptr, column)
        if ctx.needs_input_grad[3]:
            of_loop = (gradient * x[: gradient.size(0)]).sum(1)
        return None, of_x, of_weight, of_loop, None, None, None, None, None


_operator = operator(
    "multiply(Tensor x, Tensor weight, Tensor? loop, Tensor ptr, Tensor column,"
    " Tensor? back_ptr, Tensor? back_column, Tensor? back_entry) -> Tensor",
    _compute,
    lambda x, weight, loop, ptr, *_: x.new_empty(ptr.numel() - 1, x.size(1)),
    _Rule,
)
