"""What commands that run trials share, with pretended trials in this process."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from panda_gnn.cli import execution as module
from panda_gnn.cli.execution import Execution, add_execution_arguments, file_name, report
from panda_gnn.errors import InputError
from panda_gnn.evaluation.measure import Measure
from panda_gnn.evaluation.measurements import MEASURES
from panda_gnn.evaluation.run import Outcome
from panda_gnn.evaluation.store import Store
from tests.evaluation.pretend import CODE, pretend_origins, pretend_trial, small_study
from tests.evaluation.test_run import Diary, InThisProcess


@pytest.fixture(autouse=True)
def _pretend(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(Execution, "_open_executor", lambda self: InThisProcess(self._workers))
    monkeypatch.setattr(Execution, "origins", lambda self, study: pretend_origins(study))
    with MEASURES.replaced({"score": Measure("score", pretend_trial, CODE)}):
        yield


def options(*words: str, results: Path | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_execution_arguments(parser, results)
    return parser.parse_args(words)


def seeds(store: Store) -> list[int]:
    return sorted(row["seed"] for row in store.read().rows)


def test_seeds_start_at_zero_unless_told(tmp_path: Path) -> None:
    with Execution(options(results=tmp_path), "small") as execution:
        outcome = execution.run(small_study(), trials=2)
        assert (outcome.ran, outcome.left) == (4, 0)
        assert seeds(execution.store) == [0, 0, 1, 1]
        execution.run(small_study(), trials=1, first_seed=7)
    assert seeds(Store(tmp_path / "small.jsonl")) == [0, 0, 1, 1, 7, 7]


def test_rows_of_another_version_are_counted_and_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = small_study()
    config = study.cells[0].candidates[0]
    store = Store(tmp_path / "small.jsonl")
    store.append({**pretend_trial(config, 0), "code": "older"})
    store.append({**pretend_trial(config, 1), "data": "other"})
    store.append(pretend_trial(config, 2))
    with Execution(options(results=tmp_path), "small") as execution:
        assert execution.run(study, trials=3).ran == 5
    assert f"panda: 2 rows in {store.path} are of another version" in capsys.readouterr().err
    assert len(store.read().rows) == 8


def test_a_folder_that_was_not_asked_for_is_deleted() -> None:
    with Execution(options(), "small") as execution:
        execution.run(small_study(), trials=1)
        folder = execution.store.path.parent
        assert seeds(execution.store) == [0, 0]
    assert not folder.exists()


class Closing(Diary):
    """A tracker that counts how often it is closed, and may fail then."""

    def __init__(self, fails: bool) -> None:
        super().__init__()
        self.fails = fails
        self.closed = 0

    def close(self) -> None:
        self.closed += 1
        if self.fails:
            raise OSError("the disk is gone")


@pytest.mark.parametrize("fails", [False, True])
def test_the_tracker_hears_every_row_and_is_closed(
    fails: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    diary = Closing(fails)
    opened: list[tuple[Any, ...]] = []

    def note(*given: Any) -> Closing:
        opened.append(given)
        return diary

    monkeypatch.setattr(module, "open_tracker", note)
    with Execution(options("--track", "wandb", results=tmp_path), "small", log=False) as execution:
        execution.run(small_study(), trials=2)
        assert diary.closed == 0
    assert opened == [("wandb", tmp_path / "tracking")]
    assert len(diary.rows) == 4
    assert diary.closed == 1
    said = capsys.readouterr().err
    assert ("the tracker failed when it was closed: the disk is gone" in said) == fails


def test_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda process: {0, 1, 2}, raising=False)

    def workers(*words: str, alone: bool = False) -> int:
        return Execution(options(*words, results=tmp_path), "small", alone=alone)._workers

    assert (workers(), workers("--workers", "5")) == (3, 5)
    assert (workers(alone=True), workers("--workers", "1", alone=True)) == (1, 1)
    with pytest.raises(InputError, match="--workers must be 1 here: times are measured"):
        workers("--workers", "2", alone=True)
    monkeypatch.delattr("os.sched_getaffinity")  # as on systems that do not have it
    assert (workers(), workers("--workers", "5")) == (1, 5)


def test_executors_get_what_the_options_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()  # of what opens executors
    asked: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    def note(*given: Any, **more: Any) -> str:
        asked.append((given, more))
        return "an executor"

    with monkeypatch.context() as patch:
        for name in ("LocalExecutor", "RayExecutor", "SlurmExecutor"):
            patch.setattr(module, name, partial(note, name))
        for words in (
            ["--workers", "2"],
            ["--executor", "ray", "--workers", "3", "--address", "there:1"],
            ["--executor", "slurm", "--workers", "4", "--time", "90s", "--partition", "big"],
        ):
            Execution(options(*words, results=tmp_path), "small")._open_executor()
    assert asked == [
        (("LocalExecutor", 2), {}),
        (("RayExecutor", 3, "there:1"), {}),
        (
            ("SlurmExecutor", 4, tmp_path / "slurm"),
            {"partition": "big", "minutes": 2, "memory": 4.0},
        ),
    ]


def test_curves_are_of_trainings(tmp_path: Path) -> None:
    with (
        MEASURES.replaced({"energy": Measure("energy", pretend_trial, CODE)}),
        Execution(options("--curves", results=tmp_path), "small") as execution,
        pytest.raises(InputError, match="--curves: the study 'small' measures and does not train"),
    ):
        execution.run(small_study(measure="energy"), trials=1)


def test_names_of_files() -> None:
    assert file_name("main") == "main"
    assert file_name("a/b c:d=1-2.x") == "a_b_c_d=1-2.x"
    assert file_name("x" * 150) == "x" * 150
    long = file_name("x" * 151)
    assert len(long) == 150
    assert long.startswith("x" * 133 + "-")
    assert long != file_name("x" * 152)


@pytest.mark.parametrize(
    ("outcome", "code", "says"),
    [
        (Outcome(ran=1, left=1), 0, "ran 1 trial; 1 is left; rows are in"),
        (Outcome(ran=2, adopted=3), 0, "ran 2 trials and took over 3 from other studies; 0 are"),
        (Outcome(failures=["why"]), 1, "panda it: why\nran 0 trials; 0 are left"),
        (Outcome(failed_before=1), 0, "1 trial failed in an earlier run, not tried again"),
        (Outcome(interrupted=True), 130, "are lost, all others are kept; the same command"),
    ],
)
def test_what_is_said_in_the_end(
    outcome: Outcome, code: int, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report("it", outcome, Store(tmp_path / "it.jsonl")) == code
    assert says in capsys.readouterr().err


def test_what_is_said_where_no_rows_are_kept(capsys: pytest.CaptureFixture[str]) -> None:
    assert report("it", Outcome(ran=3), None) == 0
    assert capsys.readouterr().err == ""
    assert report("it", Outcome(interrupted=True), None) == 130
    assert "with --results FOLDER all others would be kept" in capsys.readouterr().err


def test_memory_is_above_zero(capsys: pytest.CaptureFixture[str]) -> None:
    assert options("--memory", "0.5").memory == 0.5
    with pytest.raises(SystemExit):
        options("--memory", "0")
    assert "argument --memory: must be a number above 0, not 0" in capsys.readouterr().err
