"""``panda rewire DATASET --method all``: what each rewiring does to the same graphs."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from rich.console import Console
from torch_geometric.data import Data

from panda_gnn.diagnostics.quantities import count_edges, edge_changes, graph_quantities, homophily
from panda_gnn.errors import InputError
from panda_gnn.graph.parallel import in_parallel
from panda_gnn.reports.drawing.graph_pictures import plot_rewirings
from panda_gnn.reports.table_formats import text_table
from panda_gnn.rewiring import Rewiring, rewire_dataset

Effects = dict[str, float | str | None]

#: What is counted of all graphs together, and how long it took; the rest is measured.
COUNTED = ("edges", "added", "removed", "new nodes", "seconds")


def compare_all(
    graphs: Sequence[Data],
    rewirings: Mapping[str, Rewiring],
    *,
    quick: bool = False,
    threads: int | None = None,
    check: Callable[[Rewiring], None] = lambda rewiring: None,
    drawn: int = 0,
) -> tuple[list[Effects], dict[str, Data]]:
    """What each rewiring does to some graphs, and one graph as each leaves it.

    Args:
        graphs: The graphs.
        rewirings: The rewirings by their names.
        quick: Count edges, measure nothing else.
        threads: How many graphs at a time.
        check: Raises an error where a rewiring must not be tried.
        drawn: Which graph to return.

    Returns:
        A line for the graphs as they are and one for each rewiring, with the sentence under
        ``refused`` where it takes none of these graphs; and the rewired graphs by name.
    """
    lines = [_effects("before", graphs, graphs, None, quick, threads)]
    pictures = {}
    for name, rewiring in rewirings.items():
        begin = time.perf_counter()
        try:
            check(rewiring)
            rewired = rewire_dataset(graphs, rewiring, cache=False, threads=threads)
        except InputError as error:
            lines.append({"method": name, "refused": str(error)})
            continue
        seconds = time.perf_counter() - begin
        lines.append(_effects(name, graphs, rewired, seconds, quick, threads))
        pictures[name] = rewired[drawn]
    return lines, pictures


def _effects(
    name: str,
    before: Sequence[Data],
    after: Sequence[Data],
    seconds: float | None,
    quick: bool,
    threads: int | None,
) -> Effects:
    """One line: sums of edges and nodes over graphs, means of everything else."""
    cost = [int(data.num_edges) for data in after]
    measured = in_parallel(count_edges if quick else graph_quantities, after, cost, name, threads)
    changes = [edge_changes(old, new) for old, new in zip(before, after, strict=True)]
    nodes = (
        int(new.num_nodes or 0) - int(old.num_nodes or 0)
        for old, new in zip(before, after, strict=True)
    )
    line: Effects = {
        "method": name,
        "edges": sum(one["edges"] for one in measured),
        "added": sum(added for added, _ in changes),
        "removed": sum(removed for _, removed in changes),
        "new nodes": sum(nodes),
    }
    for quantity in measured[0]:
        if quantity != "edges":
            line[quantity] = _mean([one[quantity] for one in measured])
    alike = [homophily(data) for data in after]
    if not quick and any(value is not None for value in alike):
        line["homophily"] = _mean([np.nan if value is None else value for value in alike])
    line["seconds"] = seconds
    return line


def _mean(values: Sequence[float]) -> float | None:
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else None


def report_all(
    lines: Sequence[Effects],
    pictures: Mapping[str, Data],
    graphs: Sequence[Data],
    options: Any,
    printed: str,
) -> None:
    """Draw what was asked for, and print the lines as a table or as JSON."""
    if options.plot:
        title = f"{printed}, graph {options.graph}"
        plot_rewirings(graphs[options.graph], pictures, options.plot, title)
    if options.json:
        print(json.dumps(lines))
        return
    if options.plot:
        print(f"drew graph {options.graph} in {options.plot}")
    done = [line for line in lines if "refused" not in line]
    measured = [name for name in lines[0] if name not in ("method", *COUNTED)]
    counts = f"{printed}: all rewirings, {len(graphs)} graphs, sums of edges and nodes"
    _print_columns(counts, COUNTED, done)
    if measured:
        _print_columns("means over graphs", measured, done)
    for line in lines:
        if "refused" in line:
            print(f"{line['method']}: {line['refused']}")


def _print_columns(title: str, columns: Sequence[str], lines: Sequence[Effects]) -> None:
    """Some columns of all lines, few enough for a terminal of 80 characters."""
    names = ["method", *columns]
    rows = [[_cell(name, line.get(name)) for name in names] for line in lines]
    Console().print(text_table(names, rows, title=title))


def _cell(name: str, value: float | str | None) -> str:
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    if name == "seconds":
        return f"{value:.2f}"
    return f"{value:.0f}" if name in COUNTED else f"{value:.4f}"
