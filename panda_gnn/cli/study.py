"""``panda study``: run the trials of a table, and see how far they are."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from panda_gnn.cli.execution import Execution, add_execution_arguments, names, report, seconds
from panda_gnn.errors import choose
from panda_gnn.evaluation.measurements import MEASURES
from panda_gnn.evaluation.protocol import SELECTIONS
from panda_gnn.evaluation.results import chosen, code_to_show, of_code
from panda_gnn.evaluation.store import Store
from panda_gnn.evaluation.study import Study, at_least_one, load_study, study_names


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
        help="start no trial after this time (30m, 1h30m); trials go where the interval is widest",
    )
    run_parser.add_argument(
        "--selection",
        default="best-val",
        metavar="RULE",
        help=f"whose intervals a budget looks at: {', '.join(SELECTIONS)} (best-val)",
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
    """Run trials, or show how many there are."""
    return _run(options) if options.action == "run" else _status(options)


def _run(options: argparse.Namespace) -> int:
    study = selected_study(options)
    choose("selection", options.selection, SELECTIONS)
    trials = study.trials if options.trials is None else at_least_one("--trials", options.trials)
    budget = None if options.budget is None else seconds("--budget", options.budget)
    with Execution(options, study.name, alone=MEASURES[study.measure].alone) as execution:
        outcome = execution.run(study, trials=trials, selection=options.selection, budget=budget)
    return report("study", outcome, execution.store)


def _status(options: argparse.Namespace) -> int:
    if options.name is None:
        for name in study_names():
            rows = Store(options.results / f"{name}.jsonl").read().rows
            print(f"{name:20} {len(rows):6} rows  {load_study(name).title}")
        return 0
    study = selected_study(options)
    contents = Store(options.results / f"{study.name}.jsonl").read()
    code, remarks = code_to_show(contents.rows, MEASURES[study.measure].code)
    finished = of_code(contents.rows, code)
    grid = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    grid.add_column("line", no_wrap=True)
    for dataset in study.datasets:
        grid.add_column(dataset, justify="right")
    counts: dict[str, dict[str, str]] = {}
    for cell in study.cells:
        choice = chosen(cell, finished, study.choose_on)
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
    for remark in (*contents.problems, *remarks):
        print(f"panda study: {remark}", file=sys.stderr)
    return 0
