"""``panda study``: run the trials of a table, and see how far they are."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from panda_gnn.cli.execution import Execution, add_execution_arguments, report
from panda_gnn.cli.options import (
    add_data_arguments,
    add_json_argument,
    add_names_arguments,
    add_results_argument,
    add_rows_argument,
    add_rule_argument,
    add_study_argument,
    add_whole,
    rows_folder,
    seconds,
)
from panda_gnn.errors import InputError
from panda_gnn.evaluation.bundled import stored_rows, study_names
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.store import Store, by_config_and_seed
from panda_gnn.options import real_number

if TYPE_CHECKING:  # options are read, and explained, without torch
    from panda_gnn.evaluation.statistics import Difference
    from panda_gnn.evaluation.study import Study


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def add_action(name: str, summary: str, description: str) -> argparse.ArgumentParser:
        action = actions.add_parser(name, help=summary, description=description)
        add_study_argument(action)
        add_selection_arguments(action)
        return action

    run_parser = add_action(
        "run",
        "run what is not finished yet",
        "Run the trials of a study that are not finished yet. Running it again continues; more "
        "trials extend it.",
    )
    add_whole(run_parser, "--trials", "seeds of a cell (the study's)")
    run_parser.add_argument(
        "--budget",
        type=seconds,
        metavar="TIME",
        help="start no trial after this time (30m, 1h30m); trials go where one more tells most",
    )
    add_execution_arguments(run_parser)
    status_parser = actions.add_parser(
        "status",
        help="how many trials are finished",
        description="How many trials of a study are finished; without a name, of all studies.",
    )
    add_study_argument(status_parser, "?")
    add_selection_arguments(status_parser)
    add_json_argument(status_parser)
    add_rows_argument(status_parser)
    verify_parser = add_action(
        "verify",
        "run some of the stored trials again and compare",
        "Run a random sample of a study's rows again and compare: bit for bit with rows of the "
        "same processor and versions, by the test score with others. Nothing is written.",
    )
    add_whole(verify_parser, "--sample", "rows", 20)
    add_whole(verify_parser, "--seed", "decides which rows", 0, least=0)
    add_execution_arguments(verify_parser)
    power_parser = add_action(
        "power",
        "how many trials a difference needs",
        "How many trials are needed to see a difference with a chance of 80 %, by the corrected "
        "resampled t-test on the 5 % level and by the naive one, from the spread of the paired "
        "differences that are stored. No number of splits of one dataset sees less than the "
        "smallest difference.",
    )
    power_parser.add_argument(
        "--difference", type=float, default=5.0, metavar="D", help="the difference, in points (5)"
    )
    add_rule_argument(power_parser)
    add_rows_argument(power_parser)
    migrate_parser = actions.add_parser(
        "migrate",
        help="give rows of earlier versions what rows have today",
        description="Give rows that do not name their data the fingerprint of their dataset, the "
        "versions of their task and method, and a checksum, after a check against the data at "
        "hand. No score changes. Run it while no study is running.",
    )
    add_results_argument(migrate_parser)
    add_data_arguments(migrate_parser)


def add_selection_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that take a part of a study."""
    add_names_arguments(parser, "only these", ("datasets", "backbones", "methods"))


def selected_study(options: argparse.Namespace, *, with_reference: bool = False) -> Study:
    """The part of the study that the options ask for, if need be with what it is compared with."""
    from panda_gnn.evaluation.study import load_study

    study = load_study(options.name)
    methods = options.methods
    if methods and with_reference and study.difference.method in study.methods:
        methods = [*methods, study.difference.method]
    return study.select(options.datasets, options.backbones, methods)


def run(options: argparse.Namespace) -> int:
    """Run trials, show how many there are or would be needed, verify or migrate their rows."""
    actions = {
        "run": _run,
        "status": _status,
        "power": _power,
        "verify": _verify,
        "migrate": _migrate,
    }
    return actions[options.action](options)


def _run(options: argparse.Namespace) -> int:
    from panda_gnn.evaluation.measurements import MEASURES

    study = selected_study(options)
    with Execution(options, study.name, alone=MEASURES[study.measure].alone) as execution:
        outcome = execution.run(study, trials=options.trials or study.trials, budget=options.budget)
    return report("study", outcome, execution.store)


def _verify(options: argparse.Namespace) -> int:
    from panda_gnn.evaluation.measurements import MEASURES
    from panda_gnn.evaluation.verification import sample_rows, sentences

    study = selected_study(options)
    measure = MEASURES[study.measure]
    if measure.alone:
        raise InputError(f"the study '{study.name}' measures times, which no run gives twice")
    with Execution(options, study.name) as execution:
        finished = by_config_and_seed(execution.store.read().rows, execution.origins(study))
        rows = sample_rows(finished, options.sample, options.seed)
        verification = execution.verify(study, rows)
    for sentence in sentences(verification):
        print(sentence)
    return 1 if verification.different or verification.failed else 0


def _power(options: argparse.Namespace) -> int:
    from rich.console import Console

    from panda_gnn.reports.table_formats import WIDTH, text_table
    from panda_gnn.reports.tables import build_table

    study = selected_study(options, with_reference=True)
    real_number("--difference", options.difference, "a number above 0", above=0)
    contents = stored_rows(rows_folder("study", options.results, options.name), study.name).read()
    table = build_table(study, contents, options.selection)
    rows = [
        (block.name, table.label(entry.line), *_needed(entry.difference, options.difference))
        for block in table.blocks
        for entry in block.entries
        if entry.difference is not None and entry.difference.deviation is not None
    ]
    if not rows:
        raise InputError(
            f"the study '{study.name}' has no two finished trials of two methods on shared splits"
        )
    print(f"{study.title}: trials to see a difference of {options.difference:g} in 80 % of cases")
    columns = ("block", table.difference_name, "n", "deviation", "trials", "naive", "smallest")
    Console(width=WIDTH).print(text_table(columns, rows))
    return 0


def _needed(stored: Difference, difference: float) -> tuple[str, ...]:
    """Stored pairs, their deviation, the trials that both tests need, and what no number sees."""
    from panda_gnn.evaluation.statistics import MOST_TRIALS, smallest_difference, trials_needed

    deviation = stored.deviation or 0.0
    smallest = smallest_difference(deviation, stored.ratio)
    corrected, naive = (
        trials_needed(difference, deviation, ratio) for ratio in (stored.ratio, 0.0)
    )
    many = f"> {MOST_TRIALS}"
    never = "never" if difference <= smallest else many
    return (
        str(stored.n),
        f"{deviation:.2f}",
        str(corrected or never),
        str(naive or many),
        f"{smallest:.2f}",
    )


def _migrate(options: argparse.Namespace) -> int:
    from panda_gnn.evaluation.migration import migrate

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
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from panda_gnn.evaluation.current import origins, rows_to_show
    from panda_gnn.evaluation.failures import Failures
    from panda_gnn.evaluation.run import describe
    from panda_gnn.evaluation.schedule import Trial
    from panda_gnn.evaluation.study import best_candidate, load_study

    results = rows_folder("study", options.results, options.name)
    if options.name is None:
        counted = {name: len(stored_rows(results, name).read().rows) for name in study_names()}
        if options.json:
            print(json.dumps(counted, indent=1))
            return 0
        print(f"rows in {results}:")
        for name, count in counted.items():
            print(f"{name:20} {count:6} rows  {load_study(name).title}")
        return 0
    study = selected_study(options)
    store = stored_rows(results, study.name)
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
    if options.json:
        print(
            json.dumps({"study": study.name, "trials": study.trials, "finished": counts}, indent=1)
        )
        return 0
    print(f"{study.title}: finished trials of {study.trials}, rows of {store.path}")
    Console().print(grid)
    for failure in Failures(store, origins(study)).unfinished(finished):
        trial = Trial(Config.from_dict(failure["config"]), failure["seed"])
        print(f"failed: {describe(trial)}: {failure['reason']}")
    for remark in (*contents.problems, *remarks):
        print(f"panda study: {remark}", file=sys.stderr)
    return 0
