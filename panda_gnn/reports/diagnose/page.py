"""A diagnosis as one HTML page that needs nothing but itself."""

from __future__ import annotations

import html
import math

import torch

from panda_gnn.reports.diagnose.maps import DRAWN_NODES, graph_maps
from panda_gnn.reports.diagnose.numbers import Diagnosis
from panda_gnn.reports.diagnose.text import (
    Grid,
    graph_numbers,
    grids,
    model_in_words,
    sentences,
)
from panda_gnn.reports.drawing.scale import ColourScale
from panda_gnn.reports.pages.frame import items, make_page


def diagnosis_page(diagnosis: Diagnosis, command: str, drawn_nodes: int = DRAWN_NODES) -> str:
    """The page: sentences, linked maps of the graph, tables, and the command that made it."""
    model, num_nodes = diagnosis.model, diagnosis.summary.num_nodes
    high = "are" if model.width_aware else "would be"
    numbers = "".join(
        f"<div><dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd></div>"
        for name, value in graph_numbers(diagnosis)
    )
    nodes, edges, layers, distances, remedies = grids(diagnosis)
    graph = None
    maps = (
        f'<p class="note">The graph has {num_nodes} nodes; graphs of up to {drawn_nodes} are '
        "drawn.</p>"
    )
    if num_nodes <= drawn_nodes:
        graph = graph_maps(
            diagnosis.data,
            diagnosis.names,
            diagnosis.node_measures,
            diagnosis.edge_measures,
            diagnosis.rewired,
            centrality_name=model.centrality,
            k=model.k,
            seed=model.seed,
        )
        maps = (
            f"<h2>Maps</h2><p>Nodes with a thick rim {high} wide in this model; k and the "
            'centrality can be changed here to see others.</p><div id="explorer"></div>'
        )
    body = (
        f'<header class="top"><h1>{html.escape(diagnosis.title)}</h1>'
        f'<p class="lead">{html.escape(model_in_words(diagnosis))}</p>'
        f"<ul>{items(sentences(diagnosis))}</ul></header>"
        f'<dl class="numbers">{numbers}</dl>{maps}'
        f'<div class="grid three">{"".join(grid_table(grid) for grid in (nodes, edges, layers))}'
        f'</div><div class="grid">{grid_table(distances, shaded=2)}{grid_table(remedies)}</div>'
    )
    first = [measure.name for measure in diagnosis.node_measures]
    shown = [f"node:{name}" for name in (model.centrality, *first)]
    shown[1:1] = [f"edge:{measure.name}" for measure in diagnosis.edge_measures[:2]]
    data = {"kind": "graph", "graph": graph, "shown": shown[:4]}
    return make_page(f"{diagnosis.title} – panda diagnose", body, data, ("explorer.js",), command)


def grid_table(grid: Grid, shaded: int | None = None) -> str:
    """A table; from column ``shaded`` on, cells are the darker the larger their number."""
    head = "".join(f'<th scope="col">{html.escape(column)}</th>' for column in grid.columns)
    scale = _logarithms(grid, shaded) if shaded is not None else None
    rows = []
    for row in grid.rows:
        cells = []
        for place, cell in enumerate(row):
            style = ""
            if scale is not None and shaded is not None and place >= shaded:
                value = _logarithm(cell)
                colour = f' style="background:{scale(value)}"'
                style = ' class="nothing"' if math.isnan(value) else colour
            cells.append(f"<td{style}>{html.escape(cell)}</td>")
        rows.append(f"<tr>{''.join(cells)}</tr>")
    kind = "shaded" if shaded is not None else "plain"
    return (
        f'<section class="{kind}"><h2>{html.escape(grid.title)}</h2>'
        f"<p>{html.escape(grid.about)}</p>"
        f'<div class="scroll" tabindex="0" role="region" aria-label="{html.escape(grid.title)}">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
        "</section>"
    )


def _logarithm(cell: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        return math.nan
    return math.log10(value) if value > 0 else math.nan


def _logarithms(grid: Grid, shaded: int) -> ColourScale:
    values = torch.tensor([_logarithm(cell) for row in grid.rows for cell in row[shaded:]])
    scale = ColourScale.of(values)
    return ColourScale(scale.low, scale.high, ("#FFFFFF", "#FDEBC0", "#F7C873"))
