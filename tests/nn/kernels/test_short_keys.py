"""Keys of 32 bits by themselves; ranks that are made with them are tested in test_ranking.py."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from llvmlite import ir  # type: ignore[import-untyped]

from panda_gnn.nn.kernels import short_keys
from panda_gnn.nn.kernels.ranking import LANES


@numba.njit
def _ranked(of_high, of_low, source, target, index, bits):  # type: ignore[no-untyped-def]
    """Whether short keys rank the edges without help; ``index`` gets the ranks."""
    (lanes, width), size = index.shape, of_high.shape[1]
    values = np.empty((size, LANES), np.float32)
    keys, copy = np.empty((2, size, LANES), np.int32)
    if not short_keys.make_keys(
        of_high, of_low, source, target, 0, lanes, size, bits, values, keys, copy
    ):
        return 0
    for lane in range(LANES):
        keys[:, lane] = np.sort(keys[:, lane])[::-1].copy()
    return short_keys.write_ranks(keys, copy, index, 0, lanes, size, width, bits)


class Shuffles:
    """What a builder of LLVM would shuffle."""

    def shuffle_vector(self, first: list[int], second: list[int], mask: ir.Constant) -> list[int]:
        return [(first + second)[lane.constant] for lane in mask.constant]


def test_rows_and_columns_are_exchanged() -> None:
    """A wrong exchange would cost the speed alone: ranks that it spoils are made again."""
    rows = [[10 * i + j for j in range(8)] for i in range(8)]
    columns = [list(column) for column in zip(*rows, strict=True)]
    assert short_keys._transposed(Shuffles(), rows) == columns


@pytest.mark.thorough
@pytest.mark.parametrize("lanes", [8, 5])
def test_logits_that_differ_need_no_other_keys(lanes: int) -> None:
    """Compiles for some seconds."""
    random = np.random.default_rng(0)
    of_high = np.stack([random.permutation(24) for _ in range(4)]).astype(np.float32)
    of_low = random.permutation(24).astype(np.float32)[None] / 100
    source, target = random.integers(4, size=lanes, dtype=np.int32), np.zeros(lanes, np.int32)
    index = np.zeros((lanes, 16), np.int16)
    assert _ranked(of_high, of_low, source, target, index, 5) == 1
    assert np.array_equal(index, np.argsort(-(of_high[source] + of_low), axis=1)[:, :16])


@pytest.mark.thorough
def test_logits_that_are_equal_do() -> None:
    of_high, of_low = np.ones((1, 8), np.float32), np.zeros((1, 8), np.float32)
    of_high[0, 0] = 2
    nodes, index = np.zeros(8, np.int32), np.zeros((8, 8), np.int16)
    assert _ranked(of_high, of_low, nodes, nodes, index, 3) == 0
