"""Would several seeds of a node set train faster as one model? GCNs side by side, and one by one.

All trials on a node set share one graph. Here the GCNs of several seeds are one model: their states
stand side by side in one matrix, so that a sum over neighbours is one product for all, and a linear
map is a batch of products. An epoch is a training step (dropout, loss, backward pass, fused Adam)
and a forward pass for the scores, in both cases with the kernels of the package; rounds alternate
in one process on one thread, and medians of CPU time are compared.

    python benchmarks/stacking.py [--datasets texas,cora] [--seeds 10] [--rounds 20]
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise

import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric.nn.inits import glorot

from panda_gnn.datasets import load
from panda_gnn.evaluation.tasks.node_classification import node_split
from panda_gnn.nn import GNN, Edges
from panda_gnn.nn.kernels.dropout import dropout
from panda_gnn.nn.propagate import propagate_normalised

WIDTH, LAYERS, DROPOUT = 64, 3, 0.5


class Stacked(nn.Module):
    """GCNs of one shape, each with weights of its own, on one graph."""

    def __init__(self, count: int, in_channels: int, out_channels: int) -> None:
        super().__init__()
        widths = [in_channels, *[WIDTH] * LAYERS, out_channels]
        shapes = [(count, i, o) for i, o in pairwise(widths)]
        self.weights = nn.ParameterList(nn.Parameter(torch.empty(shape)) for shape in shapes)
        self.biases = nn.ParameterList(nn.Parameter(torch.zeros(count * o)) for _, _, o in shapes)
        for weight in self.weights:
            for one in weight:
                glorot(one)

    def forward(self, x: Tensor, edges: Edges) -> Tensor:
        """The outputs ``[nodes, models, classes]``."""
        count = self.weights[0].size(0)
        last = len(self.weights) - 1
        for i, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            if i == 0:  # features that all share, wider than the states
                x = x @ weight.transpose(0, 1).flatten(1)
                x = propagate_normalised(x, edges, False)
            else:
                narrower = weight.size(2) < weight.size(1)
                x = x if narrower else propagate_normalised(x, edges, False)
                x = torch.bmm(x.view(x.size(0), count, -1).transpose(0, 1), weight)
                x = x.transpose(0, 1).flatten(1)
                x = propagate_normalised(x, edges, False) if narrower else x
            x = x + bias
            if i < last:
                x = dropout(torch.relu(x), DROPOUT, self.training)
        return x.view(x.size(0), count, -1)


def epoch(
    model: nn.Module, optimizer: torch.optim.Optimizer, run: Callable[[], Tensor], y: Tensor
) -> None:
    """One step on the training nodes, whose outputs ``run`` gives first, and one scoring."""
    model.train()
    optimizer.zero_grad()
    out = run()
    F.cross_entropy(out.flatten(0, -2), y, reduction="sum").backward()
    optimizer.step()
    model.eval()
    with torch.no_grad():
        run().argmax(-1)


def measure(name: str, seeds: int, rounds: int) -> tuple[float, float]:
    """Milliseconds of CPU time of an epoch of all seeds, one by one and side by side."""
    data = load(name)[0]
    train = node_split(data, "random", 0).train
    edges = Edges.of_graph(data.edge_index, data.num_nodes)
    classes = int(data.y.max()) + 1
    adam = partial(torch.optim.Adam, lr=1e-3, fused=True)
    single = GNN(data.num_features, classes, width=WIDTH, num_layers=LAYERS, readout=None)
    stacked = Stacked(seeds, data.num_features, classes)
    alone, together = adam(single.parameters()), adam(stacked.parameters())
    y, all_y = data.y[train], data.y[train].repeat_interleave(seeds)
    taken: dict[str, list[float]] = {"one by one": [], "side by side": []}
    for _ in range(rounds + 2):
        begin = time.process_time()
        for _ in range(seeds):
            epoch(single, alone, lambda: single(data.x, edges)[train], y)
        middle = time.process_time()
        epoch(stacked, together, lambda: stacked(data.x, edges)[train], all_y)
        taken["one by one"].append(middle - begin)
        taken["side by side"].append(time.process_time() - middle)
    one, other = (1000 * statistics.median(times[2:]) for times in taken.values())
    return one, other


def main() -> None:
    """Print the times of all datasets."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", default="texas,cora")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    torch.set_num_threads(1)
    table = Table(title=f"an epoch of GCN, {options.seeds} seeds")
    for column in ("", "one by one, ms", "side by side, ms", "times faster"):
        table.add_column(column, justify="right" if column else "left")
    for name in options.datasets.split(","):
        one, other = measure(name, options.seeds, options.rounds)
        table.add_row(name, f"{one:.1f}", f"{other:.1f}", f"{one / other:.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()
