"""``panda table``: a study's numbers beside the published ones."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.console import Console

from panda_gnn.cli.study import add_selection_arguments, selected_study
from panda_gnn.errors import InputError, choose
from panda_gnn.evaluation.epoch_selection import SELECTIONS
from panda_gnn.evaluation.store import Store
from panda_gnn.evaluation.study import study_names
from panda_gnn.reports.coverage import ENOUGH, coverage
from panda_gnn.reports.table_formats import FORMATS, terminal, text_table
from panda_gnn.reports.tables import build_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    known = ", ".join(study_names())
    parser.add_argument("name", metavar="NAME", nargs="?", help=f"a TOML file, or one of {known}")
    parser.add_argument(
        "--coverage",
        action="store_true",
        help="instead: how many of the paper's numbers have one of ours beside them",
    )
    add_selection_arguments(parser)
    parser.add_argument(
        "--format", default="terminal", metavar="NAME", help=f"{', '.join(FORMATS)} (terminal)"
    )
    parser.add_argument(
        "--selection",
        default="best-val",
        metavar="RULE",
        help=f"which epoch's test score counts: {', '.join(SELECTIONS)} (best-val)",
    )
    parser.add_argument(
        "--results", type=Path, default=Path("results"), metavar="FOLDER", help="keeps the rows"
    )


def run(options: argparse.Namespace) -> None:
    """Print the table."""
    if options.coverage:
        _print_coverage(options.results)
        return
    if options.name is None:
        raise InputError("NAME is missing: name a study, or ask for --coverage of all of them")
    render = FORMATS[choose("format", options.format, FORMATS)]
    study = selected_study(options, with_reference=True)
    contents = Store(options.results / f"{study.name}.jsonl").read()
    table = build_table(study, contents, options.selection)
    if options.format == "terminal":
        print(terminal(table, colour=sys.stdout.isatty()), end="")
    else:
        print(render(table), end="")


def _print_coverage(results: Path) -> None:
    tables = coverage(results)
    counts = [(table.published, table.measured, table.complete) for table in tables]
    total = [sum(column) for column in zip(*counts, strict=True)]
    lines = [
        [name, *map(str, numbers)]
        for name, numbers in zip(
            [*(table.table for table in tables), "all"], [*counts, total], strict=True
        )
    ]
    columns = ["table of the paper", "numbers", "measured", f"with {ENOUGH} trials"]
    caption = (
        f"rows of {results}; of times and of peptides, whose studies ask for fewer trials than "
        f"{ENOUGH}, the last column counts cells with all of them"
    )
    Console().print(text_table(columns, lines, caption=caption))
