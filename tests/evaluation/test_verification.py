from __future__ import annotations

from typing import Any

import pytest

from panda_gnn.errors import InputError
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.executors import LocalExecutor
from panda_gnn.evaluation.verification import Verification, sample_rows, sentences, verify
from tests.evaluation.pretend import Row, draw, pretend_trial

HERE = {"processor": "here", "versions": {"torch": "1"}}


def stored(seed: int, **changes: Any) -> Row:
    return {**pretend_trial(Config("mutag"), seed), **HERE, **changes}


def rerun(config: Config, seed: int) -> Row:
    """Always 0.25 above what a stored row with a changed score has; seed 9 breaks."""
    if seed == 9:
        raise ArithmeticError("nine")
    return {**pretend_trial(config, seed), **HERE, "seconds": draw(seed)}


def with_test_score(row: Row, below: float) -> Row:
    score = row["scores"]["best-val"]
    changed = {**score, "test": score["test"] - below}
    return {**row, "scores": {**row["scores"], "best-val": changed}}


def test_rows_are_sorted_by_how_they_came_out() -> None:
    rows = [
        stored(0, seconds=9.0),
        with_test_score(stored(1), 0.25),
        with_test_score(stored(2, processor="there"), 0.25),
        with_test_score(stored(3, versions={"torch": "0"}), 0.25),
        stored(4, processor="there"),
        stored(9),
    ]
    with LocalExecutor(1) as executor:
        verification = verify(rows, executor, rerun)
    assert [row["seed"] for row in verification.same] == [0, 4]
    assert [row["seed"] for row, _ in verification.different] == [1]
    assert [row["seed"] for row, _ in verification.elsewhere] == [2, 3]
    assert [(row["seed"], why) for row, why in verification.failed] == [
        (9, "ArithmeticError: nine")
    ]


def test_what_came_out_is_said() -> None:
    different = (with_test_score(stored(1), 0.25), stored(1))
    elsewhere = [(with_test_score(stored(seed), 0.25), stored(seed)) for seed in (2, 3)]
    said = sentences(
        Verification([stored(0), stored(4)], [different], elsewhere, [(stored(9), "nine")])
    )
    assert said[0] == "2 rows came out the same bit for bit"
    assert said[1].startswith("DIFFERENT: none on gcn, mutag, seed 1: scores ")
    assert said[2] == "FAILED: none on gcn, mutag, seed 9: nine"
    assert said[3].startswith("2 rows of another processor or other versions")
    # Two differences of 0.25 and two of zero: mean 0.125, t(0.975, 3) * 0.1443 / 2.
    assert "changes by +0.1250 ± 0.2297 in the mean over 4 rows, by at most 0.2500" in said[4]


def test_a_sample_is_random_repeatable_and_never_larger_than_what_there_is() -> None:
    rows = [stored(seed) for seed in range(8)]
    finished = {rows[0]["key"]: {row["seed"]: row for row in rows}}
    assert sample_rows(finished, 8, 0) == rows
    assert sample_rows(finished, 99, 0) == rows
    three = [row["seed"] for row in sample_rows(finished, 3, 0)]
    assert three == [row["seed"] for row in sample_rows(finished, 3, 0)]
    assert len(set(three)) == 3
    others = {tuple(row["seed"] for row in sample_rows(finished, 3, seed)) for seed in range(9)}
    assert len(others) > 3
    with pytest.raises(InputError, match="no row to verify"):
        sample_rows({}, 3, 0)
