"""``panda report``: pages to look at, made from the rows of any store."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

from panda_gnn.cli.options import add_rows_argument, command_line, rows_folder
from panda_gnn.cli.own import add_plugin_argument
from panda_gnn.errors import InputError
from panda_gnn.evaluation.bundled import study_names


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument(
        "names",
        metavar="STUDY",
        nargs="*",
        help=f"TOML files, names of stores, or some of {', '.join(study_names())} (all with rows)",
    )
    parser.add_argument(
        "--output", type=Path, default=Path("report"), metavar="FOLDER", help="where to (report)"
    )
    add_plugin_argument(parser)
    add_rows_argument(parser)


def run(options: argparse.Namespace) -> None:
    """Write a page for each study and one that leads to them."""
    from panda_gnn.reports.coverage import coverage
    from panda_gnn.reports.pages.frame import write_page
    from panda_gnn.reports.report.numbers import named_studies, studies_in, study_report
    from panda_gnn.reports.report.page import index_page, study_page
    from panda_gnn.reports.verdicts import verdicts

    left_out: dict[str, str] = {}
    results = rows_folder("report", options.results)
    if options.names:
        studies = named_studies(options.names, results)
    else:
        studies, left_out = studies_in(results)
    for store, why in left_out.items():
        print(f"{store} has no page: {why}", file=sys.stderr)
    if not studies:
        raise InputError(
            f"--results is '{results}', a folder without rows of a study that has a table"
        )
    line = command(options)
    found = verdicts(results)
    reports = [study_report(study, results) for study in studies]
    for report in reports:
        name = report.study.name
        of_study = [verdict for verdict in found if verdict.claim.study == name]
        write_page(options.output / f"{name}.html", study_page(report, of_study, line))
    measured = [verdict for verdict in found if verdict.ours is not None]
    covered = coverage(results) if measured else []
    index = options.output / "index.html"
    write_page(index, index_page(reports, left_out, covered, measured and found, line))
    print(index)


def command(options: argparse.Namespace) -> str:
    """The command line that makes the same report again."""
    plugins = (word for plugin in options.plugin for word in ("--plugin", plugin))
    words = (*options.names, "--output", str(options.output), *plugins)
    return shlex.join(command_line("report", options, *words, results=None))
