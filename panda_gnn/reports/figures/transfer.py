"""A figure the paper lacks: how far does selective width carry a message?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from panda_gnn.evaluation.study import Study, load_study
from panda_gnn.reports.drawing.panels import CsvRow, Figure, Panel, distinct, draw_panels, select
from panda_gnn.reports.drawing.style import Sheet
from panda_gnn.reports.figures.request import Request, config_of, mean_and_error
from panda_gnn.reports.models import printed_name


def rows(request: Request, study: Study) -> list[CsvRow]:
    """The mean accuracy on every topology and distance, for each backbone and method."""
    table = []
    for cell, values in request.values(study):
        (mean,), (error,) = mean_and_error([[value] for value in values["accuracy"]], torch.float32)
        row: CsvRow = {
            "topology": cell.dataset,
            "backbone": cell.line.backbone,
            "series": cell.line.method,
            "distance": int(str(cell.line.variant)),
            "accuracy": mean,
            "standard_error": error,
            "trials": request.trials,
        }
        table.append(row)
    topologies = distinct(table, "topology")
    return sorted(table, key=lambda row: (topologies.index(str(row["topology"])), row["distance"]))


def draw(rows: Sequence[CsvRow], sheet: Sheet) -> Figure:
    """A panel for each backbone and topology, distances along and accuracy upwards."""
    num_classes: Any = config_of(load_study("transfer"), "none").settings["num_classes"]
    in_percent: list[CsvRow] = [
        {**row, **{name: 100 * float(row[name]) for name in ("accuracy", "standard_error")}}
        for row in rows
    ]
    panels = [
        Panel(
            f"{printed_name(backbone)}, {topology.replace('-', ' ')}",
            select(in_percent, backbone=backbone, topology=topology),
            "distance",
            "accuracy",
            y_label="accuracy in %",
            y_limits=(0, 105),
            chance=100 / num_classes,
        )
        for backbone in distinct(rows, "backbone")
        for topology in distinct(rows, "topology")
    ]
    return draw_panels(panels, sheet, columns=4, y_labels_once=True, legend_columns=4)


def caption(request: Request, study: Study, rows: Sequence[CsvRow]) -> str:
    """What the figure shows."""
    config = config_of(study, "panda")
    settings: Any = config.settings
    return (
        f"Accuracy on transfer tasks of {settings['num_classes']} classes (dotted: chance) against "
        f"the distance, which is also the number of convolutions; {request.trials} trials of at "
        f"most {config.max_epochs} steps, band: standard error. Width {config.width}; 'all nodes "
        f"wide' {settings['high_width']}; PANDA widens {settings['share']:.0%} of the nodes, by "
        f"betweenness, to {settings['high_width']}; 'linear' has a linear map in place of its "
        f"selector; FoSR adds {settings['iterations']} edges, the virtual node is joined to all."
    )
