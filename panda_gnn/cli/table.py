"""``panda table``: a study's numbers beside the published ones."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path

from panda_gnn.cli.names import names_of
from panda_gnn.cli.options import (
    add_choice,
    add_rows_argument,
    add_rule_argument,
    add_study_argument,
    rows_folder,
)
from panda_gnn.cli.own import add_plugin_argument
from panda_gnn.cli.study import add_selection_arguments, selected_study
from panda_gnn.errors import InputError
from panda_gnn.evaluation.bundled import stored_rows

Lines = list[list[str]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    add_study_argument(parser, "?")
    parser.add_argument(
        "--coverage",
        action="store_true",
        help="instead: how many of the paper's numbers have one of ours beside them",
    )
    parser.add_argument(
        "--claims",
        action="store_true",
        help="instead: what became of the paper's claims (terminal, markdown or json)",
    )
    parser.add_argument(
        "--answers",
        action="store_true",
        help="only the answers to the study's questions (terminal, markdown or json)",
    )
    add_selection_arguments(parser)
    add_choice(parser, "--format", names_of("formats"), "terminal")
    parser.add_argument(
        "--json", dest="format", action="store_const", const="json", help="--format json"
    )
    add_plugin_argument(parser)
    add_rule_argument(parser)
    add_rows_argument(parser)


def run(options: argparse.Namespace) -> None:
    """Print the table."""
    from panda_gnn.reports.table_formats import FORMATS, answers, answers_grid, terminal
    from panda_gnn.reports.tables import build_table

    if options.coverage or options.claims:
        results = rows_folder("table", options.results)
        _print_lines(_coverage(results) if options.coverage else _claims(results), options.format)
        return
    if options.name is None:
        raise InputError("NAME is missing: name a study, or ask for --coverage or --claims")
    study = selected_study(options, with_reference=True)
    contents = stored_rows(rows_folder("table", options.results, options.name), study.name).read()
    table = build_table(study, contents, options.selection)
    if options.answers:
        if not table.answers:
            raise InputError(f"the study '{study.name}' asks no question about these lines")
        if options.format == "terminal":
            print("\n".join(answers(table)))
        else:
            _print_lines(answers_grid(table), options.format)
    elif options.format == "terminal":
        print(terminal(table, colour=sys.stdout.isatty()), end="")
    else:
        print(FORMATS[options.format](table), end="")


def _coverage(results: Path) -> Lines:
    """The numbers of the paper that are measured, table by table.

    Of times and of peptides, whose studies ask for fewer trials, the last column counts cells with
    all of them.
    """
    from panda_gnn.reports.coverage import ENOUGH, coverage

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
    from panda_gnn.reports.table_formats import verdict_cells
    from panda_gnn.reports.verdicts import verdicts

    names = ["line", "dataset", "better than", "by", "ours (best-val)", "n", "verdict", "the paper"]
    lines = [[*names, "command"]]
    for found in verdicts(results):
        claim = found.claim
        command = f"`panda table {claim.study} --datasets {claim.dataset}`"
        lines.append([*verdict_cells(found), command])
    return lines


def _print_lines(lines: Lines, form: str) -> None:
    from rich.console import Console

    from panda_gnn.reports.table_formats import WIDTH, pipes, text_table

    head, *rows = lines
    if form == "markdown":
        print("\n".join(pipes(line) for line in (head, ["---"] * len(head), *rows)))
    elif form == "terminal":
        if head[-1] == "command":
            head, rows = head[:-1], [row[:-1] for row in rows]
        Console(width=max(WIDTH, shutil.get_terminal_size().columns)).print(text_table(head, rows))
    elif form == "json":
        print(json.dumps([dict(zip(head, row, strict=True)) for row in rows], indent=1))
    else:
        raise InputError(f"--format is '{form}', it must be terminal, markdown or json here")
