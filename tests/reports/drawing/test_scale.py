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


def test_colours_are_mixed_between_their_neighbours() -> None:
    scale = ColourScale(0.0, 10.0, ("#000000", "#0A64C8", "#FFFFFF"))
    assert [scale(value) for value in (-1.0, 0.0, 2.5, 5.0, 10.0, 11.0)] == [
        "#000000",
        "#000000",
        "#053264",
        "#0A64C8",
        "#FFFFFF",
        "#FFFFFF",
    ]
    logarithmic = ColourScale(1.0, 10_000.0, ("#000000", "#C8C8C8"), logarithmic=True)
    assert [logarithmic(value) for value in (0.0, 1.0, 100.0, 10_000.0)] == [
        "#000000",
        "#000000",
        "#646464",
        "#C8C8C8",
    ]
    assert not ColourScale.of(torch.tensor([1.0, 100.0])).logarithmic
    assert not ColourScale.of(torch.tensor([-1.0, 1000.0])).logarithmic
    assert ColourScale.of(torch.full((2,), torch.nan)) == ColourScale(0.0, 0.0)


def test_borders_of_numbers() -> None:
    cases = {1e6: "1.0e+06", 999_999.0: "999999", 0.001: "0.001", 999.9: "1e+03", 1000.4: "1000"}
    for value, expected in cases.items():
        assert number(value) == expected
        assert number(-value) == f"-{expected}"
    assert number(1e-12) == "1.0e-12"
    assert number(0.9e-12) == "0"
