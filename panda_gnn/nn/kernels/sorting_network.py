# mypy: disable-error-code="untyped-decorator"
"""The sorting network of :mod:`panda_gnn.nn.kernels.ranking` as instructions for numba."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from panda_gnn.nn.kernels.ranking import BLOCK, LANES, batcher


def _exchange(builder: Any, rows: list[Any], i: int, j: int) -> None:
    """Emit the comparison of rows i and j, the greater numbers going to i."""
    whole = isinstance(rows[i].type.element, ir.IntType)
    greater = (builder.icmp_signed if whole else builder.fcmp_ordered)(">", rows[i], rows[j])
    rows[i], rows[j] = (
        builder.select(greater, rows[i], rows[j]),
        builder.select(greater, rows[j], rows[i]),
    )


def _address(context: Any, builder: Any, array_type: Any, array: Any, row: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    rows = ir.VectorType(data.type.pointee, LANES)
    return builder.gep(builder.bitcast(data, rows.as_pointer()), [row])


def _load(builder: Any, address: Any) -> list[Any]:
    return [builder.load(_of_block(builder, address, k), align=4) for k in range(BLOCK)]


def _store(builder: Any, address: Any, rows: list[Any]) -> None:
    for k, row in enumerate(rows):
        builder.store(row, _of_block(builder, address, k), align=4)


def _of_block(builder: Any, address: Any, row: int) -> Any:
    return builder.gep(address, [ir.Constant(ir.IntType(64), row)])


@intrinsic
def _sort_block(typing: Any, table: Any, row: Any) -> tuple[Any, Callable[..., Any]]:
    """Sort the sixteen rows from ``row`` on."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = _address(context, builder, signature.args[0], *arguments)
        rows = _load(builder, address)
        for i, j in batcher(BLOCK):
            _exchange(builder, rows, i, j)
        _store(builder, address, rows)
        return context.get_dummy_value()

    return types.void(table, row), emit


def _merge(second_needed: bool) -> Any:
    @intrinsic
    def merge(typing: Any, table: Any, first: Any, second: Any) -> tuple[Any, Callable[..., Any]]:
        """Merge two sorted blocks, the greater sixteen rows going to the first."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array, first, second = arguments
            addresses = [
                _address(context, builder, signature.args[0], array, row) for row in (first, second)
            ]
            rows = _load(builder, addresses[0]) + _load(builder, addresses[1])[::-1]
            step = BLOCK
            while step >= 1:
                for i in range(2 * BLOCK if second_needed or step == BLOCK else BLOCK):
                    if i & step == 0:
                        _exchange(builder, rows, i, i + step)
                step //= 2
            _store(builder, addresses[0], rows[:BLOCK])
            if second_needed:
                _store(builder, addresses[1], rows[BLOCK:])
            return context.get_dummy_value()

        return types.void(table, first, second), emit

    return merge


sort_block: Any = _sort_block
merge_blocks = _merge(True)
merge_to_first = _merge(False)
