"""One graph drawn before and after a rewiring."""

from __future__ import annotations

from pathlib import Path

import torch
from torch_geometric.data import Data

from panda_gnn.reports.layout import layout
from panda_gnn.reports.pictures import draw_edges, empty_picture, save_picture, undirected_pairs


def plot_rewiring(before: Data, after: Data, path: str | Path, title: str) -> None:
    """Draw a graph twice in one layout: edges to go are dashed, new edges are red.

    Args:
        before: one undirected graph.
        after: the same graph, rewired; a node more than before is drawn in the middle.
        path: the picture; its suffix decides the format (png, pdf, svg).
        title: printed above.
    """
    figure = empty_picture(path, (9, 4.8))
    at = layout(before)
    new_nodes = int(after.num_nodes or 0) - len(at)
    at = torch.cat([at, at.mean(0, keepdim=True).expand(new_nodes, 2)])
    old, new = undirected_pairs(before), undirected_pairs(after)
    size = min(60.0, 6000.0 / max(len(at), 1))
    panels = figure.subplots(1, 2)
    for panel, data in zip(panels, (before, after), strict=True):
        panel.set_axis_off()
        panel.set_aspect("equal")
        panel.scatter(*at[: data.num_nodes].t().tolist(), s=size, color="tab:blue", zorder=3)
        draw_edges(panel, at, old & new, color="0.6", linewidth=0.8)
    draw_edges(panels[0], at, old - new, color="0.3", linewidth=1.0, linestyle="--")
    draw_edges(panels[1], at, new - old, color="tab:red", linewidth=1.0)
    panels[0].set_title(f"before: {len(old)} edges, {len(old - new)} to go (dashed)")
    panels[1].set_title(f"after: {len(new)} edges, {len(new - old)} new (red)")
    figure.suptitle(title)
    save_picture(figure, path)
