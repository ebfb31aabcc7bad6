from __future__ import annotations

from pathlib import Path

import pytest

from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.failures import Failures, limited
from panda_gnn.evaluation.store import Store
from tests.evaluation.pretend import pretend_origins, pretend_trial, small_study

STUDY = small_study()
CONFIG = STUDY.cells[0].candidates[0]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "small.jsonl")


def test_failures_are_kept_apart_and_one_driver_sees_those_of_another(store: Store) -> None:
    mine, other = (Failures(store, pretend_origins(STUDY)) for _ in range(2))
    mine.add(CONFIG, 1, "out of memory")
    mine.add(CONFIG, 1, "again")
    assert store.read().rows == ()
    assert [row["reason"] for row in other.catch_up()] == ["out of memory"]
    assert other.catch_up() == []
    assert [row["seed"] for row in other.unfinished({})] == [1]
    assert other.unfinished({CONFIG.key: {1: pretend_trial(CONFIG, 1)}}) == []


def test_failures_of_other_code_do_not_count(store: Store) -> None:
    Failures(store, pretend_origins(STUDY)).add(CONFIG, 1, "a mistake that was corrected")
    assert Failures(store, pretend_origins(STUDY, "newer")).unfinished({}) == []


def test_a_trial_in_time_is_not_disturbed() -> None:
    config = Config("mutag")
    assert limited(pretend_trial, 60.0, config, 0) == pretend_trial(config, 0)
