"""Rounding errors do not tell numbers apart, and more than that does."""

from __future__ import annotations

import torch

from panda_gnn.graph.ties import MEASURE_DIGITS, SCORE_DIGITS, steps


def test_tied_numbers_have_equal_steps() -> None:
    values = torch.tensor([0.3, 0.1 + 0.2, 0.3 + 1e-10, 0.3 + 1e-7], dtype=torch.float64)
    fine, coarse = steps(values, 1.0, SCORE_DIGITS), steps(values, 1.0, MEASURE_DIGITS)
    assert (fine == fine[0]).tolist() == [True, True, False, False]
    assert (coarse == coarse[0]).tolist() == [True, True, True, False]
    assert torch.equal(steps(values * 1e6, 1e6, SCORE_DIGITS), fine)
