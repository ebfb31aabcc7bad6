"""``panda centrality``: the centralities of a dataset, how long they take, and who else agrees."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from rich import box
from rich.console import Console
from rich.table import Table
from torch_geometric.data import InMemoryDataset

from panda_gnn.centrality import CENTRALITIES, compile_kernels
from panda_gnn.centrality.families import FAMILIES, SAMPLED
from panda_gnn.centrality.references import reference, sample_by_cost
from panda_gnn.centrality.sampling import sampled_paths
from panda_gnn.centrality.shortest_paths import quadratic_cost
from panda_gnn.cli.training import add_data_arguments
from panda_gnn.csr import BlockCSR, block_csr
from panda_gnn.datasets import DATASETS, load
from panda_gnn.errors import InputError, choose
from panda_gnn.progress import track
from panda_gnn.reports.drawing.graph_pictures import plot_centrality

Float64 = npt.NDArray[np.float64]


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


@dataclass
class Result:
    """A measure's scores, and the cells of its line in the table."""

    scores: Float64
    time: str
    error: str = ""
    compared: list[str] = field(default_factory=list)


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
    if not 0 <= options.graph < len(dataset):
        raise InputError(f"--graph is {options.graph}, it must be in 0..{len(dataset) - 1}")
    compile_kernels(*names)
    csr, seconds = _timed(block_csr, dataset, "panda centrality")
    results = _compute(csr, names, options)
    if options.plot:
        _draw(dataset, csr, results, options)
    notes = [f"{csr.num_graphs} graphs, {csr.num_nodes} nodes, read in {seconds:.2f} s"]
    for library in libraries:
        notes.append(_compare(csr, results, library, options))
    Console().print(_table(DATASETS[options.dataset].printed, results, libraries, "; ".join(notes)))


def _draw(
    dataset: InMemoryDataset,
    csr: BlockCSR,
    results: dict[str, Result],
    options: argparse.Namespace,
) -> None:
    """Draw the chosen graph, once per measure."""
    number = options.graph
    nodes = slice(csr.node_ptr[number], csr.node_ptr[number + 1])
    scores = {name: torch.from_numpy(result.scores[nodes]) for name, result in results.items()}
    plot_centrality(
        dataset[number],
        scores,
        options.plot,
        f"{DATASETS[options.dataset].printed}, graph {number}",
    )
    print(f"drew graph {number} in {options.plot}")


def _names(options: argparse.Namespace) -> list[str]:
    known = CENTRALITIES if options.samples is None else SAMPLED
    what = "centrality" if options.samples is None else "centrality that can be sampled"
    if options.samples is not None and options.samples < 2:
        raise InputError(f"--samples is {options.samples}, it must be at least 2")
    if options.measure == "all":
        return list(known)
    return [choose(what, name, known) for name in options.measure.split(",")]


def _timed(function: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    begin = time.perf_counter()
    return function(*arguments), time.perf_counter() - begin


def _compute(csr: BlockCSR, names: list[str], options: argparse.Namespace) -> dict[str, Result]:
    """Every measure's scores; those that come together are timed together."""
    threads, seed = options.threads or torch.get_num_threads(), options.seed
    if options.samples is not None:
        begin = time.perf_counter()
        scores, errors = sampled_paths(csr, samples=options.samples, seed=seed, threads=threads)
        seconds = time.perf_counter() - begin
        first = names[0]
        return {
            name: Result(
                scores[name],
                f"{seconds:.2f}" if name == first else f"with {first}",
                f"{errors[name].max():.1e}",
            )
            for name in names
        }
    results: dict[str, Result] = {}
    found: dict[str, tuple[str, dict[str, Float64]]] = {}
    for name in names:
        family = CENTRALITIES[name]
        if family in found:
            first, together = found[family]
            results[name] = Result(together[name], f"with {first}")
            continue
        together, seconds = _timed(FAMILIES[family].compute, csr, threads, seed)
        found[family] = name, together
        results[name] = Result(together[name], f"{seconds:.2f}")
    return results


def _compare(
    csr: BlockCSR, results: dict[str, Result], library: str, options: argparse.Namespace
) -> str:
    """Add a library's times and largest differences to the results; say what it was given."""
    other = reference(library)
    count = options.reference_graphs if library == "networkx" else csr.num_graphs
    numbers, stands_for = sample_by_cost(quadratic_cost(csr), count, options.seed)
    seconds = dict.fromkeys(results, 0.0)
    difference = dict.fromkeys(results, 0.0)
    pairs = list(zip(numbers.tolist(), stands_for.tolist(), strict=True))
    for number, weight in track(pairs, library):
        graph = other.graph(csr, number)
        nodes = slice(csr.node_ptr[number], csr.node_ptr[number + 1])
        for name, result in results.items():
            if name in other.measures:
                scores, spent = _timed(other.measures[name], graph)
                seconds[name] += weight * spent
                gap = np.abs(np.asarray(scores) - result.scores[nodes]).max(initial=0.0)
                difference[name] = max(difference[name], float(gap))
    for name, result in results.items():
        known = name in other.measures
        result.compared.append(f"{seconds[name]:.1f}" if known else "")
        result.compared.append(f"{difference[name]:.1g}" if known else "")
    if len(numbers) == csr.num_graphs:
        return f"{library} on all graphs"
    return (
        f"{library} on {len(numbers)} graphs drawn by cost (seed {options.seed}), "
        "its times extrapolated to all"
    )


def _table(title: str, results: dict[str, Result], libraries: list[str], caption: str) -> Table:
    table = Table(title=title, caption=caption, box=box.SIMPLE_HEAD, pad_edge=False)
    sampled = any(result.error for result in results.values())
    own = ["seconds", "mean", "largest", *(["largest error"] if sampled else [])]
    theirs = [column for name in libraries for column in (f"{name} s", "differs")]
    table.add_column("measure", no_wrap=True)
    for column in (own[:1] + own[3:] if libraries else own) + theirs:
        table.add_column(column, justify="right", no_wrap=True)
    for name, result in results.items():
        mean, largest = result.scores.mean(), result.scores.max()
        summary = [] if libraries else [f"{mean:.4g}", f"{largest:.4g}"]
        error = [result.error] if sampled else []
        table.add_row(name, result.time, *summary, *error, *result.compared)
    return table
