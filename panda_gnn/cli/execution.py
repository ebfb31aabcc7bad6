"""What ``panda study run`` and ``panda search`` share: where trials run and where rows are kept."""

from __future__ import annotations

import argparse
import math
import os
import re
import sys
import warnings
from functools import partial
from pathlib import Path

from panda_gnn.cli.training import add_data_arguments
from panda_gnn.datasets import load
from panda_gnn.errors import InputError, choose
from panda_gnn.evaluation.executors import (
    EXECUTORS,
    LocalExecutor,
    RayExecutor,
    SlurmExecutor,
    WorkerExecutor,
)
from panda_gnn.evaluation.measurements import MEASURES
from panda_gnn.evaluation.running import Outcome, run_study
from panda_gnn.evaluation.store import Store
from panda_gnn.evaluation.study import Study, at_least_one
from panda_gnn.evaluation.tracking import TRACKERS, Tracker, open_tracker


def add_execution_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that say where trials run and where their rows go."""
    where = parser.add_argument_group("where trials run")
    where.add_argument(
        "--executor", default="local", metavar="NAME", help=f"{', '.join(EXECUTORS)} (local)"
    )
    where.add_argument(
        "--workers", type=int, metavar="N", help="trials at a time (one per processor)"
    )
    where.add_argument("--address", metavar="ADDRESS", help="ray: join the cluster at this address")
    where.add_argument("--partition", metavar="NAME", help="slurm: the partition of the jobs")
    where.add_argument(
        "--time", default="1h", metavar="TIME", help="slurm: how long a job may take (1h)"
    )
    where.add_argument(
        "--memory", type=float, default=4.0, metavar="GB", help="slurm: memory of a job (4)"
    )
    parser.add_argument(
        "--results", type=Path, default=Path("results"), metavar="FOLDER", help="keeps the rows"
    )
    parser.add_argument(
        "--track", default="none", metavar="NAME", help=f"{', '.join(TRACKERS)} (none)"
    )
    add_data_arguments(parser)


def names(text: str | None) -> list[str] | None:
    """A list of names separated by commas; ``None`` where the option is not given."""
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


def seconds(option: str, text: str) -> float:
    """A time such as ``90s``, ``30m`` or ``1h30m``."""
    found = re.fullmatch(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?", text)
    parts = [int(part or 0) for part in found.groups()] if found else []
    total = sum(part * unit for part, unit in zip(parts, (3600, 60, 1), strict=False))
    if total == 0:
        raise InputError(f"{option} is '{text}', it must be a time such as 90s, 30m or 1h30m")
    return float(total)


class Execution:
    """An executor, a store and a tracker for as long as a command runs, after all checks.

    Args:
        options: The options of :func:`add_execution_arguments`.
        name: The name of the store.
        alone: Whether trials must not share the machine, because they measure time.
    """

    def __init__(self, options: argparse.Namespace, name: str, *, alone: bool = False) -> None:
        choose("executor", options.executor, EXECUTORS)
        choose("tracker", options.track, TRACKERS)
        processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
        default = 1 if alone else processors
        workers = default if options.workers is None else options.workers
        if alone and workers != 1:
            raise InputError("--workers must be 1 here: times are measured on a machine at rest")
        self._options = options
        self._workers = at_least_one("--workers", workers)
        self._minutes = math.ceil(seconds("--time", options.time) / 60)
        self.store = Store(options.results / f"{name}.jsonl")
        self._executor: WorkerExecutor
        self._tracker: Tracker

    def __enter__(self) -> Execution:
        self._executor = self._open_executor()
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                self.store.prepare()
            for warning in caught:
                print(f"panda: {warning.message}", file=sys.stderr)
            self._tracker = open_tracker(self._options.track, self._options.results / "tracking")
        except BaseException:
            self._executor.shutdown(cancel_futures=True)
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._executor.shutdown(cancel_futures=True)
        self._tracker.close()

    def run(
        self,
        study: Study,
        *,
        trials: int,
        selection: str = "best-val",
        budget: float | None = None,
    ) -> Outcome:
        """Run a study; datasets are fetched once, before the workers start."""
        root, mirror = self._options.root, self._options.mirror
        measure = MEASURES[study.measure]
        for dataset in () if measure.own_graphs else study.datasets:
            load(dataset, root=root, mirror=mirror)
        contents = self.store.read()
        others = sum(row["code"] != measure.code for row in contents.rows)
        for problem in contents.problems:
            print(f"panda: {problem}", file=sys.stderr)
        if others:
            print(
                f"panda: {others} rows in {self.store.path} are of another version of the trial "
                "code; they are kept but do not count",
                file=sys.stderr,
            )
        return run_study(
            study,
            self.store,
            self._executor,
            partial(measure.run, root=root, mirror=mirror),
            code=measure.code,
            trials=trials,
            selection=selection,
            budget=budget,
            tracker=self._tracker,
        )

    def _open_executor(self) -> WorkerExecutor:
        options = self._options
        if options.executor == "ray":
            return RayExecutor(self._workers, options.address)
        if options.executor == "slurm":
            return SlurmExecutor(
                self._workers,
                options.results / "slurm",
                partition=options.partition,
                minutes=self._minutes,
                memory=options.memory,
            )
        return LocalExecutor(self._workers)


def report(command: str, outcome: Outcome, store: Store) -> int:
    """Say what was run and how to go on; the exit code."""
    for failure in outcome.failures:
        print(f"panda {command}: {failure}", file=sys.stderr)
    taken = f" and took over {outcome.adopted} from other studies" if outcome.adopted else ""
    print(
        f"ran {outcome.ran} trials{taken}; {outcome.left} are left; rows are in {store.path}",
        file=sys.stderr,
    )
    if outcome.interrupted:
        print(
            "stopped: trials under way are lost, all others are kept; the same command continues",
            file=sys.stderr,
        )
        return 130
    return 1 if outcome.failures else 0
