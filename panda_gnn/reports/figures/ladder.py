"""A figure the paper lacks: what a backbone gains by knowing size and structure, and by PANDA."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from panda_gnn.errors import InputError
from panda_gnn.evaluation.study import Comparison, Study
from panda_gnn.reports.drawing.panels import (
    CsvRow,
    Figure,
    blank_panels,
    distinct,
    panel_columns,
    select,
    set_title,
    shared_legend,
)
from panda_gnn.reports.drawing.style import (
    BLUE,
    CAPTION_POINTS,
    GREY,
    SERIES_STYLES,
    VERMILION,
    Sheet,
)
from panda_gnn.reports.figures.request import Request, accuracy_cells, counted_trials, printed
from panda_gnn.reports.tables import build_table

RUNGS = {
    "none": "plain",
    "size": "+ size",
    "degree": "+ degree",
    "centralities": "+ centralities",
    "panda": "PANDA",
    "panda-centralities": "PANDA + centr.",
}
"""The methods from bottom to top, and their names beside the axis."""


def rows(request: Request, study: Study) -> list[CsvRow]:
    """The mean of every rung, and its paired difference to the plain backbone."""
    store = request.store(study)
    ladder = replace(study.select(methods=tuple(RUNGS)), difference=Comparison("none"))
    table: list[CsvRow] = []
    for block in build_table(ladder, store.read()).blocks:
        for entry in sorted(block.entries, key=lambda entry: list(RUNGS).index(entry.line.method)):
            if entry.ours is None:
                continue
            plain = entry.line.method == "none"
            if not plain and (entry.difference is None or entry.difference.interval is None):
                continue
            interval = None if entry.difference is None else entry.difference.interval
            table.append(
                {
                    "dataset": block.dataset,
                    "backbone": entry.line.backbone,
                    "method": entry.line.method,
                    **accuracy_cells(entry.ours),
                    "difference": 0.0 if entry.difference is None else entry.difference.mean,
                    "difference_interval": "" if interval is None else interval,
                }
            )
    climbed = {row["dataset"] for row in table if row["method"] != "none"}
    missing = [name for name in study.datasets if name not in climbed]
    if missing:
        raise InputError(
            f"{store.path} has no two trials of a rung and of the plain backbone on {missing[0]}: "
            f"run panda study run {study.name} --datasets {','.join(missing)} "
            f"--methods {','.join(RUNGS)} first"
        )
    return sorted(table, key=lambda row: request.datasets.index(str(row["dataset"])))


def draw(rows: Sequence[CsvRow], sheet: Sheet) -> Figure:
    """A panel for each dataset: rungs upwards, points above the plain backbone along."""
    datasets, backbones = distinct(rows, "dataset"), distinct(rows, "backbone")
    names = list(RUNGS)
    shift = {name: 0.15 * (len(backbones) - 1) - 0.3 * i for i, name in enumerate(backbones)}
    with blank_panels(len(datasets), sheet) as (figure, axes):
        for number, (dataset, panel) in enumerate(zip(datasets, axes, strict=True)):
            panel.axvline(0, color=GREY, linewidth=0.8)
            for backbone in backbones:
                case = select(rows, dataset=dataset, backbone=backbone)
                for row in case:
                    interval, method = float(row["difference_interval"] or 0), str(row["method"])
                    colour = VERMILION if method.startswith("panda") else BLUE
                    first = backbone == backbones[0]
                    panel.errorbar(
                        float(row["difference"]),
                        names.index(method) + shift[backbone],
                        xerr=interval,
                        color=GREY if method == "none" else colour,
                        marker="o" if first else "s",
                        markerfacecolor=None if first else "white",
                        elinewidth=1.0,
                        capsize=1.5,
                        capthick=0.8,
                    )
            set_title(panel, printed(dataset), select(rows, dataset=dataset))
            panel.annotate(
                _begin(rows, dataset),
                (0, 0),
                (6, 0),
                textcoords="offset points",
                color=GREY,
                va="center",
                fontsize=CAPTION_POINTS,
            )
            panel.set_yticks(range(len(names)), [""] * len(names))
            if number % panel_columns(len(datasets)) == 0:
                panel.set_yticklabels(list(RUNGS.values()))
            panel.grid(axis="y", visible=False)
            panel.set_ylim(-0.6, len(names) - 0.4)
            panel.set_xlabel("points gained")
        if len(backbones) > 1:
            for i, backbone in enumerate(backbones):
                axes[0].plot(
                    [],
                    [],
                    "os"[min(i, 1)],
                    color=GREY,
                    markerfacecolor="white" if i else GREY,
                    label=SERIES_STYLES[backbone].label,
                )
            shared_legend(figure, axes)
        return figure


def _begin(rows: Sequence[CsvRow], dataset: str) -> str:
    """Where the ladders of a dataset begin."""
    return "\n".join(
        f"{SERIES_STYLES[str(row['backbone'])].label} {float(row['accuracy']):.1f} %"
        for row in select(rows, dataset=dataset, method="none")
    )


def caption(request: Request, study: Study, rows: Sequence[CsvRow]) -> str:
    """What the figure shows."""
    trials = counted_trials(rows, "bars: 95 % intervals of the corrected resampled t-test")
    return (
        "Test accuracy above the plain backbone on shared splits: with 1/n, the degree or five "
        "centralities as input features (blue), and PANDA without and with them (red). A bar that "
        f"crosses the line is no difference that these data can show; {trials}."
    )
