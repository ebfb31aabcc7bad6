"""Numbers for people."""

from __future__ import annotations

from panda_gnn.reports.drawing.scale import number


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


def test_borders_of_numbers() -> None:
    cases = {1e6: "1.0e+06", 999_999.0: "999999", 0.001: "0.001", 999.9: "1e+03", 1000.4: "1000"}
    for value, expected in cases.items():
        assert number(value) == expected
        assert number(-value) == f"-{expected}"
    assert number(1e-12) == "1.0e-12"
    assert number(0.9e-12) == "0"


def test_the_last_bits_decide_no_half() -> None:
    assert {number(-1.125 + noise) for noise in (-4e-16, 0.0, 4e-16)} == {"-1.12"}
