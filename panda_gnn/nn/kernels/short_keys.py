# mypy: disable-error-code="untyped-decorator,no-untyped-call"
"""Keys of 32 bits for :mod:`panda_gnn.nn.kernels.ranking`, as instructions for numba.

The logits of an edge are spread over the whole numbers from 0 to ``LEVELS >> bits``, least to
greatest, and followed by ``bits`` bits of the index (counted backwards). Rounding keeps the order
of logits but may make different ones equal: then, and where a logit is not finite, the edges are
ranked by longer keys.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from panda_gnn.nn.kernels.ranking import LANES

LEVELS = 2_000_000_000
"""The greatest key, less than 2^31."""

BIT, SHORT, WHOLE, REAL = ir.IntType(1), ir.IntType(32), ir.IntType(64), ir.FloatType()
KEYS, REALS = ir.VectorType(SHORT, LANES), ir.VectorType(REAL, LANES)


def _spread(builder: Any, number: Any, kind: Any) -> Any:
    undefined = ir.Constant(kind, ir.Undefined)
    one = builder.insert_element(undefined, number, WHOLE(0))
    return builder.shuffle_vector(one, undefined, ir.Constant(KEYS, None))


def _transposed(builder: Any, rows: list[Any]) -> list[Any]:
    """Eight rows of eight numbers with rows and columns exchanged."""
    for step in (4, 2, 1):
        new = list(rows)
        for i in range(LANES):
            if i & step == 0:
                first = [j if j & step == 0 else j - step + LANES for j in range(LANES)]
                second = [j + step if j & step == 0 else j + LANES for j in range(LANES)]
                for k, order in ((i, first), (i + step, second)):
                    mask = ir.Constant(KEYS, order)
                    new[k] = builder.shuffle_vector(rows[i], rows[i + step], mask)
        rows = new
    return rows


def _data(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    return context.make_array(kind)(context, builder, array).data


def _place(builder: Any, data: Any, number: Any, kind: Any) -> Any:
    return builder.bitcast(builder.gep(data, [number]), kind.as_pointer())


def _all(builder: Any, mask: Any) -> Any:
    """Whether a mask is set in all lanes."""
    return builder.icmp_unsigned(
        "==", builder.bitcast(mask, ir.IntType(LANES)), ir.IntType(LANES)(-1)
    )


@intrinsic
def _make_keys(
    typing: Any,
    of_high: Any,
    of_low: Any,
    source: Any,
    target: Any,
    begin: Any,
    lanes: Any,
    size: Any,
    bits: Any,
    values: Any,
    keys: Any,
    copy: Any,
) -> tuple[Any, Callable[..., Any]]:
    """Fill ``keys`` and ``copy``, a column for each of ``lanes`` edges; returns whether all logits
    of all of them are finite and not all the same."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if of_high.dtype != types.float32:
            return WHOLE(0)
        of_high_, of_low_, source_, target_, values_, keys_, copy_ = (
            _data(context, builder, signature.args[i], arguments[i]) for i in (0, 1, 2, 3, 8, 9, 10)
        )
        begin, lanes, size, bits = arguments[4:8]
        ends = []
        for lane in range(LANES):
            last = builder.sub(lanes, WHOLE(1))
            inside = builder.icmp_signed("<", WHOLE(lane), lanes)
            edge = builder.add(begin, builder.select(inside, WHOLE(lane), last))
            ends.append(
                [
                    builder.mul(builder.sext(builder.load(builder.gep(node, [edge])), WHOLE), size)
                    for node in (source_, target_)
                ]
            )
        infinite = ir.Constant(REAL, float("inf"))
        start = (_spread(builder, infinite, REALS), ir.Constant(REALS, [float("-inf")] * LANES),
                 ir.Constant(REALS, [0.0] * LANES))  # fmt: skip
        least, greatest, wrong = (cgutils.alloca_once_value(builder, value) for value in start)
        with cgutils.for_range_slice(builder, WHOLE(0), size, WHOLE(LANES), WHOLE) as (d, _):
            sums = []
            for u, v in ends:
                parts = (
                    builder.load(_place(builder, data, builder.add(node, d), REALS), align=4)
                    for data, node in ((of_high_, u), (of_low_, v))
                )
                sums.append(builder.fadd(*parts))
            for i, row in enumerate(_transposed(builder, sums)):
                number = builder.mul(builder.add(d, WHOLE(i)), WHOLE(LANES))
                builder.store(row, _place(builder, values_, number, REALS), align=4)
                for best, sign in ((least, "<"), (greatest, ">")):
                    old = builder.load(best)
                    better = builder.fcmp_ordered(sign, row, old)
                    builder.store(builder.select(better, row, old), best)
                builder.store(builder.fadd(builder.load(wrong), builder.fsub(row, row)), wrong)
        least = builder.load(least)
        span = builder.fsub(builder.load(greatest), least)
        levels = builder.sitofp(builder.ashr(WHOLE(LEVELS), bits), REAL)
        scale = builder.fdiv(_spread(builder, levels, REALS), span)
        fine = builder.fcmp_ordered("==", builder.load(wrong), ir.Constant(REALS, [0.0] * LANES))
        fine = builder.and_(
            fine, builder.fcmp_ordered("<", scale, _spread(builder, infinite, REALS))
        )
        fine = builder.and_(
            fine, builder.fcmp_ordered(">", scale, ir.Constant(REALS, [0.0] * LANES))
        )
        fine = _all(builder, fine)
        with builder.if_then(fine):
            short_bits = builder.trunc(bits, SHORT)
            mask = builder.sub(builder.shl(SHORT(1), short_bits), SHORT(1))
            shift = _spread(builder, short_bits, KEYS)
            with cgutils.for_range(builder, size, intp=WHOLE) as loop:
                number = builder.mul(loop.index, WHOLE(LANES))
                row = builder.load(_place(builder, values_, number, REALS), align=4)
                level = builder.fptosi(builder.fmul(builder.fsub(row, least), scale), KEYS)
                index = builder.sub(mask, builder.trunc(loop.index, SHORT))
                key = builder.or_(builder.shl(level, shift), _spread(builder, index, KEYS))
                for table in (keys_, copy_):
                    builder.store(key, _place(builder, table, number, KEYS), align=4)
        return builder.zext(fine, WHOLE)

    numbers = (types.int64,) * 4
    given = (of_high, of_low, source, target, *numbers, values, keys, copy)
    return types.int64(*given), emit


@intrinsic
def _write_ranks(
    typing: Any,
    keys: Any,
    copy: Any,
    index: Any,
    begin: Any,
    lanes: Any,
    size: Any,
    width: Any,
    bits: Any,
) -> tuple[Any, Callable[..., Any]]:
    """Write the indices of the first ``width`` rows of sorted keys into ``index``; returns whether
    no two of the logits that decide about them looked the same."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        keys_, copy_, index_ = (
            _data(context, builder, signature.args[i], arguments[i]) for i in range(3)
        )
        begin, lanes, size, width, bits = arguments[3:]
        short_bits = builder.trunc(bits, SHORT)
        mask = builder.sub(builder.shl(SHORT(1), short_bits), SHORT(1))
        all_index = _spread(builder, mask, KEYS)

        def row_of(table: Any, number: Any) -> Any:
            place = builder.mul(number, WHOLE(LANES))
            return builder.load(_place(builder, table, place, KEYS), align=4)

        none = ir.Constant(ir.VectorType(BIT, LANES), None)
        same = cgutils.alloca_once_value(builder, none)
        before = cgutils.alloca_once_value(builder, ir.Constant(KEYS, [-1 << 31] * LANES))
        with cgutils.for_range_slice(builder, WHOLE(0), width, WHOLE(LANES), WHOLE) as (i, _):
            ranks = []
            for k in range(LANES):
                row = row_of(keys_, builder.add(i, WHOLE(k)))
                unlike = builder.xor(row, builder.load(before))
                equal = builder.icmp_unsigned("<=", unlike, all_index)
                builder.store(builder.or_(builder.load(same), equal), same)
                builder.store(row, before)
                ranks.append(builder.sub(all_index, builder.and_(row, all_index)))
            for lane, row in enumerate(_transposed(builder, ranks)):
                with builder.if_then(builder.icmp_signed("<", WHOLE(lane), lanes)):
                    edge = builder.add(begin, WHOLE(lane))
                    place = builder.add(builder.mul(edge, width), i)
                    halves = ir.VectorType(ir.IntType(16), LANES)
                    builder.store(
                        builder.trunc(row, halves), _place(builder, index_, place, halves), align=2
                    )
        least = builder.sub(
            builder.and_(builder.load(before), builder.not_(all_index)),
            ir.Constant(KEYS, [1] * LANES),
        )
        count = cgutils.alloca_once_value(builder, ir.Constant(KEYS, None))
        with cgutils.for_range(builder, size, intp=WHOLE) as loop:
            above = builder.icmp_signed(">", row_of(copy_, loop.index), least)
            builder.store(builder.add(builder.load(count), builder.zext(above, KEYS)), count)
        wanted = _spread(builder, builder.trunc(width, SHORT), KEYS)
        fine = builder.icmp_signed("==", builder.load(count), wanted)
        fine = builder.and_(fine, builder.not_(builder.load(same)))
        return builder.zext(_all(builder, fine), WHOLE)

    return types.int64(keys, copy, index, *(types.int64,) * 5), emit


make_keys: Any = _make_keys
write_ranks: Any = _write_ranks
