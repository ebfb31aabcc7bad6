"""How the pages of the site draw graphs: on no ground of their own, for light and dark pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import torch
from matplotlib_inline.backend_inline import set_matplotlib_formats
from torch import Tensor
from torch_geometric.data import Data

from panda_gnn.reports.drawing.layout import layout

#: A grey that can be read on white and on black, and the two colours of the molecule's picture.
GREY, ORANGE, BLUE = "#828a93", "#e08214", "#4393c3"


def paper_colours() -> None:
    """Pictures as SVG, without a ground, in grey and two colours."""
    show_as: Any = set_matplotlib_formats
    show_as("svg")
    style: Any = dict.fromkeys(
        ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), GREY
    )
    style |= {"savefig.transparent": True, "figure.facecolor": "none", "axes.facecolor": "none"}
    plt.rcParams.update({**style, "font.size": 9, "svg.fonttype": "none"})


def draw(
    panel: Any,
    data: Data,
    *,
    values: Tensor | None = None,
    label: str = "",
    large: Tensor | None = None,
    added: Tensor | None = None,
    names: Sequence[int] = (),
    title: str = "",
) -> None:
    """Draw a graph.

    Args:
        panel: The axes of matplotlib to draw on.
        data: An undirected graph.
        values: A number for each node, shown as its colour.
        label: What the numbers are.
        large: A mask of nodes that are drawn large and orange.
        added: Edges that are drawn in orange.
        names: Nodes whose number is written beside them.
        title: What is written above.
    """
    at = layout(data).numpy()
    for edges, ink, line in ((data.edge_index, GREY, 0.8), (added, ORANGE, 2.0)):
        if edges is not None:
            for u, v in edges.t().tolist():
                if u < v:
                    panel.plot(at[[u, v], 0], at[[u, v], 1], color=ink, linewidth=line, zorder=1)
    mask = torch.zeros(len(at), dtype=torch.bool) if large is None else large.cpu()
    size = [190 if wide else 70 for wide in mask.tolist()]
    colour: Any = [ORANGE if wide else BLUE for wide in mask.tolist()]
    if values is not None:
        colour = values.detach().cpu().numpy()
    dots = panel.scatter(*at.T, c=colour, s=size, cmap="viridis", edgecolors=GREY, zorder=2)
    if values is not None:
        panel.figure.colorbar(dots, ax=panel, label=label)
    for node in names:
        panel.annotate(str(node), at[node], xytext=(7, 7), textcoords="offset points")
    panel.set_aspect("equal")
    panel.set_axis_off()
    panel.set_title(title)
