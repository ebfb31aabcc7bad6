"""Figures the paper lacks: where a bottleneck breaks off, and what kind of width mends it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from panda_gnn.evaluation.measurements.bottleneck import BOTTLENECK_TASKS
from panda_gnn.evaluation.study import Study
from panda_gnn.reports.drawing.panels import CsvRow, Figure, Panel, distinct, draw_panels, select
from panda_gnn.reports.drawing.style import Sheet
from panda_gnn.reports.figures.request import Request, config_of, mean_and_error
from panda_gnn.reports.models import printed_name

TITLES = {
    "hub": ("hub", "bits to carry"),
    "one-radius": ("one radius", "leaves"),
    "two-radius": ("two radii", "sources"),
    "tree-neighbors": ("tree", "depth"),
}
"""What a panel and its axis are called."""


def rows(request: Request, study: Study) -> list[CsvRow]:
    """The mean accuracy in % on every task and size, for each method."""
    table: list[CsvRow] = []
    for cell, values in request.values(study):
        percent = [[100 * value] for value in values["accuracy"]]
        (mean,), (error,) = mean_and_error(percent, torch.float32)
        size = int(str(cell.line.variant))
        table.append(
            {
                "task": cell.dataset,
                "backbone": cell.line.backbone,
                "series": cell.line.method,
                "size": size,
                "accuracy": mean,
                "standard_error": error,
                "chance": 100 * BOTTLENECK_TASKS[cell.dataset].chance(size),
                "trials": request.trials,
            }
        )
    return table


def draw(rows: Sequence[CsvRow], sheet: Sheet) -> Figure:
    """A panel for each task, the size along and accuracy upwards."""
    panels = []
    for task in distinct(rows, "task"):
        case = select(rows, task=task)
        chances = {float(row["chance"]) for row in case}
        panels.append(
            Panel(
                TITLES[task][0],
                case,
                "size",
                "accuracy",
                x_label=TITLES[task][1],
                y_label="accuracy in %",
                y_limits=(0, 105),
                chance=chances.pop() if len(chances) == 1 else None,
            )
        )
    return draw_panels(panels, sheet, y_labels_once=True, legend_columns=3)


def caption(request: Request, study: Study, rows: Sequence[CsvRow]) -> str:
    """What the figure shows."""
    config = config_of(study, "panda")
    settings: Any = config.settings
    chances = {row["chance"] for row in rows}
    chance = "dotted: chance" if len(chances) == 1 else "chance falls with the depth"
    return (
        f"Accuracy on test graphs against the size of the task ({chance}); "
        f"{printed_name(config.backbone)} of width {config.width}, {request.trials} trials, band: "
        f"standard error. 'All nodes wide' has {settings['high_width']}, PANDA has that at the "
        f"bottleneck alone, with several selectors; FoSR adds {settings['iterations']} edges."
    )
