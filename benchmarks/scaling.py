"""Full-batch training on graphs of growing size: time and memory must grow with the edges.

    python benchmarks/scaling.py            10^4 and 10^5 nodes, under a minute
    python benchmarks/scaling.py --large    10^6 nodes and 5 * 10^6 edges too, some minutes
    python benchmarks/scaling.py --huge     R-MAT graphs up to 10^7 nodes and 10^8 directed edges
    python benchmarks/scaling.py --huge --nodes 100000,1000000

Every graph has five undirected edges for each node, half of them to nodes drawn by preference, so
that there are hubs. The most central percent of the nodes, by betweenness estimated from 64 pivots,
is high. Every size and model runs in a process of its own, whose peak memory is shown: from making
the graph to the last step of Adam. An epoch is the median of those after the first, in seconds of
the clock and of the processors; the latter are what other programs on the machine disturb little.

With ``--huge`` the graphs are R-MAT graphs (Chakrabarti, Zhan and Faloutsos, 2004), drawn by a
seed, with ten directed edges for each node; there is one epoch of PANDA-GCN, whose layers are
computed once more in the backward pass instead of being kept, and time and memory are shown per
edge.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time

import numpy as np
import torch
from rich.console import Console
from rich.table import Table
from torch.nn import functional as F
from torch_geometric.data import Data
from torch_geometric.nn import SAGEConv
from torch_geometric.utils import to_undirected

from panda_gnn.nn import PandaGNN, WidthPartition
from panda_gnn.transforms import ExpandWidth

FEATURES, CLASSES, WIDTH, HIGH_WIDTH, LAYERS = 32, 8, 32, 48, 2
SIZES = (10**4, 10**5)
LARGE = 10**6
HUGE = (10**5, 10**6, 10**7)
MODELS = ("panda-gcn", "panda-sage")
EPOCHS = 3
GIBIBYTES = 16
#: Where the corners of an R-MAT graph's adjacency matrix end, and how many edges are drawn at once.
RMAT = np.array([0.57, 0.76, 0.95], np.float32)
PIECE = 10**6


def random_graph(num_nodes: int, edges_per_node: int = 5, seed: int = 0) -> Data:
    """An undirected graph with hubs, features and classes."""
    generator = torch.Generator().manual_seed(seed)
    count = edges_per_node * num_nodes
    source = torch.randint(num_nodes, (count,), generator=generator)
    target = torch.randint(num_nodes, (count,), generator=generator)
    preferred = (num_nodes * torch.rand(count // 2, generator=generator) ** 3).long()
    target[: count // 2] = preferred
    other = source != target
    edge_index = to_undirected(torch.stack([source[other], target[other]]), num_nodes=num_nodes)
    y = torch.randint(CLASSES, (num_nodes,), generator=generator)
    x = torch.randn(num_nodes, FEATURES, generator=generator) + F.one_hot(y, FEATURES)
    return Data(x=x, edge_index=edge_index, y=y)


def rmat_graph(num_nodes: int, edges_per_node: int = 5, seed: int = 0) -> Data:
    """An undirected R-MAT graph with features and classes, built in pieces to save memory.

    Every edge goes down a quadtree of the adjacency matrix, into its corners with the usual
    probabilities 0.57, 0.19, 0.19 and 0.05. Nodes beyond ``num_nodes`` are folded back, numbers are
    shuffled, loops and copies of edges are drawn again until there are exactly
    ``edges_per_node * num_nodes`` undirected edges.
    """
    generator = np.random.default_rng(seed)
    levels, wanted = (num_nodes - 1).bit_length(), edges_per_node * num_nodes
    order = generator.permutation(num_nodes)
    ranks = np.empty(0, np.int64)
    while len(ranks) < wanted:
        pieces = [ranks]
        missing = wanted - len(ranks)
        for count in [PIECE] * (missing // PIECE) + [missing % PIECE]:
            ends = np.zeros((2, count), np.int64)
            for _ in range(levels):
                corner = np.searchsorted(RMAT, generator.random(count, np.float32), side="right")
                ends[0] = 2 * ends[0] + corner // 2
                ends[1] = 2 * ends[1] + corner % 2
            ends = order[ends % num_nodes]
            low, high = ends.min(axis=0), ends.max(axis=0)
            pieces.append((low * num_nodes + high)[low < high])
        ranks = np.unique(np.concatenate(pieces))
        del pieces
    low, high = ranks // num_nodes, ranks % num_nodes
    both = np.concatenate([ranks, high * num_nodes + low])
    del low, high, ranks
    both.sort()
    edge_index = torch.empty(2, len(both), dtype=torch.long)
    np.floor_divide(both, num_nodes, out=edge_index[0].numpy())
    np.remainder(both, num_nodes, out=edge_index[1].numpy())
    del both
    drawn = torch.Generator().manual_seed(seed)
    y = torch.randint(CLASSES, (num_nodes,), generator=drawn)
    x = torch.randn(num_nodes, FEATURES, generator=drawn)
    x[torch.arange(num_nodes), y] += 1
    return Data(x=x, edge_index=edge_index, y=y)


def make(name: str, recompute: bool = False) -> PandaGNN:
    """The model of a name."""
    return PandaGNN(
        FEATURES,
        CLASSES,
        backbone="gcn" if name == "panda-gcn" else lambda i, o: SAGEConv(i, o),
        width=WIDTH,
        high_width=HIGH_WIDTH,
        num_layers=LAYERS,
        readout=None,
        recompute=recompute,
    )


def measure(name: str, num_nodes: int, huge: bool = False) -> dict[str, float]:
    """Train in this process and say how long its parts took and how much memory they needed."""
    torch.manual_seed(0)
    times = {}
    begin = time.perf_counter()
    data = rmat_graph(num_nodes) if huge else random_graph(num_nodes)
    times["drawing"] = time.perf_counter() - begin
    begin = time.perf_counter()
    data = ExpandWidth("betweenness", ratio=0.01, samples=64)(data)
    times["centrality"] = time.perf_counter() - begin
    model = make(name, recompute=huge)
    optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=0.01)
    partition = WidthPartition(data.edge_index, data.high)
    epochs, losses = [], []
    for _ in range(1 if huge else EPOCHS + 1):
        begin, worked = time.perf_counter(), time.process_time()
        loss = F.cross_entropy(model(data.x, partition), data.y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        epochs.append((time.perf_counter() - begin, time.process_time() - worked))
    clock, processors = zip(*epochs[-EPOCHS:], strict=True)
    times["epoch"], times["worked"] = statistics.median(clock), statistics.median(processors)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {
        "edges": data.num_edges // 2,
        "peak": peak,
        "loss": losses[0],
        "last": losses[-1],
        **times,
    }


def in_a_process(name: str, num_nodes: int, threads: int, huge: bool = False) -> dict[str, float]:
    """What :func:`measure` says in a process of its own."""
    command = [sys.executable, __file__, "--one", name, str(num_nodes), "--threads", str(threads)]
    command += ["--huge"] * huge
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    measured: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return measured


def print_huge(sizes: list[int], threads: int) -> None:
    """Time and memory of one epoch on R-MAT graphs, and per directed edge."""
    table = Table(
        title=f"one epoch of PANDA-GCN on R-MAT graphs, {LAYERS} hidden layers of {WIDTH} "
        f"({HIGH_WIDTH} at high nodes), {threads} threads"
    )
    for column in ("nodes", "directed edges", "drawing, s", "centrality, s", "epoch, s",
                   "centrality, ns/edge", "epoch, ns/edge", "peak, GiB", "bytes/edge"):  # fmt: skip
        table.add_column(column, justify="right")
    for num_nodes in sizes:
        found = in_a_process("panda-gcn", num_nodes, threads, huge=True)
        edges = 2 * found["edges"]
        table.add_row(
            f"{num_nodes:,}",
            f"{edges:,.0f}",
            *(f"{found[key]:.1f}" for key in ("drawing", "centrality", "epoch")),
            *(f"{1e9 * found[key] / edges:.0f}" for key in ("centrality", "epoch")),
            f"{found['peak']:.2f}",
            f"{found['peak'] * 2**30 / edges:.0f}",
        )
    Console(width=130).print(table)


def main() -> int:
    """Measure all sizes and say whether memory and time stayed within bounds."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--large", action="store_true", help="10^6 nodes too")
    parser.add_argument("--huge", action="store_true", help="R-MAT graphs up to 10^7 nodes")
    parser.add_argument("--nodes", help="with --huge: sizes other than 10^5, 10^6 and 10^7")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--one", nargs=2, metavar=("MODEL", "NODES"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    if options.one:
        print(json.dumps(measure(options.one[0], int(options.one[1]), options.huge)))
        return 0
    if options.huge:
        sizes = [int(size) for size in options.nodes.split(",")] if options.nodes else list(HUGE)
        print_huge(sizes, options.threads)
        return 0
    table = Table(
        title=f"full-batch training, {LAYERS} hidden layers of {WIDTH} ({HIGH_WIDTH} at high "
        f"nodes), {options.threads} threads"
    )
    for column in ("model", "nodes", "edges", "centrality, s", "epoch, s", "processors, s",
                   "ns per edge", "peak, GiB"):  # fmt: skip
        table.add_column(column, justify="left" if column == "model" else "right")
    bounded = True
    for name in MODELS:
        per_edge = []
        for num_nodes in (*SIZES, LARGE) if options.large else SIZES:
            found = in_a_process(name, num_nodes, options.threads)
            per_edge.append(1e9 * found["worked"] / found["edges"])
            bounded &= found["peak"] < GIBIBYTES and found["last"] < found["loss"]
            table.add_row(
                name,
                f"{num_nodes:,}",
                f"{found['edges']:,.0f}",
                f"{found['centrality']:.2f}",
                f"{found['epoch']:.3f}",
                f"{found['worked']:.3f}",
                f"{per_edge[-1]:.0f}",
                f"{found['peak']:.2f}",
            )
    Console(width=110).print(table)
    return 0 if bounded else 1


if __name__ == "__main__":
    raise SystemExit(main())
