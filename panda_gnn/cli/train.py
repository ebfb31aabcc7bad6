"""``panda train``: one method on one dataset, trial by trial."""

from __future__ import annotations

import argparse

from rich.console import Console
from rich.table import Table

from panda_gnn.cli.training import add_training_arguments, make_config, run_trials
from panda_gnn.datasets import load
from panda_gnn.errors import choose
from panda_gnn.evaluation.protocol import SELECTIONS
from panda_gnn.evaluation.statistics import summarise


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--method", default="panda", metavar="NAME", help="method (panda)")
    add_training_arguments(parser, trials=3)


def run(options: argparse.Namespace) -> None:
    """Train and print the scores of every trial."""
    choose("selection", options.selection, SELECTIONS)
    config = make_config(options, options.method)
    load(config.dataset, root=options.root, mirror=options.mirror)
    seeds = range(options.seed, options.seed + options.trials)
    rows = run_trials([config], seeds, options)[config.key]
    settings = ", ".join(f"{name}={value}" for name, value in config.settings.items())
    table = Table(title=f"{config.dataset}, {config.backbone}, {config.method} {settings}".strip())
    for column in ("seed", "epochs", "epoch chosen", "validation", "test", "seconds"):
        table.add_column(column, justify="right")
    for seed in seeds:
        row = rows[seed]
        score = row["scores"][options.selection]
        table.add_row(
            str(seed),
            str(row["epochs"]),
            str(score["epoch"] + 1),
            f"{100 * score['validation']:.2f}",
            f"{100 * score['test']:.2f}",
            f"{row['seconds']:.1f}",
        )
    summary = summarise([100 * row["scores"][options.selection]["test"] for row in rows.values()])
    interval = "" if summary.interval is None else f" ± {summary.interval:.2f}"
    console = Console()
    console.print(table)
    console.print(
        f"test {row['metric']} ({options.selection}): {summary.mean:.2f}{interval} %, "
        f"n = {summary.n}; parameters: {row['parameters']['trained']:,} trained, "
        f"{row['parameters']['never_trained']:,} never trained"
    )
