"""One graph drawn with its nodes coloured by centrality."""

from __future__ import annotations

import math
from pathlib import Path

from torch import Tensor
from torch_geometric.data import Data

from panda_gnn.reports.layout import layout
from panda_gnn.reports.pictures import draw_edges, empty_picture, save_picture, undirected_pairs


def plot_centrality(data: Data, scores: dict[str, Tensor], path: str | Path, title: str) -> None:
    """Draw ``data`` once per measure, in the same layout, and save the picture.

    Args:
        data: one undirected graph.
        scores: a score per node, by measure.
        path: the picture; its suffix decides the format (png, pdf, svg).
        title: printed above.
    """
    columns = min(len(scores), 4)
    rows = math.ceil(len(scores) / columns)
    figure = empty_picture(path, (3.6 * columns, 3.4 * rows + 0.4))
    at, pairs = layout(data), undirected_pairs(data)
    size = min(60.0, 6000.0 / len(at))
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for panel in panels:
        panel.set_axis_off()
        panel.set_aspect("equal")
    for panel, (name, values) in zip(panels, scores.items(), strict=False):
        draw_edges(panel, at, pairs, color="0.8", linewidth=0.6)
        dots = panel.scatter(*at.t().tolist(), c=values.cpu().numpy(), s=size, cmap="viridis")
        figure.colorbar(dots, ax=panel, shrink=0.7)
        panel.set_title(name)
    figure.suptitle(title)
    save_picture(figure, path)
