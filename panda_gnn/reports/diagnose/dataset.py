"""All graphs of a dataset at a glance: how their sizes, resistances and curvatures are spread."""

from __future__ import annotations

import html
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from torch_geometric.data import Data

from panda_gnn.diagnostics import GraphSummary, summarise
from panda_gnn.errors import InputError
from panda_gnn.graph.parallel import in_parallel
from panda_gnn.reports.diagnose.maps import DRAWN_NODES, graph_maps
from panda_gnn.reports.diagnose.numbers import ModelChoice, edge_measures
from panda_gnn.reports.diagnose.text import Grid
from panda_gnn.reports.drawing.scale import number
from panda_gnn.reports.pages.frame import make_page, table

#: What is shown of every graph, and where it is in a summary.
QUANTITIES = {
    "nodes": "num_nodes",
    "edges": "num_edges",
    "components": "num_components",
    "diameter": "diameter",
    "bridges": "bridges",
    "total resistance": "total_resistance",
    "spectral gap": "spectral_gap",
    "mean curvature": "mean_curvature",
    "lowest curvature": "lowest_curvature",
}


@dataclass(frozen=True)
class DatasetDiagnosis:
    """The graphs of a dataset that were looked at.

    Attributes:
        title: What the dataset is called.
        numbers: The numbers of these graphs in the dataset.
        summaries: What was measured.
    """

    title: str
    numbers: list[int]
    summaries: list[GraphSummary]

    def values(self, quantity: str) -> np.ndarray[Any, np.dtype[np.float64]]:
        """A quantity of every graph; ``nan`` where it has none."""
        found = (getattr(summary, QUANTITIES[quantity]) for summary in self.summaries)
        return np.array([np.nan if value is None else value for value in found], dtype=np.float64)

    def ends(self) -> dict[str, tuple[int, int]]:
        """The graphs of the lowest and of the highest value of every quantity that varies."""
        places = {}
        for name in QUANTITIES:
            values = self.values(name)
            if np.isfinite(values).any() and np.nanmin(values) < np.nanmax(values):
                places[name] = (int(np.nanargmin(values)), int(np.nanargmax(values)))
        return places


def diagnose_dataset(
    graphs: Sequence[Data], title: str, count: int | None = None
) -> DatasetDiagnosis:
    """Measure all graphs of a dataset, or ``count`` of them that are spread over it."""
    numbers = list(range(len(graphs)))
    if count is not None and count < len(graphs):
        numbers = np.linspace(0, len(graphs) - 1, count).round().astype(int).tolist()
    chosen = [graphs[index] for index in numbers]
    empty = next((i for i, data in zip(numbers, chosen, strict=True) if not data.num_nodes), None)
    if empty is not None:
        raise InputError(f"graph {empty} of {title} has no nodes")
    cost = [float(data.num_nodes or 0) ** 2 for data in chosen]
    return DatasetDiagnosis(title, numbers, in_parallel(summarise, chosen, cost, "measuring"))


def spread(found: DatasetDiagnosis) -> Grid:
    """The distribution of every quantity, in five numbers, and the graphs at its ends."""
    rows = []
    for name in QUANTITIES:
        values = found.values(name)
        known = values[np.isfinite(values)]
        if not known.size:
            continue
        five = np.quantile(known, (0, 0.25, 0.5, 0.75, 1))
        low, high = (found.numbers[int(f(values))] for f in (np.nanargmin, np.nanargmax))
        rows.append((name, *(number(float(value)) for value in five), str(low), str(high)))
    columns = ("of a graph", "lowest", "25 %", "median", "75 %", "highest")
    return Grid(
        f"{len(found.numbers)} graphs",
        "The spread over the graphs, and the graphs at the ends.",
        (*columns, "graph at the low end", "at the high end"),
        rows,
    )


def dataset_page(found: DatasetDiagnosis, graphs: Sequence[Data], source: str, command: str) -> str:
    """The page: histograms, all graphs as a table, and the graphs at the ends to open."""
    model = ModelChoice()
    opened: dict[int, dict[str, Any]] = {}
    buttons = []
    for name, ends in found.ends().items():
        cells = []
        for place in ends:
            index = found.numbers[place]
            data = graphs[index]
            if int(data.num_nodes or 0) > DRAWN_NODES:
                cells.append(f"graph {index} (too large to draw)")
                continue
            if index not in opened:
                opened[index] = _graph(data, index, found.title, source, model)
            cells.append(
                f'<button type="button" data-graph="{index}">graph {index}</button> '
                f"({number(float(found.values(name)[place]))})"
            )
        buttons.append(
            f"<tr><td>{html.escape(name)}</td><td>{cells[0]}</td><td>{cells[1]}</td></tr>"
        )
    columns = ["graph", *QUANTITIES]
    values = np.array([found.values(name) for name in QUANTITIES]).T.tolist()
    rows = [
        [str(index), *(number(value) for value in row)]
        for index, row in zip(found.numbers, values, strict=True)
    ]
    body = (
        f'<header class="top"><h1>{html.escape(found.title)}</h1>'
        f'<p class="lead">{len(found.numbers)} graphs. A bar shows its graphs in the table.</p>'
        '</header><div id="histograms" class="grid three"></div>'
        "<section><h2>The graphs at the ends</h2><div class='scroll'><table><thead><tr>"
        '<th scope="col">quantity</th><th scope="col">lowest</th><th scope="col">highest</th>'
        f"</tr></thead><tbody>{''.join(buttons)}</tbody></table></div></section>"
        '<section id="opened" hidden></section>'
        f"<section><h2>All graphs</h2>{table(columns, rows, label='All graphs', name='graphs')}"
        "</section>"
    )
    data = {
        "kind": "dataset",
        "columns": columns,
        "rows": [[index, *row] for index, row in zip(found.numbers, values, strict=True)],
        "graphs": {str(index): graph for index, graph in opened.items()},
        "shown": ["edge:effective resistance", "edge:curvature"],
    }
    return make_page(f"{found.title} – panda diagnose", body, data, ("explorer.js",), command)


def _graph(data: Data, index: int, title: str, source: str, model: ModelChoice) -> dict[str, Any]:
    """The maps of a graph at an end."""
    names = data.get("node_names") or [str(node) for node in range(int(data.num_nodes or 0))]
    maps = graph_maps(data, names, [], edge_measures(data), centrality_name=model.centrality)
    words = shlex.join(["panda", "diagnose", source, "--graph", str(index)])
    return {**maps, "title": f"{title}, graph {index}", "command": words}
