"""The graphs of a whole dataset summed up, in the terminal and as a page."""

from __future__ import annotations

import html
import shlex
from collections.abc import Sequence
from typing import Any

import torch
from rich.console import Console
from torch_geometric.data import Data

from panda_gnn.diagnostics.dataset_summary import QUANTITIES, DatasetSummary
from panda_gnn.reports.diagnose.maps import DRAWN_NODES, graph_maps
from panda_gnn.reports.diagnose.model_choice import ModelChoice
from panda_gnn.reports.diagnose.numbers import edge_measures
from panda_gnn.reports.drawing.scale import number
from panda_gnn.reports.grids import Grid, as_html, as_text, print_lead
from panda_gnn.reports.pages.document import html_page
from panda_gnn.reports.pages.frame import table


def graphs_in_words(summary: DatasetSummary) -> str:
    """Which graphs were measured, and for which depth."""
    count, all_graphs = len(summary.measured), summary.num_graphs
    which = f"{count} of {all_graphs} graphs" if count < all_graphs else f"{count} graphs"
    if all_graphs == 1:
        which = "1 graph"
    return f"{which}, for a model of {summary.depth} message-passing layers"


def summary_sentences(summary: DatasetSummary) -> list[str]:
    """What to know about the graphs."""
    said = []
    needed, reached = summary.spread("mean distance")[0], summary.spread("range")[0]
    if needed == needed:
        said.append(
            f"Averaging over neighbours {summary.depth} times brings a node what is {reached:.2f} "
            f"hops away on average; a task that needs all nodes alike needs {needed:.2f}."
        )
    far = summary.spread("out of reach")[0]
    if far > 0:
        said.append(
            f"{far:.0%} of the connected pairs are more than {summary.depth} hops apart: out of "
            "reach, whatever the width."
        )
    bridges, gap = summary.spread("bridges")[0], summary.spread("spectral gap")[2]
    alone = summary.num_graphs == 1
    if bridges > 0:
        have = "the graph has" if alone else "half of the graphs have"
        most = "" if alone else "at most "
        said.append(
            f"{bridges:.0%} of the edges are bridges; {have} a spectral gap of {most}{number(gap)}."
        )
    apart = summary.values["components"]
    if bool((apart > 1).any()):
        share = f"{float((apart > 1).double().mean()):.0%} of the graphs have several"
        have = f"The graph has {int(apart[0])}" if alone else share
        said.append(f"{have} components: no messages pass between them.")
    prevalence, intensity = summary.spread("prevalence")[0], summary.spread("intensity")[0]
    if prevalence == prevalence:
        said.append(
            f"{prevalence:.0%} of the pairs gain share in each other's walks with more depth "
            f"(prevalence), by {number(intensity)} a layer (intensity)."
        )
    return said or ["The graphs have no edges: no model can pass a message."]


def summary_grid(summary: DatasetSummary) -> Grid:
    """Every quantity with its spread over the graphs."""
    return Grid(
        "The graphs",
        "Mean, least, median and greatest over the graphs measured.",
        ("quantity", "mean", "least", "median", "greatest", "what it is"),
        [(name, *map(number, summary.spread(name)), about) for name, about in QUANTITIES.items()],
        ends_in_words=True,
    )


def print_summary(summary: DatasetSummary, title: str, console: Console) -> None:
    """Print the summary."""
    print_lead(console, title, graphs_in_words(summary), summary_sentences(summary))
    console.print(as_text(summary_grid(summary).without_last()))


def dataset_page(
    summary: DatasetSummary, graphs: Sequence[Data], title: str, source: str, command: str
) -> str:
    """The page: what to know, histograms, the graphs at the ends to open, and all graphs.

    Args:
        summary: What was measured.
        graphs: The graphs of the dataset.
        title: What to call it.
        source: What the command line calls it.
        command: The command line that makes the page again.
    """
    opened: dict[int, dict[str, Any]] = {}
    ends = []
    for name, places in summary.ends().items():
        cells = []
        for place in places:
            index = summary.measured[place]
            if int(graphs[index].num_nodes or 0) > DRAWN_NODES:
                cells.append(f"graph {index} (too large to draw)")
                continue
            if index not in opened:
                opened[index] = _graph(graphs[index], index, title, source)
            cells.append(
                f'<button type="button" data-graph="{index}">graph {index}</button> '
                f"({html.escape(number(float(summary.values[name][place])))})"
            )
        ends.append(f"<tr><td>{html.escape(name)}</td><td>{cells[0]}</td><td>{cells[1]}</td></tr>")
    columns = ["graph", *QUANTITIES]
    values = torch.stack([summary.values[name] for name in QUANTITIES], 1).tolist()
    rows = [[index, *row] for index, row in zip(summary.measured, values, strict=True)]
    cells_of_rows = [[str(row[0]), *map(number, row[1:])] for row in rows]
    maps = (
        "<h2>Distributions</h2><p>A bar shows its graphs in the table below.</p>"
        '<div id="histograms" class="grid three"></div>'
        "<section><h2>The graphs at the ends</h2><div class='scroll'><table><thead><tr>"
        '<th scope="col">quantity</th><th scope="col">least</th><th scope="col">greatest</th>'
        f"</tr></thead><tbody>{''.join(ends)}</tbody></table></div></section>"
        '<section id="opened" hidden></section>'
    )
    graphs_table = table(columns, cells_of_rows, label="Graph by graph", name="graphs")
    return html_page(
        title=title,
        lead=graphs_in_words(summary),
        sentences=summary_sentences(summary),
        command=command,
        maps=maps,
        wide=[
            f"<section><h2>Graph by graph</h2>{graphs_table}</section>",
            as_html(summary_grid(summary)),
        ],
        data={
            "kind": "dataset",
            "columns": columns,
            "rows": rows,
            "graphs": {str(index): graph for index, graph in opened.items()},
            "shown": ["edge:effective resistance", "edge:curvature"],
        },
        scripts=("explorer.js",),
    )


def _graph(data: Data, index: int, title: str, source: str) -> dict[str, Any]:
    """The maps of a graph at an end."""
    names = data.get("node_names") or [str(node) for node in range(int(data.num_nodes or 0))]
    first = ModelChoice().centrality
    maps = graph_maps(data, names, [], edge_measures(data), centrality_name=first)
    words = shlex.join(["panda", "diagnose", source, "--graph", str(index)])
    return {**maps, "title": f"{title}, graph {index}", "command": words}
