# mypy: disable-error-code="untyped-decorator"
"""Ranking the dimensions of a source for every edge, and adding up what is selected.

Edge by edge, the logits are ``of_high[u] + of_low[v]``. To sort them by value, equal ones by index,
both are packed into one double: the bits of a logit are turned into an integer that grows with it,
whose upper ``51 - bits`` bits are followed by the ``bits`` bits of the index (counted backwards),
and the whole is the mantissa of a double with a fixed exponent. For float32 this loses nothing as
long as ``bits`` is at most 16. For float64 logits that differ in their last bits only look equal
then, so all of them are sorted and runs of equal ones are put right by insertion.

NaN counts as the greatest number and -0 as 0, as in ``torch.sort``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.np.numpy_support import carray

from panda_gnn.nn.kernels.network import (
    BLOCK,
    LANES,
    merge_blocks,
    merge_to_first,
    sort_block,
)
from panda_gnn.nn.kernels.typed import Pointer, kernels

FRONT = np.int64((0x433 << 52) | (1 << 51))
"""The bits of the double 2^52 + 2^51: around it, doubles are integers and so are their bits."""

GREATEST = np.int64(0x7FF8000000000000)
MAGNITUDE = np.int64(0x7FFFFFFFFFFFFFFF)


@njit(cache=True, error_model="numpy")
def growing(logit: Any, relu: int) -> Any:
    """An integer that grows with the logit."""
    value: Any = np.float64(logit)
    if value != value:
        return GREATEST
    if relu and value < 0:
        value = 0.0
    pattern = np.float64(value + 0.0).view(np.int64)
    return pattern ^ ((pattern >> 63) & MAGNITUDE)


@kernels(
    "void(real*, real*, int32*, int32*, int64, int64, int64, int64, int64, int64,"
    " int64*, int64, int16*, int64, int64)"
)
def rank(
    of_high_: Pointer,
    of_low_: Pointer,
    source_: Pointer,
    target_: Pointer,
    size: int,
    width: int,
    bits: int,
    relu: int,
    ascending: int,
    exact: int,
    plan_: Pointer,
    num_merges: int,
    index_: Pointer,
    first: int,
    last: int,
) -> None:
    """The ``width`` best of ``size`` dimensions for the edges ``first .. last - 1``.

    They come in descending order of their logits, or ``ascending`` by index. ``exact`` says that
    packing loses bits, and then the plan must sort all dimensions.
    """
    of_high, of_low = carray(of_high_, (last, size)), carray(of_low_, (last, size))
    source, target = carray(source_, (last,)), carray(target_, (last,))
    index, plan = carray(index_, (last, width)), carray(plan_, (num_merges, 3))
    num_blocks = (size + BLOCK - 1) // BLOCK
    grown = np.empty((LANES, size), np.int64)
    packed = np.zeros((num_blocks * BLOCK, LANES), np.int64)
    table = packed.view(np.float64)
    taken = np.zeros(size, np.int64)
    order = np.empty(size + 1, np.int64)
    mask = (1 << bits) - 1
    shift = 13 + bits
    for begin in range(first, last, LANES):
        lanes = min(LANES, last - begin)
        for lane in range(lanes):
            u, v = source[begin + lane], target[begin + lane]
            for d in range(size):
                grown[lane, d] = growing(of_high[u, d] + of_low[v, d], relu)
        for d in range(size):
            for lane in range(LANES):
                packed[d, lane] = FRONT + ((grown[lane, d] >> shift) << bits) + (mask - d)
        for d in range(size, num_blocks * BLOCK):
            for lane in range(LANES):
                packed[d, lane] = 0
        for block in range(num_blocks):
            sort_block(table, block * BLOCK)
        for merge in range(num_merges):
            if plan[merge, 2]:
                merge_blocks(table, plan[merge, 0] * BLOCK, plan[merge, 1] * BLOCK)
            else:
                merge_to_first(table, plan[merge, 0] * BLOCK, plan[merge, 1] * BLOCK)
        for lane in range(lanes):
            best = index[begin + lane]
            if exact:
                for i in range(size):
                    d = mask - (packed[i, lane] & mask)
                    j = i
                    while j > 0 and grown[lane, order[j - 1]] < grown[lane, d]:
                        order[j] = order[j - 1]
                        j -= 1
                    order[j] = d
                for i in range(width):
                    best[i] = order[i]
            else:
                for i in range(width):
                    best[i] = mask - (packed[i, lane] & mask)
            if ascending:
                for i in range(width):
                    taken[best[i]] = 1
                found = 0
                for d in range(size):
                    order[found] = d
                    found += taken[d]
                    taken[d] = 0
                for i in range(width):
                    best[i] = order[i]


@kernels("void(int32*, int32*, real*, int16*, real*, int64, int64, real*, int64, int64)")
def add_selected(
    ptr_: Pointer,
    column_: Pointer,
    weight_: Pointer,
    index_: Pointer,
    x_: Pointer,
    high_width: int,
    width: int,
    out_: Pointer,
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


@kernels(
    "void(int32*, int32*, int32*, real*, int16*, int64, real*, int64, int64, real*, int64, int64)"
)
def add_selected_back(
    ptr_: Pointer,
    column_: Pointer,
    entry_: Pointer,
    weight_: Pointer,
    index_: Pointer,
    first_entry: int,
    gradient_: Pointer,
    high_width: int,
    width: int,
    out_: Pointer,
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


@kernels("void(int32*, int16*, real*, int64, int64, real*, int64, int64)")
def gather(
    source_: Pointer,
    index_: Pointer,
    x_: Pointer,
    high_width: int,
    width: int,
    out_: Pointer,
    first: int,
    last: int,
) -> None:
    """``out[e, i] = x[source[e], index[e, i]]``."""
    source, index = carray(source_, (last,)), carray(index_, (last, width))
    x, out = carray(x_, (last, high_width)), carray(out_, (last, width))
    for e in range(first, last):
        u, best = source[e], index[e]
        for i in range(width):
            out[e, i] = x[u, np.uint16(best[i])]


@kernels("void(int32*, int16*, real*, int64, int64, int64, real*)")
def scatter(
    source_: Pointer,
    index_: Pointer,
    gradient_: Pointer,
    num_edges: int,
    high_width: int,
    width: int,
    out_: Pointer,
) -> None:
    """The transposed of :func:`gather`: ``out[source[e], index[e, i]] += gradient[e, i]``."""
    source, index = carray(source_, (num_edges,)), carray(index_, (num_edges, width))
    gradient, out = carray(gradient_, (num_edges, width)), carray(out_, (1, high_width))
    for e in range(num_edges):
        u, best = source[e], index[e]
        for i in range(width):
            out[u, np.uint16(best[i])] += gradient[e, i]
