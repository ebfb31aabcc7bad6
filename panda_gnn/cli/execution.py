"""What commands that run trials share: where these run and where rows are kept."""

from __future__ import annotations

import argparse
import hashlib
import math
import os
import re
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from panda_gnn.cli.options import (
    add_choice,
    add_data_arguments,
    add_results_argument,
    add_whole,
    check_own_folder,
    real,
    seconds,
)
from panda_gnn.cli.own import add_plugin_argument
from panda_gnn.errors import InputError
from panda_gnn.evaluation.bundled import RESULTS
from panda_gnn.evaluation.executors import (
    EXECUTORS,
    LocalExecutor,
    RayExecutor,
    SlurmExecutor,
    WorkerExecutor,
)
from panda_gnn.evaluation.origin import Origin, origin_of
from panda_gnn.evaluation.store import Row, Store
from panda_gnn.evaluation.tracking import TRACKERS, Tracker, open_tracker, print_row

if TYPE_CHECKING:  # options are read, and explained, without torch
    from panda_gnn.evaluation.run import Outcome
    from panda_gnn.evaluation.study import Study
    from panda_gnn.evaluation.verification import Verification

T = TypeVar("T")

LONGEST_NAME = 150
"""Letters of the name of a file with rows."""


def add_execution_arguments(
    parser: argparse.ArgumentParser, results: Path | None = RESULTS
) -> None:
    """The options that say where trials run and where their rows go.

    Args:
        parser: Gets the options.
        results: The folder of the rows unless told otherwise; ``None`` for one that is deleted.
    """
    where = parser.add_argument_group("where trials run")
    add_choice(where, "--executor", EXECUTORS, "local")
    add_whole(where, "--workers", "trials at a time (one per processor)")
    where.add_argument("--address", metavar="ADDRESS", help="ray: join the cluster at this address")
    where.add_argument("--partition", metavar="NAME", help="slurm: the partition of the jobs")
    where.add_argument(
        "--time",
        type=seconds,
        default="1h",
        metavar="TIME",
        help="slurm: how long a job may take (1h)",
    )
    where.add_argument(
        "--memory",
        type=real("a number above 0", above=0),
        default=4.0,
        metavar="GB",
        help="slurm: memory of a job (4)",
    )
    where.add_argument(
        "--trial-seconds",
        type=real("a number above 0", above=0, most=threading.TIMEOUT_MAX),
        metavar="S",
        help="a trial that takes longer has failed",
    )
    where.add_argument(
        "--retry-failed", action="store_true", help="run trials again that failed before"
    )
    add_results_argument(parser, results)
    parser.add_argument(
        "--curves",
        action="store_true",
        help="keep loss and scores of every epoch in the rows, for panda report",
    )
    add_choice(parser, "--track", TRACKERS, "none", what="tracker")
    add_plugin_argument(parser)
    add_data_arguments(parser)


class Execution:
    """An executor, a store and a tracker for as long as a command runs, after all checks.

    Args:
        options: The options of :func:`add_execution_arguments`.
        name: The name of the store.
        alone: Whether trials must not share the machine, because they measure time.
        log: Whether a line with the scores of each trial is printed where there is no terminal.
    """

    def __init__(
        self,
        options: argparse.Namespace,
        name: str,
        *,
        alone: bool = False,
        log: bool = True,
    ) -> None:
        processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
        self._workers = options.workers or (1 if alone else processors)
        if alone and self._workers != 1:
            raise InputError("--workers must be 1 here: times are measured on a machine at rest")
        self._options = options
        self._log = log and not sys.stderr.isatty()
        self._temporary = None
        self._folder = options.results
        if self._folder is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="panda-")
            self._folder = Path(self._temporary.name)
        check_own_folder(self._folder)
        self.store = Store(self._folder / f"{file_name(name)}.jsonl")
        self._data: dict[str, str] = {}
        self._executor: WorkerExecutor
        self._tracker: Tracker | None = None

    def __enter__(self) -> Execution:
        self._executor = self._open_executor()
        try:
            self._tracker = open_tracker(self._options.track, self._folder / "tracking")
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                self.store.prepare()
            for warning in caught:
                print(f"panda: {warning.message}", file=sys.stderr)
        except BaseException:
            self._executor.shutdown(cancel_futures=True)
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._executor.shutdown(cancel_futures=True)
        try:
            if self._tracker is not None:
                self._tracker.close()
        except Exception as error:
            print(f"panda: the tracker failed when it was closed: {error}", file=sys.stderr)
        if self._temporary is not None:
            self._temporary.cleanup()

    def run(
        self,
        study: Study,
        *,
        trials: int,
        first_seed: int = 0,
        budget: float | None = None,
    ) -> Outcome:
        """Run a study; datasets are fetched once, before the workers start."""
        from panda_gnn.evaluation.measurements import MEASURES
        from panda_gnn.evaluation.run import run_study
        from panda_gnn.evaluation.store import by_config_and_seed
        from panda_gnn.evaluation.warmup import compile_before, kind_of

        root, mirror = self._options.root, self._options.mirror
        measure = MEASURES[study.measure]
        expected = self.origins(study)
        contents = self.store.read()
        others = sum(
            row["code"] != measure.code
            or (row["key"] in expected and origin_of(row) != expected[row["key"]])
            for row in contents.rows
        )
        for problem in contents.problems:
            print(f"panda: {problem}", file=sys.stderr)
        if others:
            print(
                f"panda: {others} rows in {self.store.path} are of another version of the code "
                "or of other data; they are kept but do not count",
                file=sys.stderr,
            )
        how: dict[str, Any] = {"keep_curves": True} if self._options.curves else {}
        if how and study.measure != "score":
            raise InputError(f"--curves: the study '{study.name}' measures and does not train")
        if study.measure == "score" and isinstance(self._executor, LocalExecutor):
            finished = by_config_and_seed(contents.rows, expected)
            seeds = set(range(first_seed, first_seed + trials))
            configs = study.configs.items()
            needed = [config for key, config in configs if seeds - finished.get(key, {}).keys()]
            compile_before(map(kind_of, needed), self._executor, _on_workers)
        return run_study(
            study,
            self.store,
            self._executor,
            _on_workers(partial(measure.run, root=root, mirror=mirror, **how)),
            origins=expected,
            trials=trials,
            first_seed=first_seed,
            budget=budget,
            track=self._track,
            trial_seconds=self._options.trial_seconds,
            retry_failed=self._options.retry_failed,
            resumes=measure.resumes,
        )

    def verify(self, study: Study, rows: Sequence[Row]) -> Verification:
        """Run stored rows of a study again and compare; nothing is written."""
        from panda_gnn.evaluation.measurements import MEASURES
        from panda_gnn.evaluation.verification import verify

        where = {"root": self._options.root, "mirror": self._options.mirror}
        run = _on_workers(partial(MEASURES[study.measure].run, **where))
        return verify(rows, self._executor, run, self._print)

    def _print(self, row: Row) -> None:
        if self._log:
            print_row(row)

    def _track(self, row: Row) -> None:
        self._print(row)
        if self._tracker is not None:
            self._tracker.log(row)

    def origins(self, study: Study) -> dict[str, Origin]:
        """The code and the data of every config of a study, by its key, as rows will name them."""
        from panda_gnn.datasets import load
        from panda_gnn.datasets.fingerprint import fingerprint
        from panda_gnn.evaluation.current import origins
        from panda_gnn.evaluation.measurements import MEASURES

        for dataset in () if MEASURES[study.measure].own_graphs else study.datasets:
            if dataset not in self._data:
                where = {"root": self._options.root, "mirror": self._options.mirror}
                self._data[dataset] = fingerprint(load(dataset, **where))
        return origins(study, self._data)

    def _open_executor(self) -> WorkerExecutor:
        options = self._options
        if options.executor == "ray":
            return RayExecutor(self._workers, options.address)
        if options.executor == "slurm":
            return SlurmExecutor(
                self._workers,
                self._folder / "slurm",
                partition=options.partition,
                minutes=math.ceil(options.time / 60),
                memory=options.memory,
            )
        return LocalExecutor(self._workers)


def _on_workers(run: Callable[..., T]) -> Callable[..., T]:
    """The function, after the plugins of this process are loaded there too."""
    from panda_gnn.evaluation.plugins import LOADED, run_with_plugins

    return partial(run_with_plugins, tuple(LOADED.values()), run) if LOADED else run


def file_name(name: str) -> str:
    """A name without what cannot stand in the name of a file, such as the path of own data."""
    plain = re.sub(r"[^\w.=-]+", "_", name)
    if len(plain) <= LONGEST_NAME:
        return plain
    return f"{plain[: LONGEST_NAME - 17]}-{hashlib.sha256(name.encode()).hexdigest()[:16]}"


def print_failures(command: str, outcome: Outcome) -> None:
    """Say what failed, one sentence for each trial."""
    for failure in outcome.failures:
        print(f"panda {command}: {failure}", file=sys.stderr)


def trials(count: int) -> str:
    """So many trials, in words."""
    return f"{count} trial{'s' * (count != 1)}"


def report(command: str, outcome: Outcome, store: Store | None) -> int:
    """Say what failed and, where rows are kept, what was run and how to go on; the exit code."""
    print_failures(command, outcome)
    if store is not None:
        taken = f" and took over {outcome.adopted} from other studies" if outcome.adopted else ""
        if outcome.failed_before:
            print(
                f"{trials(outcome.failed_before)} failed in an earlier run, not tried again: "
                "panda study status shows why, --retry-failed runs what failed",
                file=sys.stderr,
            )
        left = f"{outcome.left} {'is' if outcome.left == 1 else 'are'} left"
        print(
            f"ran {trials(outcome.ran)}{taken}; {left}; rows are in {store.path}",
            file=sys.stderr,
        )
    if outcome.interrupted:
        advice = "all others are kept; the same command continues"
        if store is None:
            advice = "and with --results FOLDER all others would be kept"
        print(f"stopped: trials under way are lost, {advice}", file=sys.stderr)
        return 130
    return 1 if outcome.failures else 0
