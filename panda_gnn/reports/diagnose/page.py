"""A diagnosis as one HTML page that needs nothing but itself."""

from __future__ import annotations

import html
import math
from importlib.resources import files
from string import Template

import torch
from torch import Tensor

from panda_gnn import __version__
from panda_gnn.reports.diagnose.numbers import Diagnosis
from panda_gnn.reports.diagnose.text import (
    Grid,
    counted,
    graph_numbers,
    grids,
    model_in_words,
    sentences,
)
from panda_gnn.reports.drawing.layout import layout
from panda_gnn.reports.drawing.svg import ColourScale, draw_graph

DRAWN_NODES = 1000
"""Larger graphs are not drawn: nobody could see anything."""


def diagnosis_page(diagnosis: Diagnosis, command: str, drawn_nodes: int = DRAWN_NODES) -> str:
    """The page: sentences, maps of the graph, tables, and the command that made it."""
    template = Template(
        files("panda_gnn.reports.diagnose").joinpath("page.html").read_text("utf-8")
    )
    nodes, edges, layers, distances, remedies = grids(diagnosis)
    return template.substitute(
        title=html.escape(diagnosis.title),
        model=html.escape(model_in_words(diagnosis)),
        sentences="".join(f"<li>{html.escape(sentence)}</li>" for sentence in sentences(diagnosis)),
        numbers="".join(
            f"<div><dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd></div>"
            for name, value in graph_numbers(diagnosis)
        ),
        maps=_maps(diagnosis, drawn_nodes),
        tables="".join(_table(grid) for grid in (nodes, edges, layers)),
        distances=_table(distances, shaded=2),
        remedies=_table(remedies),
        command=html.escape(command),
        version=html.escape(__version__),
    )


def _maps(diagnosis: Diagnosis, drawn_nodes: int) -> str:
    if diagnosis.summary.num_nodes > drawn_nodes:
        return (
            f'<p class="note">The graph has {diagnosis.summary.num_nodes} nodes; graphs of up to '
            f"{drawn_nodes} are drawn.</p>"
        )
    model, position = diagnosis.model, layout(diagnosis.data)
    rims = f"the {counted(diagnosis.num_high, 'high node')}"
    if not model.width_aware:
        rims = f"the {counted(diagnosis.num_high, 'node')} that PANDA would widen"
    maps: list[tuple[str, str, str, ColourScale, dict[str, Tensor]]] = [
        (
            "High nodes",
            f"Coloured by {model.centrality}; a thick rim marks {rims}.",
            model.centrality,
            ColourScale.of(diagnosis.scores),
            {"node_values": diagnosis.scores},
        ),
        (
            "Effective resistance",
            "Of every edge; 1 is a bridge.",
            "ohm",
            ColourScale(0.0, 1.0),
            {"edge_values": diagnosis.resistance},
        ),
        (
            "Curvature",
            "Balanced Forman curvature of every edge; negative where the graph is tight.",
            "curvature",
            ColourScale.around_zero(diagnosis.curvature),
            {"edge_values": diagnosis.curvature},
        ),
        (
            "Sensitivity",
            "How much the other nodes feel each node's input, on average, after layer "
            f"{model.num_layers}.",
            "mean sensitivity",
            ColourScale.of(diagnosis.felt),
            {"node_values": diagnosis.felt},
        ),
    ]
    figures = []
    for title, about, unit, scale, values in maps:
        drawing = draw_graph(
            position,
            diagnosis.edges,
            diagnosis.names,
            title=title,
            high=diagnosis.data.high,
            scale=scale,
            **values,
        )
        head = f"<h3>{html.escape(title)}</h3><p>{html.escape(about)}</p>"
        figures.append(f"<figure>{head}{drawing}{scale.legend(unit)}</figure>")
    return "".join(figures)


def _table(grid: Grid, shaded: int | None = None) -> str:
    """A table; from column ``shaded`` on, cells are the darker the larger their number."""
    head = "".join(f"<th>{html.escape(column)}</th>" for column in grid.columns)
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
    kind = "shaded" if shaded is not None else "long" if len(grid.columns) > 5 else "short"
    return (
        f'<section class="{kind}"><h2>{html.escape(grid.title)}</h2>'
        f"<p>{html.escape(grid.about)}</p>"
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div></section>"
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
