"""The paper's figures of sensitivity across layers: by width, and by method."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import torch

from panda_gnn.evaluation.study import Study
from panda_gnn.reports.drawing.panels import CsvRow, Panel, distinct, draw_panels, select
from panda_gnn.reports.figures.request import (
    Request,
    columns_and_width,
    config_of,
    mean_and_error,
    printed,
    series,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def study(name: str) -> Callable[[Request], Study]:
    """What is measured: ``sensitivity-width`` or ``sensitivity-method``."""
    return lambda request: request.study(name)


def rows(name: str) -> Callable[[Request], list[CsvRow]]:
    """The mean over trials of the sensitivity after every layer, for each line of the study."""

    def read(request: Request) -> list[CsvRow]:
        table: list[CsvRow] = []
        for cell, values in request.values(request.study(name)):
            means, errors = mean_and_error(values["sensitivity"], torch.float64)
            table += [
                {
                    "dataset": cell.dataset,
                    "series": series(cell),
                    "layer": layer,
                    "sensitivity": mean,
                    "standard_error": error,
                    "trials": request.trials,
                    "graphs": request.num_graphs(cell.dataset),
                }
                for layer, (mean, error) in enumerate(zip(means, errors, strict=True), start=1)
            ]
        return table

    return read


def draw(rows: Sequence[CsvRow], caption: str) -> Figure:
    """One panel for each dataset, layers along and sensitivity upwards, on a logarithmic scale."""
    panels = [
        Panel(
            printed(dataset),
            select(rows, dataset=dataset),
            "layer",
            "sensitivity",
            "standard_error",
            "layer",
            "mean sensitivity",
            logarithmic=True,
        )
        for dataset in distinct(rows, "dataset")
    ]
    columns, width = columns_and_width(len(panels))
    return draw_panels(panels, caption, columns=columns, width=width)


def caption(name: str) -> Callable[[Request, Sequence[CsvRow]], str]:
    """What the figure shows."""

    def write(request: Request, rows: Sequence[CsvRow]) -> str:
        config = config_of(request.study(name), "panda")
        settings = config.settings
        high = f"the {settings['k']} nodes of highest {settings['centrality']}"
        sizes = {
            "sensitivity-width": f"PANDA has width {config.width} and, at {high}, "
            f"{settings['high_width']}.",
            "sensitivity-method": f"Width {config.width}; PANDA widens {high} to "
            f"{settings['high_width']}, 'all nodes wide' all of them.",
        }
        return (
            "Mean sensitivity of untrained GCNs over pairs of nodes "
            f"({settings['sources']} sources a graph) and {request.graphs_in_words()}, "
            f"{request.initialisations}; band: standard error. {sizes[name]} 'With residual' is "
            "PANDA without high nodes; 'PANDA, no residual' differs from GCN in its high nodes "
            "alone."
        )

    return write
