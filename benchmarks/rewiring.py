"""Seconds per dataset and rewiring, beside the paper's times of FoSR.

    python benchmarks/rewiring.py                             the four small sets, about a minute
    python benchmarks/rewiring.py --datasets all              all six of the paper
    python benchmarks/rewiring.py --datasets collab --methods borf,sdrf
    python benchmarks/rewiring.py --nodes 2000,4000,8000 --methods laser

Every cell is the time of the whole dataset on the clock and, in brackets, of the processor, all
threads together: other programs on the machine disturb the first. Graphs are in memory before and
rewired ones are dropped at once; compiling, once per installation, is not counted.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table
from torch_geometric.data import Data
from torch_geometric.utils import to_undirected

from panda_gnn import rewiring
from panda_gnn.datasets import DATASETS, load
from panda_gnn.errors import choose
from panda_gnn.graph.parallel import in_parallel
from panda_gnn.paper import published

SMALL = ("imdb-binary", "mutag", "enzymes", "proteins")
METHODS: dict[str, rewiring.Rewiring] = {
    "fosr": rewiring.FoSR(10),
    "gtr": rewiring.GTR(10),
    "gtr-sketch": rewiring.GTR(10, sketch=64),
    "digl": rewiring.DIGL(),
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
    return Data(edge_index=edge_index, num_nodes=num_nodes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--datasets", default=",".join(SMALL), help="all, or names with commas")
    parser.add_argument("--methods", default=",".join(METHODS), help="names with commas")
    parser.add_argument("--threads", type=int, default=2, help="graphs at a time (2)")
    parser.add_argument("--nodes", help="graphs of so many nodes, with commas, and no dataset")
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
    if options.nodes:
        for size in map(int, options.nodes.split(",")):
            for method in methods:
                print(f"{size:>10} {seconds([growth(size)], method, 1):>18} s  {METHODS[method]}")
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
