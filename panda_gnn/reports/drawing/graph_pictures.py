"""Pictures of one graph: coloured by centrality, and before and after a rewiring."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

import torch
from torch import Tensor
from torch_geometric.data import Data

from panda_gnn.errors import InputError, require
from panda_gnn.reports.drawing.layout import layout
from panda_gnn.reports.drawing.style import BLACK, BLUE, POINTS, SKY, STYLE, VERMILION

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Parameters = ParamSpec("Parameters")


def in_style(plot: Callable[Parameters, None]) -> Callable[Parameters, None]:
    """Draw and save in the style of all figures."""

    @wraps(plot)
    def styled(*args: Parameters.args, **options: Parameters.kwargs) -> None:
        with require("matplotlib", "plot").rc_context(STYLE):
            plot(*args, **options)

    return styled


@in_style
def plot_centrality(data: Data, scores: Mapping[str, Tensor], path: str | Path, title: str) -> None:
    """Draw ``data`` once per measure, in the same layout, and save the picture.

    Args:
        data: one undirected graph.
        scores: a score per node, by measure.
        path: the picture; its suffix decides the format (png, pdf, svg).
        title: printed above.
    """
    columns = min(len(scores), 4)
    rows = math.ceil(len(scores) / columns)
    at, pairs = layout(data), _undirected_pairs(data)
    figure = _empty_picture(path, (3.6 * columns, (_height(at, 3.0) + 0.4) * rows + 0.4))
    size = min(60.0, 6000.0 / len(at))
    panels = _panels(figure, rows, columns)
    for panel, (name, values) in zip(panels, scores.items(), strict=False):
        _draw_edges(panel, at, pairs, color="0.8", linewidth=0.6)
        dots = panel.scatter(*_coordinates(at), c=values.cpu().numpy(), s=size, cmap="viridis")
        figure.colorbar(dots, ax=panel, shrink=0.9)
        panel.set_title(name)
    figure.suptitle(title)
    _save_picture(figure, path)


@in_style
def plot_rewiring(before: Data, after: Data, path: str | Path, title: str) -> None:
    """Draw a graph twice in one layout: removed edges dashed before, new edges vermilion after.

    Args:
        before: one undirected graph.
        after: the same graph, rewired; a node more than before is drawn in the middle.
        path: the picture; its suffix decides the format (png, pdf, svg).
        title: printed above.
    """
    at = layout(before)
    figure = _empty_picture(path, (6.75, _height(at, 3.3) + 0.7))
    new_nodes = int(after.num_nodes or 0) - len(at)
    at = torch.cat([at, at.mean(0, keepdim=True).expand(new_nodes, 2)])
    old, new = _undirected_pairs(before), _undirected_pairs(after)
    size = min(60.0, 6000.0 / max(len(at), 1))
    panels = _panels(figure, 1, 2)
    for panel, data in zip(panels, (before, after), strict=True):
        panel.scatter(
            *_coordinates(at[: data.num_nodes]),
            s=size,
            color=SKY,
            edgecolors=BLACK,
            linewidths=0.5,
            zorder=3,
        )
        _draw_edges(panel, at, old & new, color="0.6", linewidth=0.8)
    _draw_edges(panels[0], at, old - new, color="0.3", linewidth=1.0, linestyle="--")
    _draw_edges(panels[1], at, new - old, color=VERMILION, linewidth=1.2)
    removed, added = len(old - new), len(new - old)
    panels[0].set_title(
        f"before: {len(old)} edges" + (f", {removed} removed later (dashed)" if removed else "")
    )
    panels[1].set_title(f"after: {len(new)} edges" + (f", {added} new (red)" if added else ""))
    figure.suptitle(title)
    _save_picture(figure, path)


@in_style
def plot_rewirings(before: Data, rewired: Mapping[str, Data], path: str | Path, title: str) -> None:
    """Draw a graph and what every rewiring makes of it, in one layout: new edges are red, edges
    that are gone are dotted, and added nodes stand among their neighbours.

    Args:
        before: one undirected graph.
        rewired: the same graph, rewired, by the name of the method.
        path: the picture; its suffix decides the format (png, pdf, svg).
        title: printed above.
    """
    columns = min(len(rewired) + 1, 5)
    rows = math.ceil((len(rewired) + 1) / columns)
    at, old = layout(before), _undirected_pairs(before)
    figure = _empty_picture(path, (2.4 * columns, (_height(at, 2.4) + 0.35) * rows + 0.4))
    size = min(24.0, 2400.0 / max(len(at), 1))
    panels = _panels(figure, rows, columns)
    for panel, (name, data) in zip(panels, {"before": before, **rewired}.items(), strict=False):
        new = _undirected_pairs(data)
        place = _with_added_nodes(at, new, int(data.num_nodes or 0))
        _draw_edges(panel, place, old & new, color="0.6", linewidth=0.7)
        _draw_edges(panel, place, old - new, color="0.4", linewidth=0.8, linestyle=":")
        _draw_edges(panel, place, new - old, color=VERMILION, linewidth=0.5, alpha=0.7)
        panel.scatter(*_coordinates(at), s=size, color=BLUE, linewidths=0, zorder=3)
        added = place[len(at) :].t().tolist()
        panel.scatter(*added, s=size / 2, color=VERMILION, linewidths=0, zorder=3)
        counts = f"+{len(new - old)} -{len(old - new)}" if name != "before" else f"{len(old)} edges"
        panel.set_title(f"{name}  {counts}", fontsize=POINTS + 1)
    figure.suptitle(f"{title}: new edges and nodes red, removed edges dotted", fontsize=POINTS + 2)
    _save_picture(figure, path)


def _with_added_nodes(at: Tensor, edges: Iterable[tuple[int, int]], num_nodes: int) -> Tensor:
    """Positions of all nodes: added ones stand in the middle of those neighbours that were there
    before, or of all nodes where they have none."""
    place = torch.cat([at, torch.zeros(num_nodes - len(at), 2, dtype=at.dtype)])
    near: dict[int, list[int]] = {}
    for u, v in edges:
        if u < len(at) <= v:
            near.setdefault(v, []).append(u)
    for v in range(len(at), num_nodes):
        place[v] = at[near[v]].mean(0) if v in near else at.mean(0)
    return place


def _height(at: Tensor, width: float) -> float:
    """Inches that a graph drawn ``width`` inches wide needs upwards, not more than that."""
    across, up = (at.max(0).values - at.min(0).values).tolist() if len(at) else (1.0, 1.0)
    return float(min(max(width * up / max(across, 1e-9), 0.3 * width), width))


def _empty_picture(path: str | Path, size: tuple[float, float]) -> Figure:
    """A figure of ``size`` inches that can be saved as ``path``."""
    figures = require("matplotlib.figure", "plot")
    figure: Figure = figures.Figure(figsize=size, layout="constrained")
    formats = figure.canvas.get_supported_filetypes()
    if Path(path).suffix.lstrip(".").lower() not in formats:
        raise InputError(f"cannot draw '{path}': the name must end in one of {', '.join(formats)}")
    return figure


def _panels(figure: Figure, rows: int, columns: int) -> list[Any]:
    """Panels to draw graphs in, row by row."""
    panels = list(figure.subplots(rows, columns, squeeze=False).flat)
    for panel in panels:
        panel.set_axis_off()
        panel.set_aspect("equal")
        panel.margins(0.06)
    return panels


def _coordinates(at: Tensor) -> tuple[list[float], list[float]]:
    """The places of nodes, along and up."""
    return at[:, 0].tolist(), at[:, 1].tolist()


def _undirected_pairs(data: Data) -> set[tuple[int, int]]:
    """The edges without direction and without self-loops."""
    return {(min(u, v), max(u, v)) for u, v in data.edge_index.t().tolist() if u != v}


def _draw_edges(panel: Axes, at: Tensor, edges: Iterable[tuple[int, int]], **style: Any) -> None:
    """Draw ``edges`` between the positions ``at`` below the nodes."""
    collections = require("matplotlib.collections", "plot")
    place = at.tolist()
    lines = [(place[u], place[v]) for u, v in sorted(edges)]
    panel.add_collection(collections.LineCollection(lines, zorder=1, **style))


def _save_picture(figure: Figure, path: str | Path) -> None:
    """Write the figure."""
    try:
        figure.savefig(path, dpi=200)
    except OSError as error:
        raise InputError(f"the picture cannot be saved as '{path}': {error.strerror}") from error
