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
