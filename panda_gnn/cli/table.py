"""``panda table``: a study's numbers beside the published ones."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from rich.console import Console

from panda_gnn.cli.study import add_selection_arguments, selected_study
from panda_gnn.errors import InputError, choose
from panda_gnn.evaluation.epoch_selection import SELECTIONS
from panda_gnn.evaluation.store import Store
from panda_gnn.evaluation.study import study_names
from panda_gnn.reports.coverage import ENOUGH, coverage
from panda_gnn.reports.table_formats import (
    FORMATS,
    WIDTH,
    mean_and_interval,
    pipes,
    terminal,
    text_table,
)
from panda_gnn.reports.tables import build_table
from panda_gnn.reports.verdicts import verdicts

Lines = list[list[str]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    known = ", ".join(study_names())
    parser.add_argument("name", metavar="NAME", nargs="?", help=f"a TOML file, or one of {known}")
    parser.add_argument(
        "--coverage",
        action="store_true",
        help="instead: how many of the paper's numbers have one of ours beside them",
    )
    parser.add_argument(
        "--claims",
        action="store_true",
        help="instead: what became of the paper's claims (terminal or markdown)",
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
    if options.coverage or options.claims:
        _print_lines(
            _coverage(options.results) if options.coverage else _claims(options.results),
            options.format,
        )
        return
    if options.name is None:
        raise InputError("NAME is missing: name a study, or ask for --coverage or --claims")
    render = FORMATS[choose("format", options.format, FORMATS)]
    study = selected_study(options, with_reference=True)
    contents = Store(options.results / f"{study.name}.jsonl").read()
    table = build_table(study, contents, options.selection)
    if options.format == "terminal":
        print(terminal(table, colour=sys.stdout.isatty()), end="")
    else:
        print(render(table), end="")


def _coverage(results: Path) -> Lines:
    """The numbers of the paper that are measured, table by table.

    Of times and of peptides, whose studies ask for fewer trials, the last column counts cells with
    all of them.
    """
    tables = coverage(results)
    counts = [(table.published, table.measured, table.complete) for table in tables]
    total = [sum(column) for column in zip(*counts, strict=True)]
    names = [*(table.table for table in tables), "all"]
    return [
        ["table of the paper", "numbers", "measured", f"with {ENOUGH} trials"],
        *([name, *map(str, row)] for name, row in zip(names, [*counts, total], strict=True)),
    ]


def _claims(results: Path) -> Lines:
    """The paper's claims with both differences, ours on n shared splits, and the verdict."""
    names = ["line", "dataset", "better than", "by", "ours (best-val)", "n", "verdict", "the paper"]
    lines = [[*names, "command"]]
    for found in verdicts(results):
        claim, ours = found.claim, found.ours
        digits = found.unit.digits
        lines.append(
            [
                " ".join(claim.line),
                claim.dataset,
                ("as " if claim.equal else "") + " ".join(claim.reference),
                "" if found.published is None else f"{found.published:+.{digits}f}",
                "" if ours is None else mean_and_interval(ours, found.unit, "+"),
                "" if ours is None else str(ours.n),
                found.verdict,
                claim.says,
                f"`panda table {claim.study} --datasets {claim.dataset}`",
            ]
        )
    return lines


def _print_lines(lines: Lines, form: str) -> None:
    head, *rows = lines
    if form == "markdown":
        print("\n".join(pipes(line) for line in (head, ["---"] * len(head), *rows)))
    elif form == "terminal":
        if head[-1] == "command":
            head, rows = head[:-1], [row[:-1] for row in rows]
        Console(width=max(WIDTH, shutil.get_terminal_size().columns)).print(text_table(head, rows))
    else:
        raise InputError(f"--format is '{form}', it must be terminal or markdown here")
