"""Workers that are Slurm jobs, submitted with submitit."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import threading
import time
from pathlib import Path
from typing import Any

from panda_gnn.errors import InputError, require
from panda_gnn.evaluation.executors.base import (
    ONE_THREAD,
    Answer,
    Call,
    WorkerDied,
    WorkerExecutor,
    answer,
)

#: Seconds between two looks at a job.
LOOK_EVERY = 0.5

#: Seconds after which a job of a driver that died is given up if Slurm does not know it.
FORGOTTEN = 300.0


class SlurmExecutor(WorkerExecutor):
    """Slurm jobs of one processor each.

    Jobs outlive a driver that is killed. Which call a job runs is noted in the folder, and the next
    driver that has the same call waits for that job, or takes its result.

    Args:
        workers: How many jobs are in the queue or running at a time.
        folder: Where submitit keeps its scripts, logs and pickles; all machines must see it.
        partition: Name of the partition; the cluster's default if not given.
        minutes: How long a job may run.
        memory: Gigabytes of memory of a job.
        cluster: ``"slurm"``, or ``"local"`` for submitit's own stand-in without Slurm.
    """

    def __init__(
        self,
        workers: int,
        folder: Path,
        *,
        partition: str | None = None,
        minutes: int = 60,
        memory: float = 4.0,
        cluster: str = "slurm",
    ) -> None:
        submitit = require("submitit", "slurm")
        if cluster == "slurm" and shutil.which("srun") is None:
            raise InputError(
                "the executor 'slurm' needs Slurm's commands on this machine (srun was not found): "
                "use --executor local or ray"
            )
        try:
            self._executor = submitit.AutoExecutor(folder=folder, cluster=cluster)
        except OSError as error:
            raise InputError(f"the folder '{folder}' cannot be written: {error}") from error
        self._job = submitit.SlurmJob if cluster == "slurm" else submitit.LocalJob
        self._died: tuple[type[Exception], ...] = (
            submitit.core.utils.UncompletedJobError,
            submitit.core.utils.FailedJobError,
        )
        setup = [f"export {name}={value}" for name, value in ONE_THREAD.items()]
        self._executor.update_parameters(
            name="panda",
            timeout_min=minutes,
            mem_gb=memory,
            cpus_per_task=1,
            slurm_partition=partition,
            **{f"{cluster}_setup": setup},
        )
        super().__init__(workers)
        self._folder = folder
        self._lock = threading.Lock()
        self._ended = False
        self._under_way: dict[str, Any] = {}

    def deliver(self, call: Call, name: str) -> Answer:
        note = self._folder / f"{hashlib.sha256(name.encode()).hexdigest()[:32]}.job"
        if name:
            with contextlib.suppress(FileNotFoundError, *self._died):
                return self._wait_for(self._job(self._folder, note.read_text("utf-8")), note, True)
        with self._lock:
            job = self._executor.submit(answer, call)
            if name:
                fresh = note.with_suffix(".fresh")
                fresh.write_text(job.job_id, "utf-8")
                fresh.replace(note)  # a driver that dies here leaves no note that is half written
        try:
            return self._wait_for(job, note)
        except self._died as error:
            raise WorkerDied(f"job {job.job_id} ended as {job.state}") from error

    def _wait_for(self, job: Any, note: Path, was_left: bool = False) -> Answer:
        self._under_way[job.job_id] = job
        seen = time.monotonic()
        try:
            while not job.done():
                if self._ended:
                    raise WorkerDied("cancelled")
                if job.state != "UNKNOWN":
                    seen = time.monotonic()
                elif was_left and time.monotonic() - seen > FORGOTTEN:
                    raise self._died[0](f"job {job.job_id} is not known any more")
                time.sleep(LOOK_EVERY)
            result: Answer = job.result()
        finally:
            del self._under_way[job.job_id]
            note.unlink(missing_ok=True)
        return result

    def end_workers(self) -> None:
        self._ended = True
        for job in list(self._under_way.values()):
            job.cancel(check=False)
