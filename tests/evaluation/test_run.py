from __future__ import annotations

import errno
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from panda_gnn.errors import InputError
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.executors import LocalExecutor, WorkersLost
from panda_gnn.evaluation.executors.base import Answer, Call, WorkerExecutor, answer
from panda_gnn.evaluation.failures import Failures
from panda_gnn.evaluation.run import Outcome, _fits, run_study
from panda_gnn.evaluation.store import Row, Store
from panda_gnn.evaluation.study import Study
from tests.evaluation.pretend import (
    CODE,
    endless_trial,
    noted_trial,
    pretend_origins,
    pretend_trial,
    small_study,
    trial_that_fails,
)
from tests.marks import thorough

REPOSITORY = Path(__file__).resolve().parents[2]


class InThisProcess(WorkerExecutor):
    """Workers that are threads, for tests of what does not depend on processes."""

    def deliver(self, call: Call, name: str) -> Answer:
        return answer(call)

    def end_workers(self) -> None:
        pass


class Diary:
    """A tracker that remembers."""

    def __init__(self) -> None:
        self.rows: list[Row] = []

    def log(self, row: Row) -> None:
        self.rows.append(row)

    def close(self) -> None:
        pass


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "small.jsonl")


def run(store: Store, study: Study | None = None, trials: int = 3, **options: object) -> Outcome:
    study = study or small_study()
    origins = pretend_origins(study)
    arguments = {"origins": origins, "trials": trials, "run": pretend_trial, **options}
    with InThisProcess(2) as executor:
        return run_study(study, store, executor, **arguments)  # type: ignore[arg-type]


def test_running_again_continues_and_more_trials_extend(store: Store) -> None:
    assert run(store).ran == 6
    assert run(store).ran == 0
    diary = Diary()
    assert run(store, trials=5, track=diary.log).ran == 4
    assert sorted(row["seed"] for row in diary.rows) == [3, 3, 4, 4]
    assert Counter(row["seed"] for row in store.read().rows) == dict.fromkeys(range(5), 2)


def test_rows_of_an_older_version_are_run_again_and_kept(store: Store) -> None:
    run(store)
    outcome = run(store, run=_newer_trial, origins=pretend_origins(small_study(), "newer"))
    assert outcome.ran == 6
    assert Counter(row["code"] for row in store.read().rows) == {CODE: 6, "newer": 6}


def _newer_trial(config: Config, seed: int) -> Row:
    return {**pretend_trial(config, seed), "code": "newer"}


def test_a_worker_with_another_version_is_not_believed(store: Store) -> None:
    outcome = run(store, run=_newer_trial)
    assert outcome.ran == 0
    assert "another version of panda-gnn" in outcome.failures[0]
    assert store.read().rows == ()


def test_what_another_study_ran_is_taken_over(store: Store) -> None:
    other = Store(store.path.with_name("other.jsonl"))
    run(other, trials=2)
    outcome = run(store)
    assert (outcome.adopted, outcome.ran, outcome.left) == (4, 2, 0)
    assert len(store.read().rows) == 6
    assert run(store).adopted == 0


def test_a_config_that_fails_does_not_stop_the_others(store: Store) -> None:
    outcome = run(store, run=trial_that_fails)
    assert outcome.ran == 3
    assert {failure.partition(": ")[2] for failure in outcome.failures} == {
        "ValueError: no diffusion today"
    }
    assert {row["config"]["method"] for row in store.read().rows} == {"none"}


def _fails_on_seed_1(config: Config, seed: int) -> Row:
    if seed == 1:
        raise FloatingPointError("the training loss is not a number in epoch 3")
    return pretend_trial(config, seed)


def _score_of_no_number(config: Config, seed: int) -> Row:
    row = pretend_trial(config, seed)
    if seed == 1:
        row["scores"]["last"]["test"] = float("nan")
    return row


@pytest.mark.parametrize("failing", [_fails_on_seed_1, _score_of_no_number])
def test_a_failed_trial_is_written_down_and_retried_on_request(
    store: Store, failing: object
) -> None:
    outcome = run(store, run=failing)
    assert (outcome.ran, len(outcome.failures), outcome.left) == (4, 2, 0)
    assert Counter(row["seed"] for row in store.read().rows) == {0: 2, 2: 2}
    failed = Failures(store, pretend_origins(small_study())).unfinished({})
    assert {(row["config"]["method"], row["seed"]) for row in failed} == {("none", 1), ("digl", 1)}
    assert all("nan" in row["reason"] or "not a number" in row["reason"] for row in failed)
    again = run(store)
    assert (again.ran, again.failed_before) == (0, 2)
    retried = run(store, retry_failed=True)
    assert (retried.ran, retried.failed_before) == (2, 0)
    assert run(store).failed_before == 0


def test_a_trial_that_takes_too_long_has_failed(store: Store) -> None:
    study = small_study(methods=["none"])
    with LocalExecutor(2) as executor:
        outcome = run_study(
            study,
            store,
            executor,
            endless_trial,
            origins=pretend_origins(study),
            trials=2,
            trial_seconds=0.5,
        )
    assert outcome.ran == 1
    assert outcome.failures == ["none on gcn, mutag, seed 1: it took longer than 0.5 s"]


class Broken(Diary):
    """A tracker that fails after the first row."""

    def log(self, row: Row) -> None:
        super().log(row)
        if len(self.rows) > 1:
            raise OSError("no space")


def test_a_tracker_that_fails_is_warned_about_once(store: Store) -> None:
    broken = Broken()
    with pytest.warns(UserWarning, match="the tracker failed .*: no space") as warned:
        assert run(store, track=broken.log).ran == 6
    assert len(warned) == 1
    assert len(broken.rows) == 2


def _half_a_second(config: Config, seed: int) -> Row:
    time.sleep(0.25)
    return {**pretend_trial(config, seed), "seconds": 0.25}


def test_a_budget_ends_the_run_and_says_what_is_left(store: Store) -> None:
    start = time.monotonic()
    outcome = run(store, trials=100, run=_half_a_second, budget=1.5)
    assert time.monotonic() - start < 2.5
    assert 6 <= outcome.ran < 20
    assert outcome.left == 200 - outcome.ran
    again = run(store, trials=100, run=_half_a_second, budget=0.1)
    assert again.ran == 0


def drive(trial: str, store: Store, trials: int, notes: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.evaluation.pretend", trial, str(store.path), str(trials)],
        cwd=REPOSITORY,
        env={**os.environ, "PANDA_PRETEND_NOTES": str(notes)},
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=_listening,
    )


def _listening() -> None:
    """Whoever runs the tests may be deaf to a hang-up, as under nohup, which children inherit."""
    for name in ("SIGHUP", "SIGINT"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)


def children(process: int) -> list[int]:
    lists = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for path in lists for child in path.read_text().split()]


def wait_until(condition: object, seconds: float = 150) -> None:
    deadline = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def test_kill_9_of_the_driver_loses_only_trials_under_way(store: Store, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    driver = drive("noted", store, 10, notes)
    wait_until(lambda: len(store.read().rows) >= 5)
    workers = children(driver.pid)
    driver.send_signal(signal.SIGKILL)
    driver.communicate()
    kept = {(row["config"]["method"], row["seed"]) for row in store.read().rows}
    assert len(workers) >= 2
    wait_until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers), 3)
    started = notes.read_text().splitlines()
    assert len(started) - len(kept) <= 2
    second = drive("noted", store, 10, notes)
    out, _ = second.communicate(timeout=120)
    assert out.strip() == f"ran {20 - len(kept)}, left 0, interrupted False"
    runs = Counter(notes.read_text().splitlines())
    assert all(runs[f"{method} {seed}"] == 1 for method, seed in kept)
    assert len(store.read().rows) == 20
    assert store.read().problems == ()


def test_two_drivers_share_the_work_and_no_trial_runs_twice(store: Store, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    drivers = [drive("noted", store, 10, notes) for _ in range(2)]
    ran = []
    for driver in drivers:
        out, _ = driver.communicate(timeout=120)
        assert out.strip().endswith("left 0, interrupted False")
        ran.append(int(out.split()[1].rstrip(",")))
    assert sum(ran) == 20
    runs = Counter(notes.read_text().splitlines())
    assert set(runs.values()) == {1}
    assert len(runs) == 20
    assert len(store.path.read_bytes().splitlines()) == 20
    assert not store.path.with_name("small.jsonl.claims").exists()


def test_what_a_killed_driver_had_claimed_is_taken_over(store: Store, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    killed = drive("endless", store, 3, notes)
    wait_until(lambda: len(store.read().rows) == 2)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    assert store.path.with_name("small.jsonl.claims").exists()
    assert run(store).ran == 4


@pytest.mark.parametrize("name", ["SIGTERM", *thorough("SIGINT", "SIGHUP")])
def test_a_signal_ends_at_once_and_keeps_what_is_finished(
    store: Store, tmp_path: Path, name: str
) -> None:
    driver = drive("endless", store, 3, tmp_path / "notes")
    wait_until(lambda: len(store.read().rows) == 2)
    workers = children(driver.pid)
    driver.send_signal(getattr(signal, name))
    out, _ = driver.communicate(timeout=20)
    assert out.strip() == "ran 2, left 4, interrupted True"
    assert driver.returncode == 0
    assert len(workers) >= 2
    wait_until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers), 3)
    assert store.path.read_bytes().count(b"\n") == 2
    assert store.read().problems == ()


def test_a_full_disk_ends_the_run_with_one_sentence_and_a_whole_file(store: Store) -> None:
    run(store, trials=1)
    before = store.path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 200, hard))
    try:
        with pytest.raises(InputError, match=r"small\.jsonl.* cannot be written any more .*kept"):
            run(store)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert store.path.read_bytes() == before
    assert not store.path.with_name("small.jsonl.claims").exists()
    assert run(store).ran == 4


@pytest.mark.parametrize("module", ["store", "claims"])
def test_a_folder_that_becomes_read_only_is_one_sentence(
    store: Store, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    def refuse(path: Path) -> object:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    run(store, trials=1)
    monkeypatch.setattr(f"panda_gnn.evaluation.{module}.FileLock", refuse)
    with pytest.raises(InputError, match=r"cannot be written any more .*Read-only file system"):
        run(store)
    monkeypatch.undo()
    assert run(store).ran == 4


def test_a_run_that_cannot_write_ends_its_workers(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(file: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    study = small_study(methods=["none"])
    others = multiprocessing.active_children()
    with LocalExecutor(2) as executor:
        monkeypatch.setattr("panda_gnn.evaluation.store.os.fsync", full)
        with pytest.raises(InputError, match="No space left on device"):
            run_study(
                study, store, executor, endless_trial, origins=pretend_origins(study), trials=2
            )
        monkeypatch.undo()
        assert set(multiprocessing.active_children()) <= set(others)
    assert store.path.read_bytes() == b""


class Losing(InThisProcess):
    """Loses all workers so many times before the first trial is finished."""

    def __init__(self, losses: int) -> None:
        super().__init__(2)
        self._calls_to_lose = iter(range(losses))

    def deliver(self, call: Call, name: str) -> Answer:
        if next(self._calls_to_lose, None) is not None:
            raise WorkersLost("the cluster is gone")
        return super().deliver(call, name)


@pytest.mark.parametrize("losses", [18, 25])
def test_trials_that_are_lost_with_their_cluster_use_up_no_retries(
    store: Store, losses: int
) -> None:
    study = small_study()
    with Losing(losses) as executor:
        if losses == 18:
            outcome = run_study(
                study, store, executor, pretend_trial, origins=pretend_origins(study), trials=3
            )
            assert (outcome.ran, outcome.failures, outcome.left) == (6, [], 0)
            return
        with pytest.raises(
            InputError,
            match=r"lost 10 times in a row \(the cluster is gone\): 0 trials were run, 6 are left",
        ):
            run_study(
                study, store, executor, pretend_trial, origins=pretend_origins(study), trials=3
            )


def _rejects(config: Config, seed: int) -> Row:
    if config.method == "digl" and seed == 1:
        raise InputError("alpha is 2, it must be below 1")
    return pretend_trial(config, seed)


def test_a_trial_that_is_rejected_is_written_down_and_its_config_goes_on(store: Store) -> None:
    outcome = run(store, run=_rejects)
    assert (outcome.ran, outcome.left) == (5, 0)
    assert outcome.failures == ["digl on gcn, mutag, seed 1: alpha is 2, it must be below 1"]
    (failed,) = Failures(store, pretend_origins(small_study())).unfinished({})
    assert (failed["seed"], failed["reason"]) == (1, "alpha is 2, it must be below 1")
    assert run(store, retry_failed=True).ran == 1


def test_an_interrupt_in_the_driver_is_reported(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(row: Row) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(store, "append", interrupted)
    with LocalExecutor(1) as executor:
        outcome = run_study(
            small_study(),
            store,
            executor,
            pretend_trial,
            origins=pretend_origins(small_study()),
            trials=1,
        )
    assert outcome.interrupted
    assert outcome.left == 2


def test_the_first_ctrl_c_lets_a_row_be_written(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = store.append

    def interrupted(row: Row) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        write(row)

    monkeypatch.setattr(store, "append", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        outcome = run(store, trials=20)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert outcome.interrupted
    assert 1 <= outcome.ran <= 2
    assert len(store.read().rows) == outcome.ran


@pytest.mark.parametrize(("deadline", "fits"), [(13.0, False), (13.1, True), (None, True)])
def test_a_trial_starts_if_it_is_expected_to_end_before_the_deadline(
    deadline: float | None, fits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is 10, and two trials of the config took 2 and 4 seconds."""
    monkeypatch.setattr("panda_gnn.evaluation.run.time.monotonic", lambda: 10.0)
    config = Config("mutag")
    finished = {config.key: {0: {"seconds": 2.0}, 1: {"seconds": 4.0}}}
    assert _fits(config, finished, deadline) is fits  # type: ignore[arg-type]
    assert _fits(config, {}, deadline)


def test_noted_trials_are_the_pretended_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PANDA_PRETEND_NOTES", str(tmp_path / "notes"))
    assert noted_trial(Config("mutag"), 0) == pretend_trial(Config("mutag"), 0)


def test_seeds_that_nobody_wants_are_not_taken_over(store: Store) -> None:
    other = Store(store.path.with_name("other.jsonl"))
    run(other, trials=5)
    outcome = run(store, trials=2, first_seed=1)
    assert (outcome.adopted, outcome.ran) == (4, 0)
    assert sorted(row["seed"] for row in store.read().rows) == [1, 1, 2, 2]
