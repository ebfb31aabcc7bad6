"""``panda centrality``: the centralities of a dataset, how long they take, and who else agrees."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from panda_gnn.cli.names import names_of
from panda_gnn.cli.options import (
    add_dataset_argument,
    add_drawing_arguments,
    add_whole,
    drawn_graphs,
    names,
)
from panda_gnn.errors import choose

if TYPE_CHECKING:  # options are read, and explained, without torch
    from panda_gnn.centrality.comparison import LibraryTimes, TimedScores


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    add_dataset_argument(parser)
    parser.add_argument(
        "--measure",
        type=names,
        default=["all"],
        metavar="NAMES",
        help=f"all (the default), or some of {', '.join(names_of('centralities'))}, with commas",
    )
    parser.add_argument(
        "--against",
        type=names,
        default=[],
        metavar="NAMES",
        help="compare with igraph, networkx or igraph,networkx",
    )
    add_whole(
        parser,
        "--reference-graphs",
        "how many graphs networkx gets; its times are extrapolated",
        30,
    )
    add_whole(
        parser,
        "--samples",
        "estimate betweenness, closeness and load from N nodes of each component",
        least=2,
    )
    add_whole(parser, "--seed", "of all that is drawn", 0, least=0)
    add_whole(parser, "--threads", "how many (as many as torch uses)")
    add_drawing_arguments(parser, ", coloured by each measure")


def run(options: argparse.Namespace) -> None:
    """Compute, compare, print and draw."""
    import torch
    from rich.console import Console

    from panda_gnn.centrality import compile_kernels
    from panda_gnn.centrality.comparison import library_times, timed, timed_scores
    from panda_gnn.centrality.references import reference
    from panda_gnn.graph.rows import read_graphs
    from panda_gnn.reports.drawing.graph_pictures import plot_centrality
    from panda_gnn.reports.table_formats import text_table

    measures = _measures(options)
    for library in options.against:
        reference(choose("library", library, ("igraph", "networkx")))
    (dataset, printed), number = drawn_graphs(options), options.graph
    compile_kernels(*measures)
    csr, seconds = timed(read_graphs, dataset, "panda centrality")
    threads = options.threads or torch.get_num_threads()
    results = timed_scores(
        csr, measures, threads=threads, seed=options.seed, samples=options.samples
    )
    if options.plot:
        nodes = slice(csr.node_ptr[number], csr.node_ptr[number + 1])
        scores = {name: torch.from_numpy(result.scores[nodes]) for name, result in results.items()}
        plot_centrality(dataset[number], scores, options.plot, f"{printed}, graph {number}")
        print(f"drew graph {number} in {options.plot}")
    notes = [f"{csr.num_graphs} graphs, {csr.num_nodes} nodes, read in {seconds:.2f} s"]
    compared = {}
    for library in options.against:
        count = options.reference_graphs if library == "networkx" else csr.num_graphs
        times = library_times(csr, results, library, graphs=count, seed=options.seed)
        compared[library] = times
        notes.append(
            f"{library} on all graphs"
            if times.num_graphs == csr.num_graphs
            else f"{library} on {times.num_graphs} graphs drawn by cost (seed {options.seed}), "
            "its times extrapolated to all"
        )
    lines = [_line(name, result, compared) for name, result in results.items()]
    if options.json:
        print(json.dumps(lines, indent=1))
        return
    rows = [list(line.values()) for line in lines]
    Console().print(text_table(list(lines[0]), rows, title=printed, caption="; ".join(notes)))


def _measures(options: argparse.Namespace) -> list[str]:
    from panda_gnn.centrality import CENTRALITIES
    from panda_gnn.centrality.families import SAMPLED

    known = CENTRALITIES if options.samples is None else SAMPLED
    what = "centrality" if options.samples is None else "centrality that can be sampled"
    if options.measure == ["all"]:
        return list(known)
    return [choose(what, name, known) for name in options.measure]


def _line(name: str, result: TimedScores, compared: Mapping[str, LibraryTimes]) -> dict[str, str]:
    """The cells of a centrality's line, by column."""
    first = result.computed_with
    cells = {
        "measure": name,
        "seconds": f"{result.seconds:.2f}" if first is None else f"with {first}",
    }
    if not compared:
        cells["mean"] = f"{result.scores.mean():.4g}"
        cells["largest"] = f"{result.scores.max():.4g}"
    if result.error is not None:
        cells["largest error"] = f"{result.error:.1e}"
    for library, times in compared.items():
        known = name in times.seconds
        cells[f"{library} s"] = f"{times.seconds[name]:.1f}" if known else ""
        cells[f"{library} differs"] = f"{times.difference[name]:.1g}" if known else ""
    return cells
