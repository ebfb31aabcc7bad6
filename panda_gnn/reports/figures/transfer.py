"""A figure the paper lacks: how far does selective width carry a message?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from panda_gnn.datasets import TOPOLOGIES
from panda_gnn.progress import track
from panda_gnn.reports.figures.request import Request
from panda_gnn.reports.figures.style import COLUMN_WIDTH, Row, draw_line, panels, shared_legend
from panda_gnn.reports.figures.transfer_task import METHODS, TransferTask, transfer_accuracy

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
                "distance": task.distance,
                "series": series_name(task),
                "accuracy": float(accuracy.mean()),
                "standard_error": float(error),
                "trials": request.trials,
            }
        )
    return rows


def series_name(task: TransferTask) -> str:
    """The name of a series in the CSV."""
    return task.backbone if task.method == "none" else f"{task.method}-{task.backbone}"


def draw(rows: Sequence[Row], caption: str) -> Figure:
    """A panel for each topology, distances along and accuracy upwards."""
    topologies = list(dict.fromkeys(str(row["topology"]) for row in rows))
    with panels(len(topologies), caption, columns=2, width=1.25 * COLUMN_WIDTH) as (figure, axes):
        for panel, topology in zip(axes, topologies, strict=True):
            case = [row for row in rows if row["topology"] == topology]
            for name in dict.fromkeys(str(row["series"]) for row in case):
                line = [row for row in case if row["series"] == name]
                draw_line(
                    panel,
                    name,
                    [float(row["distance"]) for row in line],
                    [100 * float(row["accuracy"]) for row in line],
                    [100 * float(row["standard_error"]) for row in line],
                )
            chance = 100 / TransferTask(topology, 2, "gcn", "none").num_classes
            panel.axhline(chance, color="#767676", linewidth=0.6, linestyle=":")
            panel.set_ylim(0, 105)
            panel.set_xticks(sorted({int(row["distance"]) for row in case}))
            panel.set_title(topology.replace("-", " "))
            panel.set_xlabel("distance")
        for panel in axes[::2]:
            panel.set_ylabel("accuracy in %")
        shared_legend(figure, axes, columns=4)
        return figure


def caption(request: Request, rows: Sequence[Row]) -> str:
    """What the figure shows."""
    task = TransferTask("ring", 2, "gcn", "none")
    return (
        f"Accuracy on transfer tasks of {task.num_classes} classes (dotted: chance) against the "
        f"distance, which is also the number of convolutions; {request.trials} trials of at most "
        f"{task.steps} steps, band: standard error. Width {task.width}; 'all wide' "
        f"{task.high_width}; PANDA widens {task.share:.0%} of the nodes, by betweenness, to "
        f"{task.high_width}; FoSR adds {task.iterations} edges."
    )
