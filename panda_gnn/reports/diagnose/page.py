"""A diagnosis as a page."""

from __future__ import annotations

import html

from torch import Tensor

from panda_gnn.reports.diagnose.numbers import Diagnosis
from panda_gnn.reports.diagnose.text import (
    counted,
    graph_numbers,
    grids,
    model_in_words,
    sentences,
)
from panda_gnn.reports.drawing.layout import layout
from panda_gnn.reports.drawing.svg import ColourScale, draw_graph
from panda_gnn.reports.grids import as_html
from panda_gnn.reports.pages import html_page

DRAWN_NODES = 1000
"""Larger graphs are not drawn: nobody could see anything."""


def diagnosis_page(diagnosis: Diagnosis, command: str, drawn_nodes: int = DRAWN_NODES) -> str:
    """The page: sentences, maps of the graph, tables, and the command that made it."""
    nodes, edges, layers, distances, remedies = grids(diagnosis)
    return html_page(
        title=diagnosis.title,
        lead=model_in_words(diagnosis),
        sentences=sentences(diagnosis),
        command=command,
        numbers=graph_numbers(diagnosis),
        maps=_maps(diagnosis, drawn_nodes),
        tables=[as_html(grid) for grid in (nodes, edges, layers)],
        wide=[as_html(distances, shaded=2), as_html(remedies)],
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
            "Resistance curvature",
            "Curvature of every edge from effective resistance; negative where both sides hang "
            "together by few others.",
            "curvature",
            ColourScale.around_zero(diagnosis.link_curvature),
            {"edge_values": diagnosis.link_curvature},
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
