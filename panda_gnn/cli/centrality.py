"""``panda centrality``: the centralities of a dataset, how long they take, and who else agrees."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

import torch
from rich.console import Console

from panda_gnn.centrality import CENTRALITIES, compile_kernels
from panda_gnn.centrality.comparison import (
    LibraryTimes,
    TimedScores,
    library_times,
    timed,
    timed_scores,
)
from panda_gnn.centrality.families import SAMPLED
from panda_gnn.centrality.references import reference
from panda_gnn.cli.options import add_data_arguments
from panda_gnn.datasets import DATASETS, load
from panda_gnn.errors import InputError, choose
from panda_gnn.graph.rows import read_graphs
from panda_gnn.reports.drawing.graph_pictures import plot_centrality
from panda_gnn.reports.table_formats import text_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("dataset", metavar="DATASET", help="such as mutag or reddit-binary")
    parser.add_argument(
        "--measure",
        default="all",
        metavar="NAMES",
        help=f"all (the default), or some of {', '.join(CENTRALITIES)}, with commas",
    )
    parser.add_argument(
        "--against", metavar="NAMES", help="compare with igraph, networkx or igraph,networkx"
    )
    parser.add_argument(
        "--reference-graphs",
        type=int,
        default=30,
        metavar="N",
        help="how many graphs networkx gets (30); its times are extrapolated",
    )
    parser.add_argument(
        "--samples",
        type=int,
        metavar="S",
        help="estimate betweenness, closeness and load from S nodes of each component",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of all that is drawn (0)")
    parser.add_argument("--threads", type=int, metavar="N", help="how many (as many as torch uses)")
    parser.add_argument("--plot", metavar="FILE", help="draw one graph, coloured by each measure")
    parser.add_argument(
        "--graph", type=int, default=0, metavar="N", help="which graph to draw (0, the first)"
    )
    add_data_arguments(parser)


def run(options: argparse.Namespace) -> None:
    """Compute, compare, print and draw."""
    names = _names(options)
    libraries = options.against.split(",") if options.against else []
    for library in libraries:
        reference(choose("library", library, ("igraph", "networkx")))
    for option in ("threads", "reference_graphs"):
        value = getattr(options, option)
        if value is not None and value < 1:
            raise InputError(f"--{option.replace('_', '-')} is {value}, it must be at least 1")
    dataset = load(options.dataset, root=options.root, mirror=options.mirror)
    number, printed = options.graph, DATASETS[options.dataset].printed
    if not 0 <= number < len(dataset):
        raise InputError(f"--graph is {number}, it must be in 0..{len(dataset) - 1}")
    compile_kernels(*names)
    csr, seconds = timed(read_graphs, dataset, "panda centrality")
    threads = options.threads or torch.get_num_threads()
    results = timed_scores(csr, names, threads=threads, seed=options.seed, samples=options.samples)
    if options.plot:
        nodes = slice(csr.node_ptr[number], csr.node_ptr[number + 1])
        scores = {name: torch.from_numpy(result.scores[nodes]) for name, result in results.items()}
        plot_centrality(dataset[number], scores, options.plot, f"{printed}, graph {number}")
        print(f"drew graph {number} in {options.plot}")
    notes = [f"{csr.num_graphs} graphs, {csr.num_nodes} nodes, read in {seconds:.2f} s"]
    compared = {}
    for library in libraries:
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
    rows = [list(line.values()) for line in lines]
    Console().print(text_table(list(lines[0]), rows, title=printed, caption="; ".join(notes)))


def _names(options: argparse.Namespace) -> list[str]:
    known = CENTRALITIES if options.samples is None else SAMPLED
    what = "centrality" if options.samples is None else "centrality that can be sampled"
    if options.samples is not None and options.samples < 2:
        raise InputError(f"--samples is {options.samples}, it must be at least 2")
    if options.measure == "all":
        return list(known)
    return [choose(what, name, known) for name in options.measure.split(",")]


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
