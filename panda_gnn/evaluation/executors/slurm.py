"""Workers that are Slurm jobs, submitted with submitit."""

from __future__ import annotations

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


class SlurmExecutor(WorkerExecutor):
    """Slurm jobs of one processor each.

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
        self._lock = threading.Lock()
        self._ended = False
        self._under_way: dict[str, Any] = {}

    def deliver(self, call: Call) -> Answer:
        with self._lock:
            job = self._executor.submit(answer, call)
            self._under_way[job.job_id] = job
        try:
            while not job.done():
                if self._ended:
                    raise WorkerDied("cancelled")
                time.sleep(LOOK_EVERY)
            result: Answer = job.result()
        except self._died as error:
            raise WorkerDied(f"job {job.job_id} ended as {job.state}") from error
        finally:
            del self._under_way[job.job_id]
        return result

    def end_workers(self) -> None:
        self._ended = True
        for job in list(self._under_way.values()):
            job.cancel(check=False)
