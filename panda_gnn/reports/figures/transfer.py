"""A figure the paper lacks: how far does selective width carry a message?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from panda_gnn.datasets import TOPOLOGIES
from panda_gnn.progress import track
from panda_gnn.reports.figures.request import Request
from panda_gnn.reports.figures.style import (
    COLUMN_WIDTH,
    GREY,
    Row,
    draw_line,
    panels,
    shared_legend,
)
from panda_gnn.reports.figures.transfer_task import METHODS, TransferTask, transfer_accuracy
from panda_gnn.reports.untrained import printed_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BACKBONES = ("gcn", "gin")
DISTANCES = (2, 4, 6, 8, 10, 12)
#: The nodes of a tree double with every step.
TREE_DISTANCES = (2, 3, 4, 5, 6, 7)


def measure(request: Request) -> list[Row]:
    """Train every model on every topology and distance, ``request.trials`` times."""
    tasks = [
        TransferTask(topology, distance, backbone, method)
        for topology in TOPOLOGIES
        for distance in (TREE_DISTANCES if topology == "tree" else DISTANCES)
        for backbone in BACKBONES
        for method in METHODS
    ]
    rows: list[Row] = []
    for task in track(tasks, "transfer tasks"):
        accuracy = torch.tensor([transfer_accuracy(task, seed) for seed in range(request.trials)])
        error = accuracy.std() / request.trials**0.5 if request.trials > 1 else torch.zeros(())
        rows.append(
            {
                "topology": task.topology,
                "backbone": task.backbone,
                "series": task.method,
                "distance": task.distance,
                "accuracy": float(accuracy.mean()),
                "standard_error": float(error),
                "trials": request.trials,
            }
        )
    return rows


def draw(rows: Sequence[Row], caption: str) -> Figure:
    """A panel for each backbone and topology, distances along and accuracy upwards."""
    topologies = list(dict.fromkeys(str(row["topology"]) for row in rows))
    cases = [(backbone, topology) for backbone in BACKBONES for topology in topologies]
    columns = len(topologies)
    with panels(len(cases), caption, columns=columns, width=2.1 * COLUMN_WIDTH) as (figure, axes):
        for panel, (backbone, topology) in zip(axes, cases, strict=True):
            case = [r for r in rows if (r["backbone"], r["topology"]) == (backbone, topology)]
            for name in METHODS:
                line = [row for row in case if row["series"] == name]
                draw_line(
                    panel,
                    name,
                    [float(row["distance"]) for row in line],
                    [100 * float(row["accuracy"]) for row in line],
                    [100 * float(row["standard_error"]) for row in line],
                )
            chance = 100 / TransferTask(topology, 2, backbone, "none").num_classes
            panel.axhline(chance, color=GREY, linewidth=0.6, linestyle=":")
            panel.set_ylim(0, 105)
            panel.set_xticks(sorted({int(row["distance"]) for row in case}))
            panel.set_title(f"{printed_name(backbone)}, {topology.replace('-', ' ')}")
            panel.set_xlabel("distance")
        for panel in axes[::columns]:
            panel.set_ylabel("accuracy in %")
        shared_legend(figure, axes, columns=4)
        return figure


def caption(request: Request, rows: Sequence[Row]) -> str:
    """What the figure shows."""
    task = TransferTask("ring", 2, "gcn", "none")
    return (
        f"Accuracy on transfer tasks of {task.num_classes} classes (dotted: chance) against the "
        f"distance, which is also the number of convolutions; {request.trials} trials of at most "
        f"{task.steps} steps, band: standard error. Width {task.width}; 'all nodes wide' "
        f"{task.high_width}; PANDA widens {task.share:.0%} of the nodes, by betweenness, to "
        f"{task.high_width}; FoSR adds {task.iterations} edges."
    )
