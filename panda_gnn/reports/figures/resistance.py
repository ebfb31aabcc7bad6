"""The paper's figure of resistance correlation against accuracy, one point for each method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from panda_gnn.errors import InputError
from panda_gnn.evaluation.store import Store
from panda_gnn.evaluation.study import load_study
from panda_gnn.reports.figures import signal
from panda_gnn.reports.figures.request import Request, printed
from panda_gnn.reports.figures.style import LINES, Row, panels, shared_legend
from panda_gnn.reports.tables import build_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STUDY = "main"


def measure(request: Request) -> list[Row]:
    """For GCN: how signal and resistance go together, and the accuracy of the study's trials."""
    study = load_study(STUDY).select(datasets=list(request.datasets), backbones=["gcn"])
    store = Store(request.results / f"{STUDY}.jsonl")
    table = build_table(study, store.read())
    accuracy = {
        (block.dataset, entry.line.method): entry.ours
        for block in table.blocks
        for entry in block.entries
        if entry.ours is not None
    }
    if not accuracy:
        raise InputError(f"{store.path} has no trials: run panda study run {STUDY} first")
    signals = signal.select(signal.measure(request), backbone="gcn")
    rows: list[Row] = []
    for dataset, method in accuracy:
        ours = accuracy[dataset, method]
        case = signal.select(signals, dataset=dataset, series=method)
        if case:
            rows.append(
                {
                    "dataset": dataset,
                    "series": method,
                    "correlation": signal.correlation(case),
                    "accuracy": ours.mean,
                    "interval": ours.interval or 0.0,
                    "trials": ours.n,
                }
            )
    return rows


def draw(rows: Sequence[Row], caption: str) -> Figure:
    """One panel for each dataset, correlation along and accuracy upwards."""
    datasets = list(dict.fromkeys(str(row["dataset"]) for row in rows))
    with panels(len(datasets), caption) as (figure, axes):
        for panel, dataset in zip(axes, datasets, strict=True):
            for row in rows:
                if row["dataset"] == dataset:
                    line = LINES[str(row["series"])]
                    panel.errorbar(
                        float(row["correlation"]),
                        float(row["accuracy"]),
                        float(row["interval"]),
                        color=line.colour,
                        marker=line.marker,
                        linestyle="none",
                        label=line.label,
                        elinewidth=0.8,
                        markersize=7 if line.marker == "*" else 4.5,
                    )
            panel.set_title(printed(dataset))
            panel.set_xlabel("correlation of signal\nand total resistance")
        axes[0].set_ylabel("test accuracy in %")
        shared_legend(figure, axes)
        return figure


def caption(request: Request, rows: Sequence[Row]) -> str:
    """What the figure shows."""
    trials = sorted({int(row["trials"]) for row in rows})
    counted = str(trials[0]) if len(trials) == 1 else f"{trials[0]} to {trials[-1]}"
    return (
        f"Methods with GCN: Pearson's r of total effective resistance and signal "
        f"({request.graphs_in_words()}, untrained, {request.initialisations}) and "
        f"mean test accuracy ({counted} trials, bars: 95 % intervals)."
    )
