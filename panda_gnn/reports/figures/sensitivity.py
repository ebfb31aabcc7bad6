"""The paper's figures of sensitivity across layers: by width, and by method."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from panda_gnn.evaluation.study import Study
from panda_gnn.reports.drawing.panels import CsvRow, Figure, Panel, distinct, draw_panels, select
from panda_gnn.reports.drawing.style import Sheet
from panda_gnn.reports.figures.request import (
    Request,
    config_of,
    mean_and_error,
    printed,
    series,
)


def rows(request: Request, study: Study) -> list[CsvRow]:
    """The mean over trials of the sensitivity after every layer, for each line of the study."""
    table: list[CsvRow] = []
    for cell, values in request.values(study):
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


def draw(rows: Sequence[CsvRow], sheet: Sheet) -> Figure:
    """One panel for each dataset, layers along and sensitivity upwards, on a logarithmic scale."""
    panels = [
        Panel(
            printed(dataset),
            select(rows, dataset=dataset),
            "layer",
            "sensitivity",
            y_label="mean sensitivity",
            logarithmic=True,
        )
        for dataset in distinct(rows, "dataset")
    ]
    return draw_panels(panels, sheet)


def caption(request: Request, study: Study, rows: Sequence[CsvRow]) -> str:
    """What the figure shows."""
    config = config_of(study, "panda")
    settings = config.settings
    high = f"the {settings['k']} nodes of highest {settings['centrality']}"
    if study.rows == "width":
        sizes = f"PANDA has width {config.width} and, at {high}, {settings['high_width']}."
    else:
        sizes = (
            f"Width {config.width}; PANDA widens {high} to {settings['high_width']}, "
            "'all nodes wide' all of them."
        )
    return (
        f"Mean sensitivity of untrained GCNs over pairs of nodes ({settings['sources']} sources a "
        f"graph) and {request.graphs_in_words()}, {request.initialisations}; band: standard "
        f"error. {sizes} 'With residual' is PANDA without high nodes; 'PANDA, no residual' "
        "differs from GCN in its high nodes alone."
    )
