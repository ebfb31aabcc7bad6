"""The paper's figures of accuracy against k and against high_width, from the store of a study."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from panda_gnn.errors import InputError
from panda_gnn.evaluation.store import Store
from panda_gnn.evaluation.study import load_study
from panda_gnn.reports.figures.request import Request, counted_trials, printed
from panda_gnn.reports.figures.style import (
    COLUMN_WIDTH,
    LINES,
    Row,
    accuracy_axis,
    draw_line,
    panels,
    shared_legend,
)
from panda_gnn.reports.tables import build_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LABELS = {"k": "number of high nodes k", "high_width": "width of high nodes"}


def measure(study_name: str) -> Callable[[Request], list[Row]]:
    """The means of a study whose lines are the values of a setting."""

    def read(request: Request) -> list[Row]:
        study = load_study(study_name)
        asked = [name for name in request.datasets if name in study.datasets]
        store = Store(request.results / f"{study_name}.jsonl")
        table = build_table(study.select(datasets=asked), store.read())
        rows: list[Row] = [
            {
                "dataset": block.dataset,
                "backbone": entry.line.backbone,
                "method": entry.line.method,
                "setting": str(study.rows),
                "value": "" if entry.line.variant is None else str(entry.line.variant),
                "accuracy": entry.ours.mean,
                "interval": "" if entry.ours.interval is None else entry.ours.interval,
                "trials": entry.ours.n,
            }
            for block in table.blocks
            for entry in block.entries
            if entry.ours is not None
        ]
        missing = [name for name in asked if all(row["dataset"] != name for row in rows)]
        if missing:
            raise InputError(
                f"{store.path} has no trials of {missing[0]}: run "
                f"panda study run {study_name} --datasets {','.join(missing)} first"
            )
        return rows

    return read


def draw(rows: Sequence[Row], caption: str) -> Figure:
    """One panel for each dataset, the setting along and accuracy upwards."""
    datasets = list(dict.fromkeys(str(row["dataset"]) for row in rows))
    columns = 3 if len(datasets) > 4 else min(2, len(datasets))
    width = COLUMN_WIDTH * max(1.0, columns / 1.5)
    with panels(len(datasets), caption, columns=columns, width=width) as (figure, axes):
        for panel, dataset in zip(axes, datasets, strict=True):
            case = [row for row in rows if row["dataset"] == dataset]
            for backbone in dict.fromkeys(str(row["backbone"]) for row in case):
                line = [row for row in case if row["backbone"] == backbone and row["value"] != ""]
                line.sort(key=lambda row: float(row["value"]))
                draw_line(
                    panel,
                    f"panda-{backbone}",
                    [float(row["value"]) for row in line],
                    [float(row["accuracy"]) for row in line],
                    [float(row["interval"] or 0.0) for row in line],
                )
                _draw_reference(panel, backbone, case)
            panel.set_title(printed(dataset))
            panel.set_xlabel(LABELS[str(rows[0]["setting"])])
            panel.set_xticks([float(row["value"]) for row in line])
            accuracy_axis(panel)
        for panel in axes[::columns]:
            panel.set_ylabel("test accuracy in %")
        shared_legend(figure, axes, columns=4)
        return figure


def _draw_reference(panel: Axes, backbone: str, rows: Sequence[Row]) -> None:
    """The plain backbone as a level across the panel."""
    for row in rows:
        if row["backbone"] == backbone and row["method"] == "none":
            line = LINES[backbone]
            panel.axhline(
                float(row["accuracy"]),
                color=LINES[f"panda-{backbone}"].colour,
                linestyle=":",
                linewidth=1.0,
                label=line.label,
            )


def caption(request: Request, rows: Sequence[Row]) -> str:
    """What the figure shows."""
    trials = counted_trials(rows, "band: 95 % interval")
    datasets = ", ".join(printed(name) for name in dict.fromkeys(str(r["dataset"]) for r in rows))
    return (
        f"Mean test accuracy of PANDA (first epoch of the best validation score) on {datasets}, "
        f"{trials}; dotted: the plain backbone."
    )
