"""One graph drawn with its nodes coloured by centrality."""

from __future__ import annotations

import math
from pathlib import Path

from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.utils import to_networkx

from panda_gnn.errors import InputError, require


def plot_centrality(data: Data, scores: dict[str, Tensor], path: str | Path, title: str) -> None:
    """Draw ``data`` once per measure, in the same layout, and save the picture.

    Args:
        data: one undirected graph.
        scores: a score per node, by measure.
        path: the picture; its suffix decides the format (png, pdf, svg).
        title: printed above.
    """
    figures = require("matplotlib.figure", "plot")
    networkx = require("networkx", "plot")
    columns = min(len(scores), 4)
    rows = math.ceil(len(scores) / columns)
    figure = figures.Figure(figsize=(3.6 * columns, 3.4 * rows + 0.4), layout="constrained")
    formats = figure.canvas.get_supported_filetypes()
    suffix = Path(path).suffix.lstrip(".").lower()
    if suffix not in formats:
        raise InputError(f"cannot draw '{path}': the name must end in one of {', '.join(formats)}")
    graph = to_networkx(data, to_undirected=True, remove_self_loops=True)
    place = networkx.spring_layout(graph, seed=0)
    x, y = zip(*(place[node] for node in range(len(graph))), strict=True)
    size = min(60.0, 6000.0 / len(graph))
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for panel in panels:
        panel.set_axis_off()
    for panel, (name, values) in zip(panels, scores.items(), strict=False):
        for u, v in graph.edges:
            panel.plot((x[u], x[v]), (y[u], y[v]), color="0.8", linewidth=0.6, zorder=1)
        dots = panel.scatter(x, y, c=values.cpu().numpy(), s=size, cmap="viridis", zorder=2)
        figure.colorbar(dots, ax=panel, shrink=0.7)
        panel.set_title(name)
    figure.suptitle(title)
    try:
        figure.savefig(path, dpi=150)
    except OSError as error:
        raise InputError(f"the picture cannot be saved as '{path}': {error.strerror}") from error
