"""Seconds per dataset and rewiring, beside the paper's times of FoSR.

    python benchmarks/rewiring.py                             the four small sets, about a minute
    python benchmarks/rewiring.py --datasets all              all six of the paper
    python benchmarks/rewiring.py --datasets collab --methods borf,sdrf
    python benchmarks/rewiring.py --nodes 2000,4000,8000 --methods laser
    python benchmarks/rewiring.py --nodes 10000,100000,1000000 --limit 20
    python benchmarks/rewiring.py --digl                      its dense inverse beside pushing

Every cell is the time of the whole dataset on the clock and, in brackets, of the processor, all
threads together: other programs on the machine disturb the first. Graphs are in memory before and
rewired ones are dropped at once; compiling, once per installation, is not counted. With ``--nodes``
every graph is rewired once, on one thread, in a process of its own, and the most memory that it
needed beyond the graph is told beside the seconds; the growth is the exponent of the number of
nodes between the last two sizes. A method is not tried on larger graphs after it took longer than
``--limit`` seconds or refused.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import os
import resource
import time
from multiprocessing.connection import Connection
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.utils import to_undirected

from panda_gnn import rewiring
from panda_gnn.datasets import DATASETS, load
from panda_gnn.errors import InputError, choose
from panda_gnn.graph.parallel import in_parallel
from panda_gnn.graph.rows import undirected_edges
from panda_gnn.paper import published

SMALL = ("imdb-binary", "mutag", "enzymes", "proteins")
METHODS: dict[str, rewiring.Rewiring] = {
    "fosr": rewiring.FoSR(10),
    "gtr": rewiring.GTR(10),
    "gtr-sketch": rewiring.GTR(10, sketch=64),
    "digl": rewiring.DIGL(),
    "digl-pushed": rewiring.DIGL(approximate=True),
    "sdrf": rewiring.SDRF(10),
    "sdrf-removal": rewiring.SDRF(10, removal_bound=0.5),
    "borf": rewiring.BORF(3, 3, 1),
    "fa": rewiring.FullyAdjacent(),
    "afrc": rewiring.AFRC(),
    "expander": rewiring.Expander(),
    "laser": rewiring.LASER(),
    "virtual-node": rewiring.VirtualNode(),
    "role-nodes": rewiring.VirtualNode(2),
    "cayley": rewiring.Cayley(),
    "proxy-add": rewiring.ProxyAdd(10),
    "proxy-delete": rewiring.ProxyDelete(10),
    "goku": rewiring.GOKU(),
    "heat": rewiring.HeatKernel(),
    "half-hop": rewiring.HalfHop(),
    "central-edges": rewiring.CentralEdges(5),
    "jdr": rewiring.JDR(),
}


def mirror() -> Path | None:
    """The folder with the archives of the datasets, if there is one."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("PANDA_DATA_MIRROR", beside))
    return folder if folder.is_dir() else None


def seconds(graphs: list[Data], method: str, threads: int) -> str:
    """The times of one method on one dataset."""
    transform = METHODS[method]

    def number_of_edges(data: Data) -> int:
        return int(transform(data).num_edges)

    number_of_edges(graphs[0])  # compiles
    clock, processor = time.perf_counter(), time.process_time()
    cost = [int(data.num_edges) for data in graphs]
    in_parallel(number_of_edges, graphs, cost, method, threads)
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    return f"{clock:.2f} ({processor:.2f})"


def growth(num_nodes: int) -> Data:
    """A connected graph with three edges for each node, of which none is a hub."""
    generator = torch.Generator().manual_seed(0)
    node = torch.arange(num_nodes)
    steps = torch.randint(1, 20, (2, num_nodes), generator=generator)
    target = torch.cat([node + 1, node + steps[0], node + steps[1]]) % num_nodes
    edge_index = to_undirected(torch.stack([node.repeat(3), target]), num_nodes=num_nodes)
    x = torch.rand(num_nodes, 8, generator=generator)
    return Data(x=x, edge_index=edge_index, num_nodes=num_nodes)


def _rewire_in_process(data: Data, method: str, sender: Connection) -> None:
    """Send the seconds and the MiB that one rewiring takes, or the sentence of a refusal."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = time.process_time()
    try:
        METHODS[method](data)
    except InputError as error:
        sender.send(str(error))
        return
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    sender.send((time.process_time() - begin, (after - before) / 1024))


def once(data: Data, method: str, limit: float) -> tuple[float, float] | str:
    """Seconds and MiB of one rewiring, or why there are none."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    fork = multiprocessing.get_context("fork")
    process = fork.Process(target=_rewire_in_process, args=(data, method, sender))
    process.start()
    answer: tuple[float, float] | str = f"took more than {limit:g} s"
    if receiver.poll(limit):
        answer = receiver.recv()
    process.kill()
    process.join()
    return answer


def print_growth(sizes: list[int], methods: list[str], limit: float) -> None:
    """One line for each method and size, and how the seconds grow."""
    small = growth(50)
    for method in methods:
        METHODS[method](small)  # compiles
    for method in methods:
        known: list[tuple[int, float]] = []
        for size in sizes:
            answer = once(growth(size), method, limit)
            if isinstance(answer, str):
                print(f"{method:>14} {size:>9} nodes: {answer}", flush=True)
                break
            seconds_taken, memory = answer
            text = f"{seconds_taken:.2f} s, {memory:.0f} MiB"
            known.append((size, max(seconds_taken, 1e-3)))
            print(f"{method:>14} {size:>9} nodes: {text}", flush=True)
        if len(known) > 1:
            (n, s), (m, t) = known[-2:]
            exponent = math.log(t / s) / math.log(m / n)
            print(f"{method:>14} grows with the power {exponent:.2f}", flush=True)


def print_digl() -> None:
    """The dense inverse beside pushing, on the largest graphs of REDDIT-BINARY: time and error."""
    folder = mirror()
    graphs = sorted(load("reddit-binary", mirror=folder), key=lambda data: -int(data.num_nodes))
    digl, pushed = rewiring.DIGL(), rewiring.DIGL(approximate=True)
    pushed(growth(50))  # compiles
    for data in (graphs[0], graphs[20], graphs[200], graphs[1000]):
        edges, num_nodes = _bare(data)
        clock = time.process_time()
        exact, exact_weight = digl.diffuse(edges, num_nodes)
        middle = time.process_time()
        near, near_weight = pushed.diffuse(edges, num_nodes)
        end = time.process_time()
        ranks = [part[0] * num_nodes + part[1] for part in (exact, near)]
        missing = int((~torch.isin(ranks[0], ranks[1])).sum())
        extra = int((~torch.isin(ranks[1], ranks[0])).sum())
        shared = torch.isin(ranks[0], ranks[1])
        place = torch.searchsorted(ranks[1], ranks[0][shared])
        error = float((exact_weight[shared] - near_weight[place]).abs().max())
        print(
            f"{num_nodes} nodes: dense {middle - clock:.2f} s, pushed {end - middle:.2f} s; of "
            f"{exact.size(1)} edges {missing} missing, {extra} too many, weights differ by "
            f"{error:.1e} at most",
            flush=True,
        )


def _bare(data: Data) -> tuple[Tensor, int]:
    """The edges of a graph as rewirings take them, and its size."""
    return undirected_edges(data, "benchmark")[0], int(data.num_nodes or 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--datasets", default=",".join(SMALL), help="all, or names with commas")
    parser.add_argument("--methods", default=",".join(METHODS), help="names with commas")
    parser.add_argument("--threads", type=int, default=2, help="graphs at a time (2)")
    parser.add_argument("--nodes", help="graphs of so many nodes, with commas, and no dataset")
    parser.add_argument("--limit", type=float, default=60, help="seconds, with --nodes (60)")
    parser.add_argument("--digl", action="store_true", help="dense and pushed, beside each other")
    options = parser.parse_args()
    graph_sets = [name for name in DATASETS if DATASETS[name].task == "graph-classification"]
    known = {name: DATASETS[name] for name in graph_sets}
    names = list(published_order() if options.datasets == "all" else options.datasets.split(","))
    methods = options.methods.split(",")
    for name in names:
        choose("dataset", name, known)
    for method in methods:
        choose("method", method, METHODS)
    torch.set_num_threads(1)
    if options.digl:
        print_digl()
        return
    if options.nodes:
        print_growth([int(size) for size in options.nodes.split(",")], methods, options.limit)
        return
    folder = mirror()
    if folder is None:
        print("only MUTAG can be had: set PANDA_DATA_MIRROR to the folder of the archives for more")
        names = ["mutag"]
    cells: dict[str, list[str]] = {method: [] for method in methods}
    paper = []
    for name in names:
        graphs = list(load(name, mirror=folder))
        value = published("runtime-centrality", "any", "fosr", name)
        paper.append("-" if value is None else value.printed)
        for method in methods:
            cells[method].append(seconds(graphs, method, options.threads))
            print(f"{name:>14} {cells[method][-1]:>18} s  {METHODS[method]}", flush=True)
    table = Table(title=f"seconds on the clock (of the processor), {options.threads} threads")
    table.add_column("method", no_wrap=True)
    for name in names:
        table.add_column(known[name].printed, justify="right", no_wrap=True)
    table.add_row("the paper's FoSR", *paper, end_section=True)
    for method in methods:
        table.add_row(method, *cells[method])
    Console(width=120).print(table)


def published_order() -> list[str]:
    """The datasets of the paper's table of times, in its order."""
    return [name for name in DATASETS if published("runtime-centrality", "any", "fosr", name)]


if __name__ == "__main__":
    main()
