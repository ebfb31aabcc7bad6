"""``panda compare``: methods beside their backbone, seed by seed on shared splits."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from textwrap import fill

from panda_gnn.cli.names import names_of
from panda_gnn.cli.options import names
from panda_gnn.cli.training import add_training_arguments, run_methods, settings_in_words


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    known = ", ".join(names_of("methods"))
    parser.add_argument(
        "--methods",
        type=names,
        default=["panda"],
        metavar="NAMES",
        help=f"what to set beside the plain backbone (panda), among {known}",
    )
    add_training_arguments(parser, trials=10)


def run(options: argparse.Namespace) -> int:
    """Train all methods on the same splits and print them side by side."""
    from panda_gnn.reports.table_formats import NARROW, as_json, terminal
    from panda_gnn.reports.tables import build_table

    wrapped = partial(fill, width=NARROW, subsequent_indent="  ", break_on_hyphens=False)
    methods = dict.fromkeys(["none", *options.methods])
    study, contents, status = run_methods("compare", options, list(methods))
    table = build_table(study, contents, options.selection, parameters=True)
    if options.json:
        print(as_json(table), end="")
        return status
    print(terminal(table, colour=sys.stdout.isatty(), narrow=True), end="")
    parameters = {
        entry.line.method: f"{entry.parameters:,} parameters"
        for block in table.blocks
        for entry in block.entries
        if entry.parameters is not None
    }
    for cell in study.cells:
        known = parameters.get(cell.line.method, ""), settings_in_words(cell.candidates[0])
        if any(known):
            print(wrapped(f"{cell.line.method}: {'; '.join(filter(None, known))}"))
    return status
