"""Several graphs at a time: in order, on any number of threads, and never silent on errors."""

from __future__ import annotations

import pytest

from panda_gnn.errors import InputError
from panda_gnn.graph.parallel import in_parallel, num_threads


def test_results_are_in_the_order_of_the_items() -> None:
    for threads in (1, 3, None):
        assert in_parallel(str, range(9), [3, 1, 2] * 3, "test", threads) == [*"012345678"]
    assert in_parallel(str, [], [], "test") == []


def test_errors_of_one_item_are_not_swallowed() -> None:
    def explode(item: int) -> int:
        if item == 12:
            raise ZeroDivisionError
        return item

    with pytest.raises(ZeroDivisionError):
        in_parallel(explode, range(20), range(20), "test", 2)


def test_threads_are_counted() -> None:
    assert num_threads(3) == 3
    with pytest.raises(InputError, match="threads must be a whole number, 1 or more, not 0"):
        num_threads(0)
