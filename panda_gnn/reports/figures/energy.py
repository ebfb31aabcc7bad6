"""The paper's figure of the Dirichlet energy of trained models."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from panda_gnn.evaluation.study import Study
from panda_gnn.reports.drawing.panels import (
    CsvRow,
    Figure,
    Panel,
    distinct,
    draw_panels,
    pairs_in_rows,
    select,
)
from panda_gnn.reports.drawing.style import Sheet
from panda_gnn.reports.figures.request import (
    Request,
    counted_trials,
    mean_and_error,
    printed,
    series,
)


def rows(request: Request, study: Study) -> list[CsvRow]:
    """The mean over trials of both energies after every layer, for each method."""
    table: list[CsvRow] = []
    for cell, values in request.values(study):
        energy = mean_and_error(values["energy"], torch.float32)
        relative = mean_and_error(values["relative_energy"], torch.float32)
        table += [
            {
                "dataset": cell.dataset,
                "series": series(cell),
                "layer": layer,
                "energy": energy[0][layer],
                "energy_error": energy[1][layer],
                "relative_energy": relative[0][layer],
                "relative_error": relative[1][layer],
                "trials": request.trials,
            }
            for layer in range(len(energy[0]))
        ]
    return table


def draw(rows: Sequence[CsvRow], sheet: Sheet) -> Figure:
    """For each dataset the energy, and the energy relative to the size of the states."""
    panels = []
    for dataset in distinct(rows, "dataset"):
        case, title = select(rows, dataset=dataset), printed(dataset)
        panels += [
            Panel(title, case, "layer", "energy", "energy_error", logarithmic=True),
            Panel(
                title,
                case,
                "layer",
                "relative_energy",
                "relative_error",
                y_label="relative energy",
                y_limits=(0, None),
            ),
        ]
    return draw_panels(panels, sheet, columns=pairs_in_rows(len(panels)))


def caption(request: Request, study: Study, rows: Sequence[CsvRow]) -> str:
    """What the figure shows."""
    trials = counted_trials(rows, "band: standard error")
    return (
        "Dirichlet energy, mean over graphs, of the states of test graphs in trained GCNs after "
        "every layer (0: features, last: class scores), as it is and relative: divided by the "
        f"squared norm of the states: {request.graphs_in_words()}, {trials}. "
        "Edges are those the model sees, after rewiring. 'Two kinds, one width' is PANDA "
        "without extra width, 'with residual' PANDA without high nodes."
    )
