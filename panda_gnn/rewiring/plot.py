"""One graph drawn before and after a rewiring."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from torch_geometric.data import Data
from torch_geometric.utils import to_networkx

from panda_gnn.errors import InputError, require

Edges = set[tuple[int, int]]


def plot_rewiring(before: Data, after: Data, path: str | Path, title: str) -> None:
    """Draw a graph twice in one layout: edges to go are dashed, new edges are red.

    Args:
        before: one undirected graph.
        after: the same graph, rewired; a node more than before is drawn in the middle.
        path: the picture; its suffix decides the format (png, pdf, svg).
        title: printed above.
    """
    figures = require("matplotlib.figure", "plot")
    networkx = require("networkx", "plot")
    figure = figures.Figure(figsize=(9, 4.8), layout="constrained")
    formats = figure.canvas.get_supported_filetypes()
    suffix = Path(path).suffix.lstrip(".").lower()
    if suffix not in formats:
        raise InputError(f"cannot draw '{path}': the name must end in one of {', '.join(formats)}")
    graph = to_networkx(before, to_undirected=True, remove_self_loops=True)
    place = networkx.spring_layout(graph, seed=0)
    at = np.array([place[node] for node in range(len(graph))])
    at = np.concatenate([at, np.repeat(at.mean(0, keepdims=True), _nodes(after) - len(at), 0)])
    old, new = _edges(before), _edges(after)
    size = min(60.0, 6000.0 / max(len(at), 1))
    panels = figure.subplots(1, 2)
    for panel, nodes in zip(panels, (_nodes(before), _nodes(after)), strict=True):
        panel.set_axis_off()
        panel.scatter(at[:nodes, 0], at[:nodes, 1], s=size, color="tab:blue", zorder=3)
    _draw(panels[0], at, old & new, color="0.6", linewidth=0.8)
    _draw(panels[0], at, old - new, color="0.3", linewidth=1.0, linestyle="--")
    _draw(panels[1], at, old & new, color="0.6", linewidth=0.8)
    _draw(panels[1], at, new - old, color="tab:red", linewidth=1.0)
    panels[0].set_title(f"before: {len(old)} edges, {len(old - new)} to go (dashed)")
    panels[1].set_title(f"after: {len(new)} edges, {len(new - old)} new (red)")
    figure.suptitle(title)
    try:
        figure.savefig(path, dpi=150)
    except OSError as error:
        raise InputError(f"the picture cannot be saved as '{path}': {error.strerror}") from error


def _nodes(data: Data) -> int:
    return int(data.num_nodes or 0)


def _edges(data: Data) -> Edges:
    """The edges without direction and without self-loops."""
    return {(min(u, v), max(u, v)) for u, v in data.edge_index.t().tolist() if u != v}


def _draw(panel: Any, at: Any, edges: Edges, **style: Any) -> None:
    """Draw ``edges`` between the places ``at``."""
    collections = require("matplotlib.collections", "plot")
    lines = [(at[u], at[v]) for u, v in sorted(edges)]
    panel.add_collection(collections.LineCollection(lines, zorder=2, **style))
