"""Comparisons on shared splits."""

from __future__ import annotations

import pytest

from panda_gnn.evaluation.advice.evidence import Evidence
from panda_gnn.evaluation.statistics import holm, paired_difference


def test_p_values_are_corrected_for_what_is_compared_at_once() -> None:
    merits = {
        "a": dict(enumerate([0.5, 0.6, 0.7])),
        "b": dict(enumerate([0.6, 0.72, 0.79])),
        "c": dict(enumerate([0.5, 0.7, 0.6])),
    }
    evidence = Evidence(400, False, merits, 1 / 8, 0.02, 0.0)
    found = evidence.compare(("a", "b", "c", "missing"), "a")
    assert list(found) == ["b", "c"]
    alone = [paired_difference(merits[name], merits["a"], 1 / 8) for name in "bc"]
    assert [one.difference for one in found.values()] == alone
    p = [one.p for one in alone if one is not None and one.p is not None]
    assert [one.p for one in found.values()] == pytest.approx(holm(p))
    assert evidence.best(("a", "b", "c", "missing")) == "b"


def test_certain_and_missing_differences() -> None:
    merits = {"a": {0: 0.5, 1: 0.5}, "b": {0: 0.75, 1: 0.75}, "once": {0: 0.9}, "other": {7: 1.0}}
    found = Evidence(400, False, merits, 0.1, 0.02, 0.0).compare(("b", "once", "other"), "a")
    assert found["b"].is_gain  # on every split by as much
    assert not found["once"].is_gain
    assert found["once"].half == float("inf")
    assert "other" not in found
