"""The paper's figure of resistance correlation against accuracy, one point for each method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from panda_gnn.errors import InputError
from panda_gnn.evaluation.measurements import MEASURES
from panda_gnn.evaluation.methods import complete
from panda_gnn.evaluation.study import Cell, Study
from panda_gnn.reports.drawing.panels import (
    CsvRow,
    blank_panels,
    distinct,
    percent_axis,
    select,
    shared_legend,
)
from panda_gnn.reports.drawing.style import SERIES_STYLES
from panda_gnn.reports.figures import signal
from panda_gnn.reports.figures.request import Request, accuracy_cells, counted_trials, printed
from panda_gnn.reports.tables import Entry, build_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHODS_SHOWN = ("none", "digl", "sdrf", "fosr", "borf", "gtr", "panda")


def _entries(request: Request, study: Study) -> list[tuple[str, Entry]]:
    """Every dataset and method with GCN that the study's table has trials of."""
    store = request.store(study)
    shown = []
    part = study.select(None, ["gcn"], METHODS_SHOWN)
    for block in build_table(part, store.read()).blocks:
        entries = [entry for entry in block.entries if entry.ours is not None]
        if not entries:
            raise InputError(
                f"{store.path} has no trials on {block.dataset}: run panda study run {study.name} "
                f"--datasets {block.dataset} --backbones gcn first"
            )
        shown += [(block.dataset, entry) for entry in entries]
    return shown


def signal_study(request: Request, study: Study) -> Study:
    """What is measured: the signal, with the settings whose accuracy the study's table shows."""
    cells = []
    for dataset, entry in _entries(request, study):
        assert entry.config is not None
        settings = {**entry.config.settings, "graphs": request.graphs}
        config = complete(replace(entry.config, settings=settings), MEASURES["signal"])
        cells.append(Cell(dataset, entry.line, (config,)))
    title = f"Signal propagation with the settings of the study {study.name}"
    return Study("signal", title, tuple(cells), request.trials, measure="signal")


def rows(request: Request, study: Study) -> list[CsvRow]:
    """For GCN: how signal and resistance go together, and the accuracy of the study's trials."""
    signals = signal.rows(request, signal_study(request, study))
    return [
        {
            "dataset": dataset,
            "series": entry.line.method,
            "correlation": signal.correlation(
                select(signals, dataset=dataset, series=entry.line.method)
            ),
            **accuracy_cells(entry.ours),
        }
        for dataset, entry in _entries(request, study)
        if entry.ours is not None
    ]


def draw(rows: Sequence[CsvRow], caption: str) -> Figure:
    """One panel for each dataset, correlation along and accuracy upwards."""
    datasets = distinct(rows, "dataset")
    with blank_panels(len(datasets), caption) as (figure, axes):
        for panel, dataset in zip(axes, datasets, strict=True):
            for row in select(rows, dataset=dataset):
                style = SERIES_STYLES[str(row["series"])]
                panel.errorbar(
                    float(row["correlation"]),
                    float(row["accuracy"]),
                    float(row["interval"] or 0.0),
                    color=style.colour,
                    marker=style.marker,
                    linestyle="none",
                    label=style.label,
                    elinewidth=0.8,
                    markersize=7 if style.marker == "*" else 4.5,
                )
            percent_axis(panel)
            panel.set_title(printed(dataset))
            panel.locator_params(axis="x", nbins=6)
            panel.set_xlabel("correlation of signal\nand total resistance")
        axes[0].set_ylabel("test accuracy in %")
        shared_legend(figure, axes)
        return figure


def caption(request: Request, study: Study, rows: Sequence[CsvRow]) -> str:
    """What the figure shows."""
    trials = counted_trials(rows, "bars: 95 % intervals")
    return (
        f"Methods with GCN: Pearson's r of total effective resistance and signal "
        f"({request.graphs_in_words()}, untrained, {request.initialisations}, settings of "
        f"the study {study.name}) and mean test accuracy ({trials})."
    )
