"""The paper's figures of sensitivity across layers: by width, and by method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from panda_gnn.diagnostics import sensitivity
from panda_gnn.progress import track
from panda_gnn.reports.figures.contestants import Contestant, contestants
from panda_gnn.reports.figures.request import Request, graph, printed
from panda_gnn.reports.figures.style import COLUMN_WIDTH, Row, draw_line, panels, shared_legend

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LAYERS = 6
WIDTHS = (16, 32, 64, 128)
#: With k = 3 of MUTAG's 17.9 nodes on average, 16.7 % of the nodes are wide, as in the paper.
K, HIGH_WIDTH, CENTRALITY = 3, 128, "betweenness"
#: Random nodes of each graph whose inputs are varied.
SOURCES = 8


def measure_widths(request: Request) -> list[Row]:
    """GCN at several widths, and PANDA between two of them."""
    series = {f"p={width}": Contestant("none", {}, width=width) for width in WIDTHS}
    compared = contestants(K, HIGH_WIDTH, CENTRALITY, rewirings=False)
    return _measure(
        request, series | {name: compared[name] for name in ("panda-plain", "residual", "panda")}
    )


def measure_methods(request: Request) -> list[Row]:
    """GCN on the graphs of every method, PANDA and its controls."""
    return _measure(request, contestants(K, HIGH_WIDTH, CENTRALITY))


def _measure(request: Request, series: Mapping[str, Contestant]) -> list[Row]:
    rows: list[Row] = []
    for dataset in request.datasets:
        for name, contestant in series.items():
            title = f"sensitivity, {dataset}, {name}"
            trials = [
                _trial(request, dataset, contestant, seed)
                for seed in track(range(request.trials), title)
            ]
            values = torch.stack(trials)
            error = values.std(0) / len(trials) ** 0.5 if len(trials) > 1 else 0 * values[0]
            rows += [
                {
                    "dataset": dataset,
                    "series": name,
                    "layer": layer + 1,
                    "sensitivity": float(values[:, layer].mean()),
                    "standard_error": float(error[layer]),
                    "trials": request.trials,
                    "graphs": len(request.chosen(dataset)),
                }
                for layer in range(LAYERS)
            ]
    return rows


def _trial(request: Request, dataset: str, contestant: Contestant, seed: int) -> Tensor:
    """The mean over graphs of the mean over pairs of nodes, after every hidden layer."""
    model, table = contestant.model(request, dataset, "gcn", LAYERS, seed)
    means = [
        sensitivity(model, graph(table, index), sources=SOURCES, seed=seed).mean()[:LAYERS]
        for index in range(table.num_graphs)
    ]
    return torch.stack(means).mean(0)


def draw(rows: Sequence[Row], caption: str) -> Figure:
    """One panel for each dataset, layers along and sensitivity upwards, on a logarithmic scale."""
    datasets = list(dict.fromkeys(str(row["dataset"]) for row in rows))
    columns = 1 if len(datasets) == 1 else 3 if len(datasets) > 4 else 2
    width = COLUMN_WIDTH * max(1.0, columns / 1.5)
    with panels(len(datasets), caption, columns=columns, width=width) as (figure, axes):
        for panel, dataset in zip(axes, datasets, strict=True):
            for name in dict.fromkeys(str(row["series"]) for row in rows):
                line = [row for row in rows if (row["dataset"], row["series"]) == (dataset, name)]
                draw_line(
                    panel,
                    name,
                    [float(row["layer"]) for row in line],
                    [float(row["sensitivity"]) for row in line],
                    [float(row["standard_error"]) for row in line],
                )
            panel.set_yscale("log")
            panel.set_xticks(range(1, LAYERS + 1))
            panel.set_xlabel("layer")
            panel.set_ylabel("mean sensitivity")
            panel.set_title(printed(dataset))
        shared_legend(figure, axes)
        return figure


def caption_widths(request: Request, rows: Sequence[Row]) -> str:
    """What the figure by width shows."""
    return (
        f"{_measured(request)} PANDA has width 64 and, at the {K} nodes of highest {CENTRALITY}, "
        f"{HIGH_WIDTH}. {_CONTROLS}"
    )


def caption_methods(request: Request, rows: Sequence[Row]) -> str:
    """What the figure by method shows."""
    return (
        f"{_measured(request)} Width 64; PANDA widens the {K} nodes of highest {CENTRALITY} to "
        f"{HIGH_WIDTH}, 'all nodes wide' all of them. {_CONTROLS}"
    )


_CONTROLS = (
    "'With residual' is PANDA without high nodes; 'PANDA, no residual' differs from GCN in its "
    "high nodes alone."
)


def _measured(request: Request) -> str:
    return (
        f"Mean sensitivity of untrained GCNs over pairs of nodes ({SOURCES} sources a graph) and "
        f"{request.graphs_in_words()}, {request.initialisations}; band: standard "
        "error."
    )
