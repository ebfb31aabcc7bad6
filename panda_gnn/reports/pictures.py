"""Pictures of graphs: an empty one, edges, and saving."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch import Tensor
from torch_geometric.data import Data

from panda_gnn.errors import InputError, require

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def empty_picture(path: str | Path, size: tuple[float, float]) -> Figure:
    """A figure of ``size`` inches that can be saved as ``path``."""
    figures = require("matplotlib.figure", "plot")
    figure: Figure = figures.Figure(figsize=size, layout="constrained")
    formats = figure.canvas.get_supported_filetypes()
    if Path(path).suffix.lstrip(".").lower() not in formats:
        raise InputError(f"cannot draw '{path}': the name must end in one of {', '.join(formats)}")
    return figure


def undirected_pairs(data: Data) -> set[tuple[int, int]]:
    """The edges without direction and without self-loops."""
    return {(min(u, v), max(u, v)) for u, v in data.edge_index.t().tolist() if u != v}


def draw_edges(panel: Axes, at: Tensor, edges: Iterable[tuple[int, int]], **style: Any) -> None:
    """Draw ``edges`` between the positions ``at`` below the nodes."""
    collections = require("matplotlib.collections", "plot")
    place = at.tolist()
    lines = [(place[u], place[v]) for u, v in sorted(edges)]
    panel.add_collection(collections.LineCollection(lines, zorder=1, **style))


def save_picture(figure: Figure, path: str | Path) -> None:
    """Write the figure."""
    try:
        figure.savefig(path, dpi=150)
    except OSError as error:
        raise InputError(f"the picture cannot be saved as '{path}': {error.strerror}") from error
