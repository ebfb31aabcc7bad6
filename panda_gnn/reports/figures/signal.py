"""The paper's figure of signal propagation against total effective resistance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from panda_gnn.diagnostics import signal_propagation, total_resistance
from panda_gnn.progress import track
from panda_gnn.reports.figures.contestants import Contestant, contestants
from panda_gnn.reports.figures.request import Request, graph, printed
from panda_gnn.reports.figures.style import (
    COLUMN_WIDTH,
    LINES,
    Row,
    draw_line,
    panels,
    shared_legend,
)
from panda_gnn.reports.untrained import printed_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH = 64
LAYERS = 4
SOURCES = 10
BINS = 8
BACKBONES = ("gcn", "gin")
K, HIGH_WIDTH, CENTRALITY = 3, 128, "betweenness"

#: Without a residual connection in PANDA, these are the plain backbone and PANDA once more.
GCN_ONLY = ("residual", "panda-plain")

#: The column that is drawn, and the one to the letter of the paper.
COLUMNS: dict[str, dict[str, Any]] = {
    "heard": {"unit": "graph", "subtract_silence": True},
    "signal": {"unit": "node"},
}


def measure(request: Request) -> list[Row]:
    """The signal of every graph under every method, and the resistance of the graph before it."""
    series = contestants(K, HIGH_WIDTH, CENTRALITY)
    rows: list[Row] = []
    for dataset in request.datasets:
        for backbone in BACKBONES:
            taking_part = {
                name: contestant
                for name, contestant in series.items()
                if backbone == "gcn" or name not in GCN_ONLY
            }
            rows += measure_backbone(request, dataset, backbone, taking_part)
    return rows


def measure_backbone(
    request: Request, dataset: str, backbone: str, series: Mapping[str, Contestant]
) -> list[Row]:
    """The rows of one dataset and backbone, for the given contestants."""
    resistance = _resistances(request, dataset)
    largest = max(*resistance, 1e-12)
    rows: list[Row] = []
    for name, contestant in series.items():
        trials = [
            _trial(request, dataset, backbone, contestant, seed)
            for seed in track(range(request.trials), f"signal, {dataset}, {name}")
        ]
        signals = np.mean(trials, axis=0)
        rows += [
            {
                "dataset": dataset,
                "backbone": backbone,
                "series": name,
                "graph": index,
                "total_resistance": resistance[place],
                "normalised_resistance": resistance[place] / largest,
                **dict(zip(COLUMNS, signals[place].tolist(), strict=True)),
            }
            for place, index in enumerate(request.chosen(dataset))
        ]
    return rows


@lru_cache(maxsize=1)
def _resistances(request: Request, dataset: str) -> tuple[float, ...]:
    """The total effective resistance of every graph before rewiring."""
    plain = request.source(dataset).graphs
    return tuple(
        total_resistance(graph(plain, place))
        for place in track(range(plain.num_graphs), f"resistance, {dataset}")
    )


def _trial(
    request: Request, dataset: str, backbone: str, contestant: Contestant, seed: int
) -> list[list[float]]:
    """The signal of every graph after the last hidden layer, in every column."""
    model, table = contestant.model(request, dataset, backbone, LAYERS, seed, in_channels=WIDTH)
    plain = request.source(dataset).graphs
    values = []
    for place in range(table.num_graphs):
        data, before = graph(table, place), graph(plain, place)
        values.append(
            [
                signal_propagation(
                    model,
                    data,
                    in_channels=WIDTH,
                    sources=SOURCES,
                    layer=LAYERS - 1,
                    distance_graph=before,
                    seed=seed,
                    **options,
                ).mean
                for options in COLUMNS.values()
            ]
        )
    return values


def correlation(rows: Sequence[Row], column: str = "heard") -> float:
    """Pearson's correlation of signal and total resistance; zero where one of them is constant."""
    x = np.array([float(row["total_resistance"]) for row in rows])
    y = np.array([float(row[column]) for row in rows])
    if x.std() == 0 or y.std() == 0:
        return 0.0
    return float(np.corrcoef(x, y)[0, 1])


def select(rows: Sequence[Row], **values: str) -> list[Row]:
    """The rows with the given values."""
    return [row for row in rows if all(row[key] == value for key, value in values.items())]


def draw(rows: Sequence[Row], caption: str) -> Figure:
    """A panel for each dataset and backbone: means of graphs of about equal resistance."""
    datasets = list(dict.fromkeys(str(row["dataset"]) for row in rows))
    cases = [(dataset, backbone) for dataset in datasets for backbone in BACKBONES]
    width = COLUMN_WIDTH * (1.0 if len(datasets) == 1 else 2.1)
    columns = 2 if len(datasets) == 1 else 4
    with panels(len(cases), caption, columns=columns, width=width) as (figure, axes):
        for panel, (dataset, backbone) in zip(axes, cases, strict=True):
            case = select(rows, dataset=dataset, backbone=backbone)
            for name in dict.fromkeys(str(row["series"]) for row in case):
                draw_line(panel, name, *_binned(select(case, series=name)))
            panel.set_title(f"{printed_name(backbone)}, {printed(dataset)}")
            panel.set_xlabel("total resistance / largest")
            panel.set_ylim(bottom=0)
        for panel in axes[::columns]:
            panel.set_ylabel("signal")
        shared_legend(figure, axes)
        return figure


def _binned(rows: Sequence[Row]) -> tuple[list[float], list[float], list[float]]:
    """Mean resistance, mean signal and its standard error of equally many graphs each."""
    ordered = sorted(rows, key=lambda row: float(row["normalised_resistance"]))
    x, y, error = [], [], []
    for part in np.array_split(np.arange(len(ordered)), min(BINS, len(ordered))):
        signal = np.array([float(ordered[place]["heard"]) for place in part])
        x.append(float(np.mean([float(ordered[p]["normalised_resistance"]) for p in part])))
        y.append(float(signal.mean()))
        error.append(float(signal.std(ddof=1) / part.size**0.5) if part.size > 1 else 0.0)
    return x, y, error


def caption(request: Request, rows: Sequence[Row]) -> str:
    """What the figure shows, with the correlations."""
    parts = []
    for dataset in request.datasets:
        for backbone in BACKBONES:
            case = select(rows, dataset=dataset, backbone=backbone)
            values = [
                f"{LINES[name].label} {correlation(select(case, series=name)):+.2f}"
                for name in dict.fromkeys(str(row["series"]) for row in case)
            ]
            parts.append(f"{printed_name(backbone)} on {printed(dataset)}: {', '.join(values)}")
    return (
        f"How far the signal of a source gets in untrained models ({LAYERS} layers of {WIDTH}, the "
        f"{K} high nodes of PANDA {HIGH_WIDTH}), as a share of the greatest distance, against "
        f"total effective resistance before rewiring: {request.graphs_in_words()}, {SOURCES} "
        f"sources each, {request.initialisations}; means of {BINS} groups of graphs, "
        f"band: standard error. Pearson's r for {'; '.join(parts)}."
    )
