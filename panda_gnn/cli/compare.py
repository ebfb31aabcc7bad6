"""``panda compare``: methods beside their backbone, seed by seed on shared splits."""

from __future__ import annotations

import argparse

from rich import box
from rich.console import Console, JustifyMethod
from rich.table import Table

from panda_gnn.cli.training import add_training_arguments, make_config, run_trials
from panda_gnn.datasets import DATASETS, load
from panda_gnn.errors import choose
from panda_gnn.evaluation.methods import METHODS
from panda_gnn.evaluation.protocol import SELECTIONS
from panda_gnn.evaluation.statistics import Difference, Summary, paired_difference, summarise
from panda_gnn.reports.published import published


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument(
        "--methods",
        default="panda",
        metavar="NAMES",
        help=f"what to set beside the plain backbone (panda), among {', '.join(METHODS)}",
    )
    add_training_arguments(parser, trials=10)


def run(options: argparse.Namespace) -> None:
    """Train all methods on the same splits and print them side by side."""
    choose("selection", options.selection, SELECTIONS)
    names = ["none"] + [name for name in options.methods.split(",") if name and name != "none"]
    configs = {name: make_config(options, name) for name in names}
    load(options.dataset, root=options.root, mirror=options.mirror)
    seeds = range(options.seed, options.seed + options.trials)
    rows = run_trials(list(configs.values()), seeds, options)
    scores = {
        name: {
            seed: 100 * row["scores"][options.selection]["test"]
            for seed, row in rows[config.key].items()
        }
        for name, config in configs.items()
    }
    metric = DATASETS[options.dataset].metric
    table = Table(
        title=f"{DATASETS[options.dataset].printed}: test {metric} in %, selection "
        f"{options.selection}, {options.trials} trials on shared splits",
        caption="± is the 95 % interval of the mean, p that of the paired t-test; the paper has "
        "100 trials and another selection",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    for column in ("method", "parameters", "ours", "difference", "p", "paper"):
        justify: JustifyMethod = "left" if column == "method" else "right"
        table.add_column(column, justify=justify, no_wrap=True)
    for name, config in configs.items():
        parameters = rows[config.key][options.seed]["parameters"]["trained"]
        difference = paired_difference(scores[name], scores["none"]) if name != "none" else None
        paper = published("main", options.backbone, name, options.dataset)
        table.add_row(
            options.backbone.upper() if name == "none" else f"+ {name}",
            f"{parameters:,}",
            _with_interval(summarise(list(scores[name].values()))),
            "" if difference is None else _with_interval(difference, "+"),
            "" if difference is None or difference.p is None else f"{difference.p:.4f}",
            "" if paper is None else paper.printed,
        )
    console = Console()
    console.print(table)
    for name, config in configs.items():
        settings = ", ".join(f"{key}={value}" for key, value in config.settings.items())
        if settings:
            console.print(f"{name}: {settings}", highlight=False)


def _with_interval(value: Summary | Difference, sign: str = "") -> str:
    interval = "" if value.interval is None else f" ± {value.interval:.2f}"
    return f"{value.mean:{sign}.2f}{interval}"
