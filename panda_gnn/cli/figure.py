"""``panda figure``: a figure of the paper, the CSV behind it and its caption."""

from __future__ import annotations

import argparse
from pathlib import Path

from panda_gnn.cli.execution import Execution, add_execution_arguments, report
from panda_gnn.cli.names import names_of
from panda_gnn.cli.options import add_choice, add_whole, command_line, names, one_of
from panda_gnn.errors import InputError, choose
from panda_gnn.reports.drawing.style import PICTURES, TEMPLATES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    figures = names_of("figures")
    width = max(map(len, figures))
    parser.epilog = "figures:\n" + "\n".join(
        f"  {name:{width}}  {summary}" for name, summary in figures.items()
    )
    parser.add_argument(
        "name", type=one_of("figure", figures), metavar="NAME", help="which figure, see below"
    )
    parser.add_argument(
        "--dataset", nargs="+", metavar="NAME", help="datasets (those of the paper's figure)"
    )
    add_whole(parser, "--trials", "repetitions (the figure's own)")
    add_whole(parser, "--graphs", "measure N graphs of each dataset (all)")
    parser.add_argument(
        "--output",
        "--out",
        type=Path,
        default=Path("figures"),
        metavar="FOLDER",
        help="where to (figures)",
    )
    parser.add_argument(
        "--format",
        type=names,
        default=["png", "svg"],
        metavar="NAMES",
        help=f"of the pictures, separated by commas: {', '.join(PICTURES)} (png,svg)",
    )
    add_choice(parser, "--template", TEMPLATES, "icml", "whose columns it fits")
    parser.add_argument(
        "--caption", action="store_true", help="put the caption into the picture too"
    )
    add_execution_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Measure what is not in the store yet, draw the figure and say where it is."""
    from panda_gnn.reports.figures import FIGURES, Request, figure_study, make_figure

    if not options.format:
        raise InputError(f"--format is empty: name one or more of {', '.join(PICTURES)}")
    for name in options.format:
        choose("format", name, PICTURES)
    kind = FIGURES[options.name]
    request = Request(
        datasets=kind.datasets if options.dataset is None else tuple(options.dataset),
        trials=kind.trials if options.trials is None else options.trials,
        graphs=options.graphs,
        results=options.results,
        command=command(options),
        root=options.root,
        mirror=options.mirror,
    )
    study = figure_study(options.name, request)
    if study is not None:
        with Execution(options, study.name) as execution:
            outcome = execution.run(study, trials=request.trials)
        code = report("figure", outcome, execution.store)
        if code:
            return code
    paths = make_figure(
        options.name,
        request,
        options.output,
        sheet=TEMPLATES[options.template],
        formats=options.format,
        with_caption=options.caption,
    )
    for path in paths:
        print(path)
    return 0


def command(options: argparse.Namespace) -> str:
    """The command line that makes the same figure again."""
    datasets = [] if options.dataset is None else ["--dataset", *options.dataset]
    words = command_line("figure", options, options.name, *datasets, trials=None, graphs=None)
    return " ".join(words)
