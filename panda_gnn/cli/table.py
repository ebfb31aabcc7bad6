"""``panda table``: a study's numbers beside the published ones."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from panda_gnn.cli.study import add_selection_arguments, selected_study
from panda_gnn.errors import choose
from panda_gnn.evaluation.epoch_selection import SELECTIONS
from panda_gnn.evaluation.store import Store
from panda_gnn.evaluation.study import study_names
from panda_gnn.reports.table_formats import FORMATS, terminal
from panda_gnn.reports.tables import build_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    known = ", ".join(study_names())
    parser.add_argument("name", metavar="NAME", help=f"a TOML file, or one of {known}")
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
    render = FORMATS[choose("format", options.format, FORMATS)]
    study = selected_study(options, with_reference=True)
    contents = Store(options.results / f"{study.name}.jsonl").read()
    table = build_table(study, contents, options.selection)
    if options.format == "terminal":
        print(terminal(table, colour=sys.stdout.isatty()), end="")
    else:
        print(render(table), end="")
