"""Full-batch training on graphs of growing size: time and memory must grow with the edges.

    python benchmarks/scaling.py            10^4 and 10^5 nodes, under a minute
    python benchmarks/scaling.py --large    10^6 nodes and 5 * 10^6 edges too, some minutes

Every graph has five undirected edges for each node, half of them to nodes drawn by preference, so
that there are hubs. The most central percent of the nodes, by betweenness estimated from 64 pivots,
is high. Every size and model runs in a process of its own, whose peak memory is shown: from making
the graph to the last step of Adam. An epoch is the median of those after the first, in seconds of
the clock and of the processors; the latter are what other programs on the machine disturb little.
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
MODELS = ("panda-gcn", "panda-sage")
EPOCHS = 3
GIBIBYTES = 16


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


def make(name: str) -> PandaGNN:
    """The model of a name."""
    return PandaGNN(
        FEATURES,
        CLASSES,
        backbone="gcn" if name == "panda-gcn" else lambda i, o: SAGEConv(i, o),
        width=WIDTH,
        high_width=HIGH_WIDTH,
        num_layers=LAYERS,
        readout=None,
    )


def measure(name: str, num_nodes: int) -> dict[str, float]:
    """Train in this process and say how long its parts took and how much memory they needed."""
    torch.manual_seed(0)
    data = random_graph(num_nodes)
    times = {}
    begin = time.perf_counter()
    data = ExpandWidth("betweenness", ratio=0.01, samples=64)(data)
    times["centrality"] = time.perf_counter() - begin
    model = make(name)
    optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=0.01)
    partition = WidthPartition(data.edge_index, data.high)
    epochs, losses = [], []
    for _ in range(EPOCHS + 1):
        begin, worked = time.perf_counter(), time.process_time()
        loss = F.cross_entropy(model(data.x, partition), data.y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        epochs.append((time.perf_counter() - begin, time.process_time() - worked))
    clock, processors = zip(*epochs[1:], strict=True)
    times["epoch"], times["worked"] = statistics.median(clock), statistics.median(processors)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {
        "edges": data.num_edges // 2,
        "peak": peak,
        "loss": losses[0],
        "last": losses[-1],
        **times,
    }


def in_a_process(name: str, num_nodes: int, threads: int) -> dict[str, float]:
    """What :func:`measure` says in a process of its own."""
    command = [sys.executable, __file__, "--one", name, str(num_nodes), "--threads", str(threads)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    measured: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return measured


def main() -> int:
    """Measure all sizes and say whether memory and time stayed within bounds."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--large", action="store_true", help="10^6 nodes too")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--one", nargs=2, metavar=("MODEL", "NODES"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    if options.one:
        print(json.dumps(measure(options.one[0], int(options.one[1]))))
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
