"""``panda train``: one method on one dataset, trial by trial."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from panda_gnn.cli.options import add_method_argument
from panda_gnn.cli.training import (
    add_training_arguments,
    make_config,
    run_methods,
    settings_in_words,
)

if TYPE_CHECKING:  # options are read, and explained, without torch
    from panda_gnn.evaluation.config import Config
    from panda_gnn.evaluation.store import Row


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    add_method_argument(parser)
    add_training_arguments(parser, trials=3)
    parser.add_argument(
        "--save",
        type=Path,
        metavar="FOLDER",
        help="then train once more, on all data but a tenth for validation, and keep the model",
    )
    parser.add_argument(
        "--overwrite", action="store_true", help="replace the model that --save finds in FOLDER"
    )


def run(options: argparse.Namespace) -> int:
    """Train, print the scores of every trial, and keep a model."""
    from panda_gnn.estimators.configured import configured, fit_on
    from panda_gnn.estimators.files import check_free
    from panda_gnn.evaluation.tasks import load_data

    model = None
    if options.save is not None:
        model = configured(make_config(options, options.method), options.seed)
        check_free(options.save, overwrite=options.overwrite)
    study, contents, status = run_methods("train", options, [options.method])
    config = study.cells[0].candidates[0]
    seeds = range(options.seed, options.seed + options.trials)
    rows = [row for row in contents.rows if row["key"] == config.key and row["seed"] in seeds]
    if not rows:
        return status
    if options.json:
        print(json.dumps({"config": config.to_dict(), "rows": rows}, indent=1))
    else:
        _show(options, config, rows)
    if model is not None:
        fit_on(model, load_data(config.dataset, options.root, options.mirror)).save(options.save)
        print(f"the model is in {options.save}", file=sys.stderr)
    return status


def _show(options: argparse.Namespace, config: Config, rows: list[Row]) -> None:
    from rich.console import Console
    from rich.table import Table

    from panda_gnn.evaluation.statistics import summarise
    from panda_gnn.evaluation.store import score
    from panda_gnn.evaluation.tasks import task_of
    from panda_gnn.reports.table_formats import mean_and_interval

    metric = task_of(config.dataset).metric
    unit, percent = metric.unit, " %" if metric.unit.scale == 100 else ""
    name = f"{config.dataset}, {config.backbone}, {config.method} {settings_in_words(config)}"
    table = Table(title=name.strip())
    for column in ("seed", "epochs", "epoch chosen", "validation", "test", "seconds"):
        table.add_column(column, justify="right")
    for row in sorted(rows, key=lambda row: int(row["seed"])):
        selected = row["scores"][options.selection]
        table.add_row(
            str(row["seed"]),
            str(row["epochs"]),
            str(selected["epoch"] + 1),
            *(f"{unit.scale * selected[part]:.{unit.digits}f}" for part in ("validation", "test")),
            f"{row['seconds']:.1f}",
        )
    summary = summarise([unit.scale * score(row, options.selection) for row in rows])
    parameters = rows[0]["parameters"]
    console = Console()
    console.print(table)
    console.print(
        f"test {metric.name} ({options.selection}): {mean_and_interval(summary, unit)}{percent}, "
        f"n = {summary.n}; "
        f"parameters: {parameters['trained']:,} trained, "
        f"{parameters['never_trained']:,} never trained"
    )
