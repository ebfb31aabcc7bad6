# mypy: disable-error-code="untyped-decorator,no-untyped-call"
"""The sum of one row of :mod:`panda_gnn.nn.kernels.row_sums` as instructions for numba.

A row is summed in blocks of columns that stay in vector registers while the edges go by. Every
number is summed by itself in the order of the edges, so blocks change no bit of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from panda_gnn.nn.kernels.row_sums import FROM_LOOP, FROM_OUT

SIZES = (64, 32, 16, 8, 4, 2, 1)
"""The numbers of columns of a block; the first as often as it fits, the others once or not."""


@intrinsic
def _add_row(
    typing: Any,
    column: Any,
    weight: Any,
    entry: Any,
    x: Any,
    loop: Any,
    out: Any,
    transposed: Any,
    start: Any,
    row: Any,
    begin: Any,
    end: Any,
) -> tuple[Any, Callable[..., Any]]:
    """Set ``out[row]`` to the sum of the entries from ``begin`` to ``end``, starting with zero,
    with ``loop[row] * x[row]`` or with itself."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        columns, weights, entries, sources, loops, sums = (
            context.make_array(kind)(context, builder, array)
            for kind, array in zip(signature.args[:6], arguments[:6], strict=True)
        )
        transposed, start, row, begin, end = arguments[6:]
        width = cgutils.unpack_tuple(builder, sums.shape)[1]
        real, whole = sums.data.type.pointee, ir.IntType(64)
        is_transposed = builder.icmp_signed("!=", transposed, whole(0))

        def at(array: Any, number: Any) -> Any:
            return builder.gep(array.data, [number])

        def block(array: Any, of_row: Any, first: Any, kind: Any) -> Any:
            place = builder.add(builder.mul(of_row, width), first)
            return builder.bitcast(at(array, place), kind.as_pointer())

        def add_block(first: Any, size: int) -> None:
            kind = ir.VectorType(real, size)
            align = 4 if real == ir.FloatType() else 8

            def spread(number: Any) -> Any:
                one = builder.insert_element(ir.Constant(kind, ir.Undefined), number, whole(0))
                zeros = ir.Constant(ir.VectorType(ir.IntType(32), size), None)
                return builder.shuffle_vector(one, ir.Constant(kind, ir.Undefined), zeros)

            def load(array: Any, of_row: Any) -> Any:
                return builder.load(block(array, of_row, first, kind), align=align)

            total = cgutils.alloca_once(builder, kind)
            builder.store(ir.Constant(kind, None), total)
            with builder.if_then(builder.icmp_signed("==", start, whole(FROM_LOOP))):
                own = spread(builder.load(at(loops, row)))
                builder.store(builder.fmul(own, load(sources, row)), total)
            with builder.if_then(builder.icmp_signed("==", start, whole(FROM_OUT))):
                builder.store(load(sums, row), total)
            with cgutils.for_range_slice(builder, begin, end, whole(1), whole) as (e, _):
                place = cgutils.alloca_once(builder, whole)
                builder.store(e, place)
                with builder.if_then(is_transposed):
                    builder.store(builder.sext(builder.load(at(entries, e)), whole), place)
                w = builder.load(at(weights, builder.load(place)))
                u = builder.sext(builder.load(at(columns, e)), whole)
                product = builder.fmul(spread(w), load(sources, u), flags=("contract",))
                builder.store(
                    builder.fadd(builder.load(total), product, flags=("contract",)), total
                )
            builder.store(builder.load(total), block(sums, row, first, kind), align=align)

        done = builder.mul(builder.sdiv(width, whole(SIZES[0])), whole(SIZES[0]))
        with cgutils.for_range_slice(builder, whole(0), done, whole(SIZES[0]), whole) as (first, _):
            add_block(first, SIZES[0])
        for size in SIZES[1:]:
            bit = builder.and_(width, whole(size))
            with builder.if_then(builder.icmp_signed("!=", bit, whole(0))):
                above = builder.and_(width, whole(-2 * size))
                add_block(above, size)
        return context.get_dummy_value()

    return types.void(column, weight, entry, x, loop, out, *[types.int64] * 5), emit


add_row: Any = _add_row
