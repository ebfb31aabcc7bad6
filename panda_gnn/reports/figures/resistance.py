"""The paper's figure of resistance correlation against accuracy, one point for each method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from panda_gnn.errors import InputError
from panda_gnn.evaluation.store import Store
from panda_gnn.evaluation.study import load_study
from panda_gnn.reports.figures import signal
from panda_gnn.reports.figures.contestants import REWIRINGS, Contestant
from panda_gnn.reports.figures.request import Request, counted_trials, printed
from panda_gnn.reports.figures.style import LINES, Row, accuracy_axis, panels, shared_legend
from panda_gnn.reports.tables import build_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STUDY = "main"
SERIES = ("none", *REWIRINGS, "panda")


def measure(request: Request) -> list[Row]:
    """For GCN: how signal and resistance go together, and the accuracy of the study's trials.

    The signal is that of the settings whose accuracy the study's table shows.
    """
    study = load_study(STUDY).select(
        datasets=list(request.datasets), backbones=["gcn"], methods=list(SERIES)
    )
    store = Store(request.results / f"{STUDY}.jsonl")
    table = build_table(study, store.read())
    rows: list[Row] = []
    for block in table.blocks:
        shown = {
            entry.line.method: (entry.ours, Contestant(entry.line.method, entry.config.settings))
            for entry in block.entries
            if entry.ours is not None and entry.config is not None
        }
        if not shown:
            raise InputError(
                f"{store.path} has no trials on {block.dataset}: run panda study run {STUDY} "
                f"--datasets {block.dataset} --backbones gcn first"
            )
        series = {name: contestant for name, (_, contestant) in shown.items()}
        signals = signal.measure_backbone(request, block.dataset, "gcn", series)
        rows += [
            {
                "dataset": block.dataset,
                "series": name,
                "correlation": signal.correlation(signal.select(signals, series=name)),
                "accuracy": ours.mean,
                "interval": "" if ours.interval is None else ours.interval,
                "trials": ours.n,
            }
            for name, (ours, _) in shown.items()
        ]
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
                        float(row["interval"] or 0.0),
                        color=line.colour,
                        marker=line.marker,
                        linestyle="none",
                        label=line.label,
                        elinewidth=0.8,
                        markersize=7 if line.marker == "*" else 4.5,
                    )
            accuracy_axis(panel)
            panel.set_title(printed(dataset))
            panel.locator_params(axis="x", nbins=6)
            panel.set_xlabel("correlation of signal\nand total resistance")
        axes[0].set_ylabel("test accuracy in %")
        shared_legend(figure, axes)
        return figure


def caption(request: Request, rows: Sequence[Row]) -> str:
    """What the figure shows."""
    trials = counted_trials(rows, "bars: 95 % intervals")
    return (
        f"Methods with GCN: Pearson's r of total effective resistance and signal "
        f"({request.graphs_in_words()}, untrained, {request.initialisations}, settings of "
        f"the study {STUDY}) and mean test accuracy ({trials})."
    )
