"""The best dimensions of the source of every edge, ranked.

Edge by edge, the logits are ``of_high[u] + of_low[v]``. To sort them by value, equal ones by index,
both are packed into one double: the bits of a logit are turned into an integer that grows with it,
whose upper ``51 - bits`` bits are followed by the ``bits`` bits of the index (counted backwards),
and the whole is the mantissa of a double with a fixed exponent. For float32 this loses nothing as
long as ``bits`` is at most 16. For float64 logits that differ in their last bits only look equal
then, so all of them are sorted and runs of equal ones are put right by insertion.

NaN counts as the greatest number and -0 as 0, as in ``torch.sort``.

Where they can be, float32 logits are ranked by keys of 32 bits, which takes half the time
(:mod:`panda_gnn.nn.kernels.short_keys`); with the few edges in which two logits look the same then,
doubles decide.

Eight edges are sorted at once, their keys being the columns of a table, into descending order.
The rows of the table are taken in blocks of sixteen, which fit into vector registers: every block
is sorted on its own by Batcher's odd-even merge sort, and then Batcher's network is run once more
with blocks in the place of numbers, a comparison of two blocks being a merge that leaves the
greater sixteen rows in the first. Comparisons that cannot change the rows asked for are left out.

Replaces ``torch.topk``: 11 times faster on a small batch, 14 times on a large one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from panda_gnn.errors import InputError
from panda_gnn.nn.kernels.jit import Int16s, Int32s, Int64s, Reals, addresses, kernel
from panda_gnn.nn.kernels.operators import operator
from panda_gnn.nn.kernels.threads import run

if TYPE_CHECKING:
    from numba.np.numpy_support import carray

    from panda_gnn.nn.kernels import short_keys, sorting_network

GREATEST_WIDTH = 1 << 15
"""Indices of dimensions are kept in 16 bits."""


LANES, BLOCK = 8, 16
"""How many edges are sorted at once, and how many rows of their table."""

FRONT = np.int64((0x433 << 52) | (1 << 51))
"""The bits of the double 2^52 + 2^51: around it, doubles are integers and so are their bits."""

GREATEST = np.int64(0x7FF8000000000000)
MAGNITUDE = np.int64(0x7FFFFFFFFFFFFFFF)


def rank(
    of_high: Tensor, of_low: Tensor, crossing: Tensor, width: int, relu: bool, ascending: bool
) -> Tensor:
    """The ``width`` dimensions with the greatest ``of_high[u] + of_low[v]`` for edges ``(u, v)``.

    Equal values are ranked by index. ``relu`` makes negative ones equal; ``ascending`` lists the
    dimensions by index instead of by rank. Returns 16-bit integers ``[num_edges, width]``.
    """
    source = checked_nodes(crossing[0], of_high)
    target = checked_nodes(crossing[1], of_low)
    return cast(Tensor, rank_nodes(of_high, of_low, source, target, width, relu, ascending))


def checked_nodes(node: Tensor, x: Tensor) -> Tensor:
    """The nodes as 32-bit integers, all of which must have a row in ``x``."""
    if node.numel():
        least, greatest = (int(value) for value in torch.aminmax(node))
        if least < 0 or greatest >= x.size(0):
            raise InputError(
                f"crossing goes from {least} to {greatest}, but there are {x.size(0)} such nodes: "
                "nodes are numbered from 0"
            )
    return node.to(torch.int32)


def batcher(size: int) -> list[tuple[int, int]]:
    """The comparisons ``(i, j)``, ``i < j``, of Batcher's network: the greater number goes to i."""
    comparisons = []
    merged = 1
    while merged < size:
        step = merged
        while step >= 1:
            for start in range(step % merged, size - step, 2 * step):
                for i in range(start, min(start + step, size - step)):
                    if i // (2 * merged) == (i + step) // (2 * merged):
                        comparisons.append((i, i + step))
            step //= 2
        merged *= 2
    return comparisons


@lru_cache
def plan_merges(size: int, kept: int) -> npt.NDArray[np.int64]:
    """The merges that bring the ``kept`` greatest of ``size`` rows to the front.

    Every row of the plan is ``(first block, second block, whether the second is needed)``.
    """
    needed = set(range(-(-kept // BLOCK)))
    merges = []
    for i, j in reversed(batcher(-(-size // BLOCK))):
        if i in needed or j in needed:
            merges.append((i, j, j in needed))
            needed |= {i, j}
    return np.array(merges[::-1], np.int64).reshape(-1, 3)


@kernel("panda_gnn.nn.kernels.sorting_network", "panda_gnn.nn.kernels.short_keys")
def _rank(
    of_high_: Reals,
    of_low_: Reals,
    source_: Int32s,
    target_: Int32s,
    plan_: Int64s,
    index_: Int16s,
    size: int,
    width: int,
    bits: int,
    relu: int,
    ascending: int,
    exact: int,
    short: int,
    num_merges: int,
    first: int,
    last: int,
) -> None:
    """The ``width`` best of ``size`` dimensions for the edges ``first .. last - 1``.

    They come in descending order of their logits, or ``ascending`` by index. ``exact`` says that
    packing loses bits, and then the plan must sort all dimensions. ``short`` says that keys of 32
    bits are tried first.
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
    keys, copy = np.empty((2, num_blocks * BLOCK, LANES), np.int32)
    values = np.empty((size, LANES), np.float32)
    mask = (1 << bits) - 1
    shift = 13 + bits
    for begin in range(first, last, LANES):
        lanes = min(LANES, last - begin)
        ranked = 0
        if short and short_keys.make_keys(
            of_high, of_low, source, target, begin, lanes, size, bits, values, keys, copy
        ):
            for d in range(size, num_blocks * BLOCK):
                for lane in range(LANES):
                    keys[d, lane] = -1
            for block in range(num_blocks):
                sorting_network.sort_block(keys, block * BLOCK)
            for merge in range(num_merges):
                if plan[merge, 2]:
                    sorting_network.merge_blocks(
                        keys, plan[merge, 0] * BLOCK, plan[merge, 1] * BLOCK
                    )
                else:
                    sorting_network.merge_to_first(
                        keys, plan[merge, 0] * BLOCK, plan[merge, 1] * BLOCK
                    )
            ranked = short_keys.write_ranks(keys, copy, index, begin, lanes, size, width, bits)
        if not ranked:
            for lane in range(lanes):
                u, v = source[begin + lane], target[begin + lane]
                for d in range(size):
                    value: Any = np.float64(of_high[u, d] + of_low[v, d])
                    if relu and value < 0:
                        value = 0.0
                    pattern = np.float64(value + 0.0).view(np.int64)
                    growing = pattern ^ ((pattern >> 63) & MAGNITUDE)
                    grown[lane, d] = growing if value == value else GREATEST
            for d in range(size):
                for lane in range(LANES):
                    packed[d, lane] = FRONT + ((grown[lane, d] >> shift) << bits) + (mask - d)
            for d in range(size, num_blocks * BLOCK):
                for lane in range(LANES):
                    packed[d, lane] = 0
            for block in range(num_blocks):
                sorting_network.sort_block(table, block * BLOCK)
            for merge in range(num_merges):
                sorting_network.merge_blocks(table, plan[merge, 0] * BLOCK, plan[merge, 1] * BLOCK)
        for lane in range(lanes):
            best = index[begin + lane]
            if ranked:
                pass
            elif exact:
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
                count = 0
                for d in range(size):
                    order[count] = d
                    count += taken[d]
                    taken[d] = 0
                for i in range(width):
                    best[i] = order[i]


def _compute(
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
    merges = plan_merges(size, size if exact else width)
    index = torch.empty((source.numel(), width), dtype=torch.int16)
    arguments = (
        *addresses(of_high, of_low, source, target),
        merges.ctypes.data,
        *addresses(index),
        size,
        width,
        max(size - 1, 1).bit_length(),
        relu,
        ascending,
        exact,
        not (exact or relu or size % LANES or width % LANES or size > 1 << 8),
        len(merges),
    )
    run(_rank[of_high.dtype], arguments, source.numel(), source.numel() * size * 8)
    return index


rank_nodes = operator(
    "rank(Tensor of_high, Tensor of_low, Tensor source, Tensor target,"
    " int width, bool relu, bool ascending) -> Tensor",
    _compute,
    lambda of_high, of_low, source, target, width, *_: of_high.new_empty(
        (source.numel(), width), dtype=torch.int16
    ),
)
