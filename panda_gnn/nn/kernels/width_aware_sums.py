r"""The adapted sums of low and high nodes, fused.

With weights :math:`w` of the edges and :math:`l` of a node's own state,

.. math::
    \mathbf{s}_v &= l_v \mathbf{h}_v + \sum_{u\,\mathrm{low}} w_{uv} \mathbf{h}_u +
    \sum_{u\,\mathrm{high}} w_{uv}\, g(\mathbf{h}_v, \mathbf{h}_u), \quad v\ \mathrm{low} \\
    \mathbf{s}_v &= l_v \mathbf{h}_v + \sum_{u\,\mathrm{high}} w_{uv} \mathbf{h}_u +
    \mathbf{W}_f \sum_{u\,\mathrm{low}} w_{uv} \mathbf{h}_u, \quad v\ \mathrm{high}.

f is linear, so it is applied to the sum. The logits of g are a part for each source plus a part for
each target, added when they are ranked. Nothing has a row for each edge but the ranking, with 16
bits for each of its entries.

Replaces the convolutions of a layer in torch: 3.6 times faster on a small batch, 12 times on a
large one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import torch
from torch import Tensor

from panda_gnn.errors import InputError
from panda_gnn.nn.kernels.jit import Int16s, Int32s, Reals, addresses, kernel
from panda_gnn.nn.kernels.operators import Rule, first_order_only, operator
from panda_gnn.nn.kernels.ranking import rank_nodes
from panda_gnn.nn.kernels.row_sums import FROM_LOOP, FROM_OUT, FROM_ZERO, add_rows
from panda_gnn.nn.kernels.threads import run
from panda_gnn.nn.kernels.width_rows import width_source_rows, width_target_rows

if TYPE_CHECKING:
    from numba.np.numpy_support import carray

    from panda_gnn.nn.partition import WidthPartition


def width_aware_sums(
    x_low: Tensor,
    x_high: Tensor,
    partition: WidthPartition,
    weight: Tensor,
    loop: Tensor | None,
    expand: Tensor | None = None,
    eta_weight: Tensor | None = None,
    eta_bias: Tensor | None = None,
    *,
    relu: bool = False,
    ascending: bool = False,
) -> tuple[Tensor, Tensor]:
    """The sums of low and of high nodes.

    Args:
        x_low: States of the low nodes.
        x_high: States of the high nodes.
        partition: The nodes and edges.
        weight: The weight of each edge, in the order of the rows.
        loop: The weight of each node's own state, low nodes first.
        expand: The map f, or ``None`` where both states have one width: then f and g are skipped.
        eta_weight: The weight of the one linear map that makes the logits of g.
        eta_bias: Its bias.
        relu: Whether negative logits count as equal.
        ascending: Whether g lists what it takes by index instead of by rank.
    """
    rows = width_target_rows(partition)
    num_low, num_high = rows.num_low, rows.nodes.numel() - rows.num_low
    if x_low.size(0) != num_low or x_high.size(0) != num_high:
        raise InputError(
            f"x has {x_low.size(0)} low and {x_high.size(0)} high rows, but the partition has "
            f"{num_low} low and {num_high} high nodes"
        )
    if expand is None and x_low.size(1) != x_high.size(1):
        raise InputError(
            f"x has the widths {x_low.size(1)} and {x_high.size(1)}, but the layer was made for "
            "equal ones"
        )
    learns = x_low.requires_grad or x_high.requires_grad
    back: Any = (None, None, None)
    if learns and torch.is_grad_enabled():
        back = width_source_rows(partition)
    adapted = (expand, eta_weight, eta_bias, relu, ascending)
    structure = (rows.ptr, rows.column, rows.crossing_target, rows.first_crossing)
    out = _operator(x_low, x_high, weight, loop, *adapted, *structure, *back)
    return cast(tuple[Tensor, Tensor], out[:2])


def weight_from_low(partition: WidthPartition, weight: Tensor) -> Tensor:
    """The sum of the weights of all edges from low nodes to each high node."""
    rows = width_target_rows(partition)
    ones = weight.new_ones(rows.num_low, 1)
    out = weight.new_empty(rows.nodes.numel() - rows.num_low, 1)
    add_rows(out, ones, weight, rows.ptr, rows.column, FROM_ZERO, first=rows.num_low)
    return out.view(-1)


@kernel()
def _add_selected(
    ptr_: Int32s,
    column_: Int32s,
    weight_: Reals,
    index_: Int16s,
    x_: Reals,
    out_: Reals,
    high_width: int,
    width: int,
    first: int,
    last: int,
) -> None:
    """``out[v, i] += sum_e weight[e] x[column[e], index[e, i]]``, e in index counted from 0."""
    ptr = carray(ptr_, (last + 1,))
    column, weight = carray(column_, (ptr[last],)), carray(weight_, (ptr[last],))
    index = carray(index_, (ptr[last] - ptr[0], width))
    x, out = carray(x_, (last, high_width)), carray(out_, (last, width))
    for v in range(first, last):
        for e in range(ptr[v], ptr[v + 1]):
            u, w, best = column[e], weight[e], index[e - ptr[0]]
            for i in range(width):
                out[v, i] += w * x[u, np.uint16(best[i])]


@kernel()
def _add_selected_back(
    ptr_: Int32s,
    column_: Int32s,
    entry_: Int32s,
    weight_: Reals,
    index_: Int16s,
    gradient_: Reals,
    out_: Reals,
    first_entry: int,
    high_width: int,
    width: int,
    first: int,
    last: int,
) -> None:
    """Transposed, ``out[u, index[e, i]] += weight[e] gradient[v, i]``."""
    ptr = carray(ptr_, (last + 1,))
    column, entry = carray(column_, (ptr[last],)), carray(entry_, (ptr[last],))
    weight, index = carray(weight_, (ptr[last],)), carray(index_, (ptr[last], width))
    gradient, out = carray(gradient_, (last, width)), carray(out_, (last, high_width))
    for u in range(first, last):
        for e in range(ptr[u], ptr[u + 1]):
            v, w, best = column[e], weight[entry[e]], index[entry[e] - first_entry]
            for i in range(width):
                out[u, np.uint16(best[i])] += w * gradient[v, i]


def _compute(
    x_low: Tensor,
    x_high: Tensor,
    weight: Tensor,
    loop: Tensor | None,
    expand: Tensor | None,
    eta_weight: Tensor | None,
    eta_bias: Tensor | None,
    relu: bool,
    ascending: bool,
    ptr: Tensor,
    column: Tensor,
    crossing_target: Tensor,
    first_crossing: int,
    *back: Tensor | None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The two sums and, for the backward pass, the sums before f and the ranking."""
    x_low, x_high = x_low.contiguous(), x_high.contiguous()
    (num_low, width), (num_high, high_width) = x_low.shape, x_high.shape
    rows = (weight, ptr, column)
    low, high = _unadapted(x_low, x_high, *rows, loop, None, expand is None)
    if expand is None:
        return low, high, x_low.new_empty(0), torch.empty(0, dtype=torch.int16)
    assert eta_weight is not None
    assert eta_bias is not None
    unexpanded = x_low.new_empty(num_high, width)
    add_rows(unexpanded, x_low, *rows, FROM_ZERO, first=num_low)
    high.addmm_(unexpanded, expand.t())
    of_high = torch.mm(x_high, eta_weight[:, :high_width].t())
    of_low = torch.addmm(eta_bias, x_low, eta_weight[:, high_width:].t())
    source = column[first_crossing : first_crossing + crossing_target.numel()]
    index = rank_nodes(of_high, of_low, source, crossing_target, width, relu, ascending)
    arguments = (
        ptr.data_ptr() + (num_low + num_high) * ptr.element_size(),
        *addresses(column, weight, index, x_high, low),
        high_width,
        width,
    )
    run(_add_selected[x_low.dtype], arguments, num_low, index.numel())
    return low, high, unexpanded, index


def _compute_back(
    of_low: Tensor,
    of_high: Tensor,
    weight: Tensor,
    loop: Tensor | None,
    expand: Tensor | None,
    index: Tensor,
    first_crossing: int,
    ptr: Tensor,
    column: Tensor,
    entry: Tensor,
) -> tuple[Tensor, Tensor]:
    """The gradients of both states from the gradients ``of_low`` and ``of_high`` of both sums."""
    of_low, of_high = of_low.contiguous(), of_high.contiguous()
    (num_low, width), (num_high, high_width) = of_low.shape, of_high.shape
    rows = (weight, ptr, column)
    low, high = _unadapted(of_low, of_high, *rows, loop, entry, expand is None)
    if expand is None:
        return low, high
    unexpanded = torch.mm(of_high, expand)
    add_rows(low, unexpanded, *rows, FROM_OUT, first=num_low + num_high, entry=entry)
    arguments = (
        ptr.data_ptr() + num_low * ptr.element_size(),
        *addresses(column, entry, weight, index, of_low, high),
        first_crossing,
        high_width,
        width,
    )
    run(_add_selected_back[of_low.dtype], arguments, num_high, index.numel())
    return low, high


def _unadapted(
    x_low: Tensor,
    x_high: Tensor,
    weight: Tensor,
    ptr: Tensor,
    column: Tensor,
    loop: Tensor | None,
    entry: Tensor | None,
    one_width: bool,
) -> tuple[Tensor, Tensor]:
    """The sums over neighbours of the same width, or over all where there is ``one_width``."""
    num_low, num_nodes = x_low.size(0), x_low.size(0) + x_high.size(0)
    start = FROM_ZERO if loop is None else FROM_LOOP
    of_high = None if loop is None else loop[num_low:]
    low, high = x_low.new_empty(x_low.shape), x_high.new_empty(x_high.shape)
    rows = (weight, ptr, column)
    add_rows(low, x_low, *rows, start, loop=loop, entry=entry)
    add_rows(high, x_high, *rows, start, first=num_nodes + num_low, loop=of_high, entry=entry)
    if one_width:
        add_rows(high, x_low, *rows, FROM_OUT, first=num_low, entry=entry)
        add_rows(low, x_high, *rows, FROM_OUT, first=num_nodes, entry=entry)
    return low, high


def _fake(x_low: Tensor, x_high: Tensor, weight: Tensor, loop: Any, expand: Any, *rest: Any) -> Any:
    adapts = expand is not None
    crossing_target = rest[6]
    shape = (x_high.size(0), x_low.size(1)) if adapts else (0,)
    ranked = (crossing_target.numel(), x_low.size(1)) if adapts else (0,)
    return (
        x_low.new_empty(x_low.shape),
        x_high.new_empty(x_high.shape),
        x_low.new_empty(shape),
        x_low.new_empty(ranked, dtype=torch.int16),
    )


_back = operator(
    "width_aware_sums_back(Tensor of_low, Tensor of_high, Tensor weight, Tensor? loop,"
    " Tensor? expand, Tensor index, int first_crossing, Tensor ptr, Tensor column, Tensor entry)"
    " -> (Tensor, Tensor)",
    _compute_back,
    lambda of_low, of_high, *_: (of_low.new_empty(of_low.shape), of_high.new_empty(of_high.shape)),
)


class _Rule(Rule):
    @staticmethod
    def forward(ctx: Any, operator: Any, *arguments: Any) -> Any:
        low, high, unexpanded, index = operator(*arguments)
        ctx.weights, expand = arguments[2:4], arguments[4]
        ctx.rows = arguments[12:]
        ctx.save_for_backward(expand, unexpanded, index)
        ctx.mark_non_differentiable(unexpanded, index)
        return low, high, unexpanded, index

    @staticmethod
    def backward(ctx: Any, of_low: Tensor, of_high: Tensor, *_: Any) -> Any:
        first_order_only()
        expand, unexpanded, index = ctx.saved_tensors
        low = high = of_expand = None
        if ctx.needs_input_grad[1] or ctx.needs_input_grad[2]:
            low, high = _back(of_low, of_high, *ctx.weights, expand, index, *ctx.rows)
        if ctx.needs_input_grad[5]:
            of_expand = torch.mm(of_high.t(), unexpanded)
        return None, low, high, None, None, of_expand, *[None] * 11


_operator = operator(
    "width_aware_sums(Tensor x_low, Tensor x_high, Tensor weight, Tensor? loop, Tensor? expand,"
    " Tensor? eta_weight, Tensor? eta_bias, bool relu, bool ascending, Tensor ptr, Tensor column,"
    " Tensor crossing_target, int first_crossing, Tensor? back_ptr, Tensor? back_column,"
    " Tensor? back_entry) -> (Tensor, Tensor, Tensor, Tensor)",
    _compute,
    _fake,
    _Rule,
)
