"""Epochs per second: our trainer against the same GCN with PyG's DataLoader and GCNConv.

Both train on the same graphs in batches of 64 and score validation and test graphs after every
epoch. Epochs alternate between the two in one process on one thread; medians are compared.

    python benchmarks/training.py [--datasets mutag,enzymes,...] [--epochs 15] [--mirror FOLDER]
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from itertools import pairwise

import torch
from panda_gnn.evaluation.protocol import Split, accuracy, random_split, train_epoch
from rich.console import Console
from rich.table import Table
from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GCNConv, global_mean_pool

from panda_gnn.datasets import load
from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.nn import GNN, PandaGNN
from panda_gnn.paper import best_settings
from panda_gnn.transforms import ExpandWidth

BATCH_SIZE = 64


class PyGGCN(nn.Module):
    """The stack of :class:`panda_gnn.nn.GNN` with PyG's own convolutions."""

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        widths = [in_channels, 64, 64, 64, 64, out_channels]
        self.convs = nn.ModuleList(GCNConv(i, o) for i, o in pairwise(widths))

    def forward(self, data: Data) -> Tensor:
        x = data.x
        for conv in self.convs[:-1]:
            x = F.dropout(conv(x, data.edge_index).relu(), 0.5, self.training)
        out: Tensor = global_mean_pool(self.convs[-1](x, data.edge_index), data.batch)
        return out


def pyg_epoch(graphs: Sequence[Data], split: Split, classes: int) -> Callable[[], None]:
    """One epoch with PyG's loader and layers."""
    model = PyGGCN(graphs[0].x.size(1), classes)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    parts = [[graphs[i] for i in part] for part in (split.train, split.validation, split.test)]
    train, *held_out = (DataLoader(part, BATCH_SIZE, shuffle=part is parts[0]) for part in parts)

    def epoch() -> None:
        model.train()
        for batch in train:
            optimizer.zero_grad()
            F.cross_entropy(model(batch), batch.y).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            for loader in held_out:
                sum(int((model(batch).argmax(1) == batch.y).sum()) for batch in loader)

    return epoch


def our_epoch(graphs: GraphTable, split: Split, model: GNN) -> Callable[[], None]:
    """One epoch of :func:`panda_gnn.evaluation.protocol.train`."""
    optimizer = torch.optim.Adam(
        [p for p in model.parameters() if p.requires_grad], lr=1e-3, fused=True
    )
    shuffle = torch.Generator().manual_seed(0)
    held_out = [list(graphs.batches(part, BATCH_SIZE)) for part in (split.validation, split.test)]

    def epoch() -> None:
        train_epoch(model, optimizer, graphs.batches(split.train, BATCH_SIZE, shuffle))
        for part in held_out:
            accuracy(model, part)

    return epoch


def medians(epochs: dict[str, Callable[[], None]], rounds: int) -> dict[str, float]:
    """Median seconds of each, in alternation, after one round to warm up."""
    times: dict[str, list[float]] = {name: [] for name in epochs}
    for _ in range(rounds + 1):
        for name, epoch in epochs.items():
            start = time.perf_counter()
            epoch()
            times[name].append(time.perf_counter() - start)
    return {name: statistics.median(values[1:]) for name, values in times.items()}


def main() -> None:
    """Print one line for each dataset."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", default="mutag,enzymes,proteins,imdb-binary")
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--mirror")
    options = parser.parse_args()
    torch.set_num_threads(1)
    table = Table(title="milliseconds per epoch and speed-up, one thread")
    for column in ("dataset", "PyG GCN", "our GCN", "speed-up", "our PANDA-GCN", "PANDA speed-up"):
        table.add_column(column, justify="left" if column == "dataset" else "right")
    for name in options.datasets.split(","):
        torch.manual_seed(0)
        dataset = load(name, mirror=options.mirror)
        split = random_split(len(dataset), 0)
        graphs = GraphTable.collate(dataset)
        best = best_settings("gcn", name)
        assert best is not None
        expand = ExpandWidth(best.centrality, best.k)
        high = torch.cat([expand(graph).high for graph in dataset])
        features, classes = graphs.x.size(1), graphs.num_classes
        panda = PandaGNN(features, classes, high_width=best.high_width)
        found = medians(
            {
                "pyg": pyg_epoch(list(dataset), split, classes),
                "gcn": our_epoch(graphs, split, GNN(features, classes)),
                "panda": our_epoch(graphs.with_nodes(high=high), split, panda),
            },
            options.epochs,
        )
        table.add_row(
            name,
            *(f"{1000 * found[key]:.1f}" for key in ("pyg", "gcn")),
            f"{found['pyg'] / found['gcn']:.1f}x",
            f"{1000 * found['panda']:.1f}",
            f"{found['pyg'] / found['panda']:.1f}x",
        )
    Console().print(table)


if __name__ == "__main__":
    main()
