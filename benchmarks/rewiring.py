"""Time and memory of every rewiring, on the datasets of the paper and as graphs grow.

    python benchmarks/rewiring.py                             the four small sets
    python benchmarks/rewiring.py --everything --page docs/rewiring.md     its tables anew
    python benchmarks/rewiring.py --datasets collab --methods borf,sdrf
    python benchmarks/rewiring.py --nodes 10000,100000,1000000 --methods fosr,laser
    python benchmarks/rewiring.py --digl                      its two dense inverses

Every cell is one run on one thread in a process of its own: the seconds of the processor and, in
brackets, the most MiB that it needed beyond what it started with. Graphs are in memory before and
rewired ones are dropped at once; compiling, once per installation, is not counted. A cell that
takes longer than ``--limit`` seconds is given up, and so is the method on larger
graphs. The growth is the exponent of the number of nodes between the last two sizes; up to
``LINEAR`` it is called linear.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import os
import resource
import signal
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path

import torch
from pages import write_between
from threadpoolctl import threadpool_limits
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.utils import to_undirected

from panda_gnn import rewiring
from panda_gnn.datasets import DATASETS, load
from panda_gnn.errors import InputError, choose
from panda_gnn.graph.rows import undirected_edges
from panda_gnn.paper import published

SMALL = ("imdb-binary", "mutag", "enzymes", "proteins")
SIZES = (10_000, 100_000, 1_000_000)
LINEAR = 1.2
"""The greatest exponent that is called linear: caches and sorting take a little more than 1."""

METHODS: dict[str, rewiring.Rewiring] = {
    "fosr": rewiring.FoSR(10),
    "gtr": rewiring.GTR(10),
    "gtr-sketch": rewiring.GTR(10, sketch=64),
    "digl": rewiring.DIGL(),
    "digl-twins": rewiring.DIGL(approximate=True),
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


Answer = tuple[float, float] | str
"""Seconds and MiB, or why there are none."""


def mirror() -> Path | None:
    """The folder with the archives of the datasets, if there is one."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("PANDA_DATA_MIRROR", beside))
    return folder if folder.is_dir() else None


def growth(num_nodes: int) -> Data:
    """A connected graph with three edges for each node, of which none is a hub."""
    generator = torch.Generator().manual_seed(0)
    node = torch.arange(num_nodes)
    steps = torch.randint(1, 20, (2, num_nodes), generator=generator)
    target = torch.cat([node + 1, node + steps[0], node + steps[1]]) % num_nodes
    edge_index = to_undirected(torch.stack([node.repeat(3), target]), num_nodes=num_nodes)
    x = torch.rand(num_nodes, 8, generator=generator)
    return Data(x=x, edge_index=edge_index, num_nodes=num_nodes)


def _rewire_in_process(
    graphs: Sequence[Data], method: str, limit: float, sender: Connection
) -> None:
    """Send the seconds and the MiB that rewiring takes, or the sentence of a refusal; be killed
    after so many seconds of the processor."""
    transform = METHODS[method]
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit), math.ceil(limit)))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = time.process_time()
    try:
        for data in graphs:
            transform(data)
    except InputError as error:
        sender.send(str(error))
        return
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    sender.send((time.process_time() - begin, (after - before) / 1024))


def measure(graphs: Sequence[Data], method: str, limit: float) -> Answer:
    """What rewiring the graphs one after the other takes."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    fork = multiprocessing.get_context("fork")
    process = fork.Process(target=_rewire_in_process, args=(graphs, method, limit, sender))
    process.start()
    sender.close()
    try:
        answer: Answer = receiver.recv()
    except EOFError:  # killed
        process.join()
        too_long = process.exitcode in (-signal.SIGXCPU, -signal.SIGKILL)
        answer = f"more than {limit:g} s" if too_long else f"ended with {process.exitcode}"
    process.join()
    return answer


def cell(answer: Answer | None) -> str:
    """A cell of a table; a refusal is told in full where it happens."""
    if answer is None:
        return ""
    if isinstance(answer, str):
        return answer if answer.startswith(("more than", "ended")) else "refused"
    return f"{answer[0]:.2f} ({answer[1]:.0f})"


def compile_all(methods: Sequence[str]) -> None:
    """Compile what the methods need."""
    for method in methods:
        METHODS[method](growth(50))


def dataset_table(names: Sequence[str], methods: Sequence[str], limit: float) -> list[str]:
    """The lines of the table of datasets."""
    folder = mirror()
    if folder is None:
        print("only MUTAG can be had: set PANDA_DATA_MIRROR to the folder of the archives for more")
        names = ["mutag"]
    rows: dict[str, list[str]] = {method: [] for method in methods}
    paper = []
    for name in names:
        graphs = list(load(name, mirror=folder))
        value = published("runtime-centrality", "any", "fosr", name)
        paper.append("-" if value is None else value.printed)
        for method in methods:
            answer = measure(graphs, method, limit)
            rows[method].append(cell(answer))
            print(f"{name:>14} {method:>14}: {_told(answer)}", flush=True)
    lines = _head(["seconds (MiB)", *(DATASETS[name].printed for name in names)])
    lines.append(_row(["*the paper's FoSR*", *paper]))
    return lines + [_row([method, *cells]) for method, cells in rows.items()]


def growth_table(sizes: Sequence[int], methods: Sequence[str], limit: float) -> list[str]:
    """The lines of the table of growing graphs."""
    answers: dict[str, list[Answer]] = {method: [] for method in methods}
    for size in sizes:
        data = growth(size)
        for method in methods:
            if answers[method] and isinstance(answers[method][-1], str):
                continue
            answers[method].append(measure([data], method, limit))
            print(f"{size:>9} nodes {method:>14}: {_told(answers[method][-1])}", flush=True)
    lines = _head(["seconds (MiB)", *(f"{size:,} nodes" for size in sizes), "growth", "linear"])
    for method, found in answers.items():
        cells = [cell(found[place] if place < len(found) else None) for place in range(len(sizes))]
        taken = [answer[0] for answer in found if not isinstance(answer, str)]
        grows = linear = ""
        if len(taken) > 1:
            ratio = max(taken[-1], 1e-3) / max(taken[-2], 1e-3)
            exponent = math.log(ratio) / math.log(sizes[len(taken) - 1] / sizes[len(taken) - 2])
            grows, linear = f"{exponent:.2f}", "yes" if exponent <= LINEAR else "no"
        lines.append(_row([method, *cells, grows, linear]))
    return lines


def digl_table() -> list[str]:
    """The inverse over nodes beside that over classes of twins on REDDIT-BINARY: time, error."""
    graphs = sorted(
        load("reddit-binary", mirror=mirror()), key=lambda data: -int(data.num_nodes or 0)
    )
    parts = {f"{int(graphs[place].num_nodes or 0):,} nodes": [graphs[place]] for place in (0, 200)}
    parts["all graphs"] = graphs
    compile_all(["digl-twins"])
    headings = ["graphs", "nodes, s", "twins, s", "edges", "missing", "too many", "weights differ"]
    lines = _head([f"{headings[0]} of REDDIT-BINARY", *headings[1:]])
    for name, part in parts.items():
        seconds, counts, error = [0.0, 0.0], [0, 0, 0], 0.0
        for data in part:
            edges, num_nodes = undirected_edges(data, "benchmark")[0], int(data.num_nodes or 0)
            exact, exact_weight, seconds[0] = _timed("digl", edges, num_nodes, seconds[0])
            near, near_weight, seconds[1] = _timed("digl-twins", edges, num_nodes, seconds[1])
            ranks = [one[0] * num_nodes + one[1] for one in (exact, near)]
            shared = torch.isin(ranks[0], ranks[1])
            missing = int((~shared).sum())
            counts[0] += exact.size(1)
            counts[1] += missing
            counts[2] += near.size(1) - exact.size(1) + missing
            place = torch.searchsorted(ranks[1], ranks[0][shared])
            error = max(error, float((exact_weight[shared] - near_weight[place]).abs().max()))
        taken = [f"{second:.2f}" for second in seconds]
        lines.append(_row([name, *taken, *map(str, counts), f"{error:.1e} at most"]))
        print(lines[-1], flush=True)
    return lines


def _timed(
    method: str, edges: Tensor, num_nodes: int, before: float
) -> tuple[Tensor, Tensor, float]:
    """A diffusion, and the seconds before it with its own."""
    transform = METHODS[method]
    assert isinstance(transform, rewiring.DIGL)
    begin = time.process_time()
    edge_index, weight = transform.diffuse(edges, num_nodes)
    return edge_index, weight, before + time.process_time() - begin


def _told(answer: Answer) -> str:
    return answer if isinstance(answer, str) else f"{answer[0]:.2f} s, {answer[1]:.0f} MiB"


def _head(columns: Sequence[str]) -> list[str]:
    return [_row(columns), "|" + "---|" * len(columns)]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--datasets", help="all, or names with commas (the four small ones)")
    parser.add_argument("--methods", default=",".join(METHODS), help="names with commas")
    parser.add_argument("--nodes", help="graphs of so many nodes, with commas")
    parser.add_argument("--limit", type=float, default=10, help="seconds for one cell (10)")
    parser.add_argument("--digl", action="store_true", help="over nodes and over twins")
    parser.add_argument("--everything", action="store_true", help="all three")
    parser.add_argument("--page", type=Path, help="write the tables between their comments here")
    options = parser.parse_args()
    if options.everything:
        options.datasets, options.digl = "all", True
        options.nodes = ",".join(map(str, SIZES))
    elif not (options.datasets or options.nodes or options.digl):
        options.datasets = ",".join(SMALL)
    known = {
        name: entry for name, entry in DATASETS.items() if entry.task == "graph-classification"
    }
    names = options.datasets.split(",") if options.datasets else []
    names = published_order() if names == ["all"] else names
    methods = options.methods.split(",")
    for name in names:
        choose("dataset", name, known)
    for method in methods:
        choose("method", method, METHODS)
    torch.set_num_threads(1)
    tables = {}
    with threadpool_limits(1):
        compile_all(methods if names or options.nodes else [])
        if names:
            tables["datasets"] = dataset_table(names, methods, options.limit)
        if options.nodes:
            sizes = [int(size) for size in options.nodes.split(",")]
            tables["sizes"] = growth_table(sizes, methods, options.limit)
        if options.digl:
            tables["digl"] = digl_table()
    for name, lines in tables.items():
        table = "\n".join(lines)
        print(f"\n{table}")
        if options.page is not None:
            write_between(options.page, f"times: {name}", table)


def published_order() -> list[str]:
    """The datasets of the paper's table of times, in its order."""
    return [name for name in DATASETS if published("runtime-centrality", "any", "fosr", name)]


if __name__ == "__main__":
    main()
