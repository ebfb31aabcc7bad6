"""A diagnosis as a page."""

from __future__ import annotations

from panda_gnn.reports.diagnose.maps import DRAWN_NODES, graph_maps
from panda_gnn.reports.diagnose.numbers import Diagnosis
from panda_gnn.reports.diagnose.text import graph_numbers, grids, model_in_words, sentences
from panda_gnn.reports.grids import as_html
from panda_gnn.reports.pages.document import html_page


def diagnosis_page(diagnosis: Diagnosis, command: str, drawn_nodes: int = DRAWN_NODES) -> str:
    """The page: sentences, linked maps of the graph, tables, and the command that made it."""
    model, num_nodes = diagnosis.model, diagnosis.summary.num_nodes
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
        high = "are" if model.width_aware else "would be"
        maps = (
            f"<h2>Maps</h2><p>Nodes with a thick rim {high} wide in this model; k and the "
            'centrality can be changed here to see others.</p><div id="explorer"></div>'
        )
    first = [measure.name for measure in diagnosis.node_measures]
    shown = [f"node:{name}" for name in (model.centrality, *first)]
    shown[1:1] = [f"edge:{measure.name}" for measure in diagnosis.edge_measures[:2]]
    return html_page(
        title=diagnosis.title,
        lead=model_in_words(diagnosis),
        sentences=sentences(diagnosis),
        command=command,
        numbers=graph_numbers(diagnosis),
        maps=maps,
        tables=[as_html(grid) for grid in (nodes, edges, layers)],
        wide=[as_html(distances, shaded=2), as_html(remedies)],
        data={"kind": "graph", "graph": graph, "shown": shown[:4]},
        scripts=("explorer.js",),
    )
