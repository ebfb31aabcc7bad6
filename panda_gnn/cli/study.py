"""``panda study``: run the trials of a table, and see how far they are."""

from __future__ import annotations

import argparse
import sys
import threading
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from panda_gnn.cli.execution import Execution, add_execution_arguments, report
from panda_gnn.cli.options import add_data_arguments, names, seconds
from panda_gnn.errors import InputError
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.current import origins, rows_to_show
from panda_gnn.evaluation.failures import Failures
from panda_gnn.evaluation.measurements import MEASURES
from panda_gnn.evaluation.migration import migrate
from panda_gnn.evaluation.run import describe
from panda_gnn.evaluation.schedule import Trial
from panda_gnn.evaluation.store import Store, by_config_and_seed
from panda_gnn.evaluation.study import Study, at_least_one, best_candidate, load_study, study_names
from panda_gnn.evaluation.verification import sample_rows, sentences


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    known = ", ".join(study_names())
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    run_parser = actions.add_parser(
        "run",
        help="run what is not finished yet",
        description="Run the trials of a study that are not finished yet. Running it again "
        "continues; more trials extend it.",
    )
    run_parser.add_argument("name", metavar="NAME", help=f"a TOML file, or one of {known}")
    add_selection_arguments(run_parser)
    run_parser.add_argument("--trials", type=int, metavar="N", help="seeds of a cell (the study's)")
    run_parser.add_argument(
        "--budget",
        metavar="TIME",
        help="start no trial after this time (30m, 1h30m); trials go where one more tells most",
    )
    run_parser.add_argument(
        "--trial-seconds", type=float, metavar="S", help="a trial that takes longer has failed"
    )
    run_parser.add_argument(
        "--retry-failed", action="store_true", help="run trials again that failed before"
    )
    add_execution_arguments(run_parser)
    status_parser = actions.add_parser(
        "status",
        help="how many trials are finished",
        description="How many trials of a study are finished; without a name, of all studies.",
    )
    status_parser.add_argument("name", metavar="NAME", nargs="?", help=f"one of {known}")
    add_selection_arguments(status_parser)
    status_parser.add_argument(
        "--results", type=Path, default=Path("results"), metavar="FOLDER", help="keeps the rows"
    )
    verify_parser = actions.add_parser(
        "verify",
        help="run some of the stored trials again and compare",
        description="Run a random sample of a study's rows again and compare: bit for bit with "
        "rows of the same processor and versions, by the test score with others. Nothing is "
        "written.",
    )
    verify_parser.add_argument("name", metavar="NAME", help=f"a TOML file, or one of {known}")
    add_selection_arguments(verify_parser)
    verify_parser.add_argument("--sample", type=int, default=20, metavar="N", help="rows (20)")
    verify_parser.add_argument("--seed", type=int, default=0, help="decides which rows (0)")
    add_execution_arguments(verify_parser)
    migrate_parser = actions.add_parser(
        "migrate",
        help="give rows of earlier versions what rows have today",
        description="Give rows that do not name their data the fingerprint of their dataset, the "
        "versions of their task and method, and a checksum, after a check against the data at "
        "hand. No score changes. Run it while no study is running.",
    )
    migrate_parser.add_argument(
        "--results", type=Path, default=Path("results"), metavar="FOLDER", help="keeps the rows"
    )
    add_data_arguments(migrate_parser)


def add_selection_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that take a part of a study."""
    for what in ("datasets", "backbones", "methods"):
        parser.add_argument(f"--{what}", metavar="NAMES", help=f"only these {what} (all)")


def selected_study(options: argparse.Namespace, *, with_reference: bool = False) -> Study:
    """The part of the study that the options ask for, if need be with what it is compared with."""
    study = load_study(options.name)
    methods = names(options.methods)
    if methods and with_reference and study.difference.method in study.methods:
        methods.append(study.difference.method)
    return study.select(names(options.datasets), names(options.backbones), methods)


def run(options: argparse.Namespace) -> int:
    """Run trials, show how many there are, verify or migrate their rows."""
    actions = {"run": _run, "status": _status, "verify": _verify, "migrate": _migrate}
    return actions[options.action](options)


def _run(options: argparse.Namespace) -> int:
    study = selected_study(options)
    trials = study.trials if options.trials is None else at_least_one("--trials", options.trials)
    budget = None if options.budget is None else seconds("--budget", options.budget)
    limit = options.trial_seconds
    if limit is not None and not 0 < limit < threading.TIMEOUT_MAX:
        raise InputError(f"--trial-seconds is {limit:g}, it must be a number above 0")
    with Execution(options, study.name, alone=MEASURES[study.measure].alone) as execution:
        outcome = execution.run(
            study,
            trials=trials,
            budget=budget,
            trial_seconds=limit,
            retry_failed=options.retry_failed,
        )
    return report("study", outcome, execution.store)


def _verify(options: argparse.Namespace) -> int:
    study = selected_study(options)
    measure = MEASURES[study.measure]
    if measure.alone:
        raise InputError(f"the study '{study.name}' measures times, which no run gives twice")
    with Execution(options, study.name) as execution:
        finished = by_config_and_seed(execution.store.read().rows, execution.origins(study))
        rows = sample_rows(finished, at_least_one("--sample", options.sample), options.seed)
        verification = execution.verify(study, rows)
    for sentence in sentences(verification):
        print(sentence)
    return 1 if verification.different or verification.failed else 0


def _migrate(options: argparse.Namespace) -> int:
    paths = sorted(options.results.glob("*.jsonl"))
    if not paths:
        raise InputError(f"--results is '{options.results}', a folder without rows (*.jsonl)")
    left = 0
    for path in paths:
        migrated = migrate(Store(path), options.root, options.mirror)
        left += len(migrated.problems)
        print(f"{path}: {migrated.count} rows migrated")
        for problem in migrated.problems:
            print(f"panda study: {problem}", file=sys.stderr)
    return 1 if left else 0


def _status(options: argparse.Namespace) -> int:
    if options.name is None:
        for name in study_names():
            rows = Store(options.results / f"{name}.jsonl").read().rows
            print(f"{name:20} {len(rows):6} rows  {load_study(name).title}")
        return 0
    study = selected_study(options)
    store = Store(options.results / f"{study.name}.jsonl")
    contents = store.read()
    finished, remarks = rows_to_show(study, contents.rows)
    grid = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    grid.add_column("line", no_wrap=True)
    for dataset in study.datasets:
        grid.add_column(dataset, justify="right")
    counts: dict[str, dict[str, str]] = {}
    for cell in study.cells:
        choice = best_candidate(cell, finished, study.choose_on)
        count = 0 if choice is None else len(finished.get(choice.config.key, {}))
        line = " ".join(
            str(part)
            for part in (cell.line.backbone, cell.line.method, cell.line.variant)
            if part is not None
        )
        mark = "" if choice is None or choice.settled else " (choosing settings)"
        counts.setdefault(line, {})[cell.dataset] = f"{count}{mark}"
    for line, by_dataset in counts.items():
        grid.add_row(line, *(by_dataset.get(dataset, "") for dataset in study.datasets))
    print(f"{study.title}: finished trials of {study.trials}")
    Console().print(grid)
    for failure in Failures(store, origins(study)).unfinished(finished):
        trial = Trial(Config.from_dict(failure["config"]), failure["seed"])
        print(f"failed: {describe(trial)}: {failure['reason']}")
    for remark in (*contents.problems, *remarks):
        print(f"panda study: {remark}", file=sys.stderr)
    return 0
