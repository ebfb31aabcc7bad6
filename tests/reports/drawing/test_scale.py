"""Numbers and colours of drawings."""

from __future__ import annotations

import torch

from panda_gnn.reports.drawing.scale import ColourScale, number


def test_numbers_for_people() -> None:
    cases = {
        0.0: "0",
        17.0: "17",
        0.0686: "0.0686",
        1234.56: "1235",
        2e-5: "2.0e-05",
        5e7: "5.0e+07",
    }
    for value, expected in cases.items():
        assert number(value) == expected
    assert number(float("nan")) == number(None) == "–"


def test_colour_scales() -> None:
    scale = ColourScale.of(torch.tensor([1.0, 3.0, torch.nan]))
    assert (scale.low, scale.high, scale.logarithmic) == (1, 3, False)
    assert scale(1.0) == "#FFF7CF"
    assert scale(float("nan")) == "#D9D9D9"
    assert ColourScale.of(torch.tensor([1.0, 1000.0])).logarithmic
    assert ColourScale.of(torch.zeros(3))(0.0) == scale(2.0)
