"""A molecule of MUTAG with its high nodes marked: what PANDA looks at, in one picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from panda_gnn.centrality import centrality
from panda_gnn.datasets import load
from panda_gnn.evaluation.study import Study
from panda_gnn.reports.drawing.layout import layout
from panda_gnn.reports.drawing.panels import CsvRow, Figure, blank_panels
from panda_gnn.reports.drawing.style import GREY, ORANGE, SKY, Sheet
from panda_gnn.reports.figures.request import Request, config_of
from panda_gnn.transforms import ExpandWidth

#: The molecule that is drawn: three rings, a ketone and a nitro group.
GRAPH = 17
ATOMS = ("C", "N", "O", "F", "I", "Cl", "Br")


def rows(request: Request, study: Study) -> list[CsvRow]:
    """One row for each atom: where it is drawn, its neighbours, its betweenness, its width."""
    data = load("mutag", root=request.root, mirror=request.mirror)[GRAPH]
    config = config_of(study.select(["mutag"], ["gcn"]), "panda")
    settings: Any = config.settings
    name = settings["centrality"]
    scores = centrality(name, data)
    high = ExpandWidth(name, settings["k"])(data).high
    place = layout(data)
    source, target = data.edge_index
    return [
        {
            "atom": ATOMS[int(data.x[node].argmax())],
            "x": float(place[node, 0]),
            "y": float(place[node, 1]),
            "neighbours": " ".join(str(int(v)) for v in target[source == node]),
            name: float(scores[node]),
            "width": settings["high_width"] if high[node] else config.width,
        }
        for node in range(data.num_nodes)
    ]


def draw(rows: Sequence[CsvRow], sheet: Sheet) -> Figure:
    """Bonds as lines, atoms as discs, those of high nodes larger and orange."""
    with blank_panels(1, sheet, columns=1) as (figure, axes):
        panel = axes[0]
        for node, row in enumerate(rows):
            for other in map(int, str(row["neighbours"]).split()):
                if node < other:
                    ends = (row, rows[other])
                    panel.plot(
                        [float(end["x"]) for end in ends],
                        [float(end["y"]) for end in ends],
                        color=GREY,
                        linewidth=1.2,
                        zorder=1,
                    )
        narrow = min(int(row["width"]) for row in rows)
        for width in sorted({int(row["width"]) for row in rows}):
            own = [row for row in rows if row["width"] == width]
            panel.scatter(
                [float(row["x"]) for row in own],
                [float(row["y"]) for row in own],
                s=70 if width == narrow else 190,
                color=SKY if width == narrow else ORANGE,
                edgecolors="black",
                linewidths=0.6,
                label=f"{'low' if width == narrow else 'high'} node, width {width}",
                zorder=2,
            )
        for row in rows:
            panel.annotate(
                str(row["atom"]),
                (float(row["x"]), float(row["y"])),
                ha="center",
                va="center",
                fontsize=6,
            )
        panel.set_aspect("equal")
        panel.margins(0.08)
        panel.axis("off")
        panel.legend(loc="upper right", markerscale=0.6)
        return figure


def caption(request: Request, study: Study, rows: Sequence[CsvRow]) -> str:
    """What the figure shows."""
    high = sum(int(row["width"]) > 64 for row in rows)
    return (
        f"Molecule {GRAPH} of MUTAG. The {high} of {len(rows)} atoms of highest betweenness have "
        "the wider state."
    )
