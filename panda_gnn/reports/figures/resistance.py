"""The paper's figure of resistance correlation against accuracy, one point for each method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from panda_gnn.errors import InputError
from panda_gnn.evaluation.measurements import MEASURES
from panda_gnn.evaluation.methods import complete
from panda_gnn.evaluation.study import Cell, Study
from panda_gnn.reports.drawing.panels import (
    CsvRow,
    Figure,
    blank_panels,
    distinct,
    percent_axis,
    select,
    set_title,
    shared_legend,
)
from panda_gnn.reports.drawing.style import SERIES_STYLES, Sheet
from panda_gnn.reports.figures import signal
from panda_gnn.reports.figures.request import Request, accuracy_cells, counted_trials, printed
from panda_gnn.reports.tables import Entry, build_table

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
    table: list[CsvRow] = []
    for dataset, entry in _entries(request, study):
        if entry.ours is None:
            continue
        line = select(signals, dataset=dataset, series=entry.line.method)
        r = signal.correlation(line)
        low, high = signal.correlation_interval(r, len(line))
        table.append(
            {
                "dataset": dataset,
                "series": entry.line.method,
                "correlation": r,
                "correlation_low": low,
                "correlation_high": high,
                **accuracy_cells(entry.ours),
            }
        )
    return table


def draw(rows: Sequence[CsvRow], sheet: Sheet) -> Figure:
    """One panel for each dataset, correlation along and accuracy upwards."""
    datasets = distinct(rows, "dataset")
    with blank_panels(len(datasets), sheet) as (figure, axes):
        for panel, dataset in zip(axes, datasets, strict=True):
            few = set_title(panel, printed(dataset), select(rows, dataset=dataset))
            for row in select(rows, dataset=dataset):
                style = SERIES_STYLES[str(row["series"])]
                r = float(row["correlation"])
                low, high = float(row["correlation_low"]), float(row["correlation_high"])
                panel.errorbar(
                    r,
                    float(row["accuracy"]),
                    float(row["interval"] or 0.0),
                    xerr=[[r - low], [high - r]],
                    color=style.colour,
                    marker=style.marker,
                    markerfacecolor="white" if row["series"] in few else None,
                    linestyle="none",
                    label=style.label,
                    elinewidth=0.8,
                    markersize=7 if style.marker == "*" else 4.5,
                )
            percent_axis(panel)
            panel.locator_params(axis="x", nbins=6)
            panel.set_xlabel("correlation of signal\nand total resistance")
        axes[0].set_ylabel("test accuracy in %")
        shared_legend(figure, axes)
        return figure


def caption(request: Request, study: Study, rows: Sequence[CsvRow]) -> str:
    """What the figure shows."""
    trials = counted_trials(rows, "bars: 95 % intervals, of r by Fisher's transformation")
    return (
        f"Methods with GCN: Pearson's r of total effective resistance and signal "
        f"({request.graphs_in_words()}, untrained, {request.initialisations}, settings of "
        f"the study {study.name}) and mean test accuracy ({trials})."
    )
