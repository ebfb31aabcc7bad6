from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import MagicMock

import pytest

from panda_gnn.errors import InputError, require
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.executors import (
    LocalExecutor,
    RayExecutor,
    SlurmExecutor,
    WorkerDied,
    WorkerExecutor,
)
from panda_gnn.evaluation.run import run_study
from panda_gnn.evaluation.store import INCIDENTAL, Row, Store, identity
from panda_gnn.evaluation.trial import run_trial
from tests.evaluation.pretend import (
    endless_trial,
    noted_trial,
    pretend_origins,
    pretend_trial,
    small_study,
    threads_of_worker,
    trial_that_always_dies,
    trial_that_dies_once,
    trial_that_fails,
)

EXPECTED = {
    identity(row): row
    for cell in small_study().cells
    for seed in range(3)
    for row in [pretend_trial(cell.candidates[0], seed)]
}


@pytest.fixture(autouse=True)
def _marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "marks").mkdir()
    monkeypatch.setenv("PANDA_PRETEND_MARKS", str(tmp_path / "marks"))


@pytest.fixture
def local() -> Iterator[LocalExecutor]:
    with LocalExecutor(2) as executor:
        yield executor


def rows_of(
    executor: WorkerExecutor, trial: Callable[[Config, int], Row], folder: Path
) -> dict[object, Row]:
    store = Store(folder / "small.jsonl")
    outcome = run_study(
        small_study(), store, executor, trial, origins=pretend_origins(small_study()), trials=3
    )
    assert outcome.failures == []
    assert outcome.left == 0
    return {identity(row): row for row in store.read().rows}


def assert_same_bits(executor: WorkerExecutor, root: Path) -> None:
    """A real trial gives the same on a worker as here."""
    config = Config("mutag", method="panda", max_epochs=2)
    there = executor.submit(run_trial, config, 0, root=str(root)).result()
    here = run_trial(config, 0, root=str(root))
    for name in set(here) - set(INCIDENTAL):
        assert there[name] == here[name]


def test_local_processes_give_what_the_trial_gives(local: LocalExecutor, tmp_path: Path) -> None:
    assert rows_of(local, pretend_trial, tmp_path) == EXPECTED
    assert local.submit(threads_of_worker).result() == "1"
    assert local.submit(os.getpid).result() != os.getpid()


def test_a_killed_process_costs_one_try_of_one_trial(local: LocalExecutor, tmp_path: Path) -> None:
    assert rows_of(local, trial_that_dies_once, tmp_path) == EXPECTED
    assert len(list((tmp_path / "marks").iterdir())) == 2


def test_the_death_of_a_worker_is_the_error_of_its_call_and_no_other(local: LocalExecutor) -> None:
    dead = local.submit(trial_that_always_dies, Config("mutag", method="digl"), 1)
    fine = [local.submit(trial_that_always_dies, Config("mutag"), seed) for seed in range(6)]
    assert [future.result()["seed"] for future in fine] == list(range(6))
    with pytest.raises(WorkerDied, match="killed by signal 9"):
        dead.result()


def test_a_trial_that_always_kills_its_worker_is_given_up(
    local: LocalExecutor, tmp_path: Path
) -> None:
    store = Store(tmp_path / "small.jsonl")
    outcome = run_study(
        small_study(),
        store,
        local,
        trial_that_always_dies,
        origins=pretend_origins(small_study()),
        trials=3,
    )
    assert len(outcome.failures) == 1
    assert "digl on gcn, mutag, seed 1: given up after 3 workers died" in outcome.failures[0]
    assert len(store.read().rows) == 5


def test_an_error_of_the_trial_arrives_as_it_was_raised(local: LocalExecutor) -> None:
    with pytest.raises(ValueError, match="no diffusion today"):
        local.submit(trial_that_fails, Config("mutag", method="digl"), 0).result()


def test_shutting_down_ends_what_is_under_way() -> None:
    executor = LocalExecutor(2)
    under_way = [executor.submit(endless_trial, Config("mutag"), 1) for _ in range(3)]
    time.sleep(0.5)
    start = time.monotonic()
    executor.shutdown(cancel_futures=True)
    assert time.monotonic() - start < 5
    assert all(future.cancelled() or future.exception() for future in under_way)


@pytest.mark.thorough
def test_a_ray_cluster_with_a_killed_worker_gives_the_same_rows(tmp_path: Path) -> None:
    usual = signal.getsignal(signal.SIGTERM)
    with RayExecutor(2) as executor:
        assert signal.getsignal(signal.SIGTERM) is usual
        assert rows_of(executor, trial_that_dies_once, tmp_path) == EXPECTED
        assert len(list((tmp_path / "marks").iterdir())) == 2
        assert executor.submit(threads_of_worker).result() == "1"
        with pytest.raises(ValueError, match="no diffusion today"):
            executor.submit(trial_that_fails, Config("mutag", method="digl"), 0).result()


def process_named(name: str) -> int:
    """A process that this one started, found by the name of its program."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        words = stat.read_text().rpartition(")")[2].split()
        if int(words[1]) == os.getpid() and (stat.parent / "comm").read_text().strip() == name:
            return int(stat.parent.name)
    raise LookupError(name)


def raylet_dies_once(config: Config, seed: int) -> Row:
    """Kills the raylet, and with it its own worker, while seed 1 of digl runs."""
    mark = Path(os.environ["PANDA_PRETEND_MARKS"]) / f"{config.method}-{seed}"
    if seed == 1 and config.method == "digl" and len(list(mark.parent.iterdir())) < 2:
        mark.with_name(f"{time.monotonic()}").touch()
        os.kill(int(mark.with_name("raylet").read_text()), signal.SIGKILL)
        time.sleep(600)
    return pretend_trial(config, seed)


@pytest.mark.faults
def test_a_dead_raylet_is_started_again_and_uses_up_no_retries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("panda_gnn.evaluation.run.MAX_DEATHS", 1)
    with RayExecutor(2) as executor:
        (tmp_path / "marks" / "raylet").write_text(str(process_named("raylet")))
        assert rows_of(executor, raylet_dies_once, tmp_path) == EXPECTED
    assert len(list((tmp_path / "marks").iterdir())) == 2


@pytest.mark.faults
def test_a_cluster_that_does_not_come_back_is_said_and_what_is_left_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("panda_gnn.evaluation.executors.ray.SECONDS_TO_RETURN", 1)
    cluster_of = require("ray.cluster_utils", "ray").Cluster
    node = {"num_cpus": 1, "object_store_memory": 10**8, "include_dashboard": False}
    cluster = cluster_of(initialize_head=True, head_node_args=node)
    study = small_study()
    store = Store(tmp_path / "small.jsonl")
    try:
        with RayExecutor(1, cluster.address) as executor:
            rows: list[Row] = []

            def kill_head_after_two(row: Row) -> None:
                rows.append(row)
                if len(rows) == 2:
                    os.kill(process_named("gcs_server"), signal.SIGKILL)

            with pytest.raises(
                InputError,
                match=r"was lost \(the head of .* does not answer\) and did not come back within 1 "
                r"seconds: 2 trials were run, 4 are left, and the same command continues",
            ):
                run_study(
                    study,
                    store,
                    executor,
                    endless_trial,
                    origins=pretend_origins(study),
                    trials=3,
                    track=kill_head_after_two,
                )
    finally:
        cluster.shutdown()
    assert len(store.read().rows) == 2


def test_joining_a_ray_cluster_gives_the_bits_of_this_process(shared_root: Path) -> None:
    cluster_of = require("ray.cluster_utils", "ray").Cluster
    node = {"num_cpus": 1, "object_store_memory": 10**8, "include_dashboard": False}
    cluster = cluster_of(initialize_head=True, head_node_args=node)
    try:
        with RayExecutor(1, cluster.address) as executor:
            assert_same_bits(executor, shared_root)
    finally:
        cluster.shutdown()


def test_submitit_jobs_give_the_same_rows_and_bits(tmp_path: Path, shared_root: Path) -> None:
    with SlurmExecutor(2, tmp_path / "jobs", cluster="local") as executor:
        assert rows_of(executor, pretend_trial, tmp_path) == EXPECTED
        assert executor.submit(threads_of_worker).result() == "1"
        assert_same_bits(executor, shared_root)


def test_a_job_whose_driver_died_is_collected_and_does_not_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PANDA_PRETEND_NOTES", str(tmp_path / "notes"))
    folder = tmp_path / "jobs"
    code = (
        "import os, sys, threading, pathlib\n"
        "from panda_gnn.evaluation.executors import SlurmExecutor\n"
        "from tests.evaluation.pretend import noted_trial\n"
        "from panda_gnn.evaluation.config import Config\n"
        "executor = SlurmExecutor(1, pathlib.Path(sys.argv[1]), cluster='local')\n"
        "executor.submit_named('a trial', noted_trial, Config('mutag'), 0)\n"
        "while not list(executor._folder.glob('*.job')): pass\n"
        "os.kill(os.getpid(), 9)\n"
    )
    driver = subprocess.run([sys.executable, "-c", code, str(folder)], check=False)
    assert driver.returncode == -signal.SIGKILL
    (note,) = folder.glob("*.job")
    assert note.read_text()
    monkeypatch.setattr("submitit.LocalJob._results_timeout_s", 200)  # a busy machine is slow
    with SlurmExecutor(1, folder, cluster="local") as executor:
        row = executor.submit_named("a trial", noted_trial, Config("mutag"), 0).result()
        assert row == pretend_trial(Config("mutag"), 0)
        assert (tmp_path / "notes").read_text() == "none 0\n"
        assert not note.exists()
        executor.submit_named("a trial", noted_trial, Config("mutag"), 0).result()
    assert (tmp_path / "notes").read_text() == "none 0\n" * 2


def test_a_job_that_left_no_result_runs_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "jobs"
    with SlurmExecutor(1, folder, cluster="local") as executor:
        monkeypatch.setattr("submitit.LocalJob._results_timeout_s", 0)
        name = hashlib.sha256(b"a trial").hexdigest()[:32]
        (folder / f"{name}.job").write_text("4194305")
        row = executor.submit_named("a trial", pretend_trial, Config("mutag"), 0).result()
    assert row == pretend_trial(Config("mutag"), 0)


def test_jobs_under_way_are_cancelled_at_an_end(tmp_path: Path) -> None:
    executor = SlurmExecutor(1, tmp_path / "jobs", cluster="local")
    jobs = {"1": MagicMock(), "2": MagicMock()}
    executor._under_way.update(jobs)
    executor.end_workers()
    for job in jobs.values():
        job.cancel.assert_called_once_with(check=False)


def test_without_slurm_the_slurm_executor_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(InputError, match=r"needs Slurm's commands .* use --executor local or ray"):
        SlurmExecutor(1, tmp_path / "jobs")
    assert not (tmp_path / "jobs").exists()


@pytest.mark.parametrize("address", ["127.0.0.1:1", "nonsense", "ray://127.0.0.1:1", "auto"])
def test_a_ray_cluster_that_does_not_answer_is_one_sentence(address: str) -> None:
    with pytest.raises(InputError, match=f"no Ray cluster answers at '{address}'"):
        RayExecutor(1, address)


def test_a_ray_that_does_not_start_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**options: object) -> None:
        raise Exception("The current node timed out during startup.\nThis could happen")

    monkeypatch.setattr("ray.init", fail)
    with pytest.raises(InputError, match=r"could not be started \(The current node timed out .*\)"):
        RayExecutor(1)
