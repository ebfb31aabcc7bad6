"""Epochs per second: our trainer against the same GCN with PyG's DataLoader and GCNConv.

Both train on the same graphs in batches of 64 and score validation and test graphs after every
epoch. Runs of a few epochs alternate between the two in one process on one thread; the first epoch
of a run is not counted, and medians are compared.

A second table counts whole trials: reading the processed dataset from disk, centralities, splits,
training for a number of epochs and the scores of all of them, as ``run_trial`` does for a row,
beside PyG's ``TUDataset``, ``DataLoader`` and ``GCNConv``. Imports and compiling are not counted.

    python benchmarks/training.py [--datasets mutag,enzymes,...|all] [--epochs 15]
                                  [--trial-epochs 50] [--trials 3] [--mirror FOLDER]
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from itertools import pairwise

import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric.data import Data
from torch_geometric.datasets import TUDataset
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GCNConv, global_mean_pool
from torch_geometric.transforms import Constant

from panda_gnn.datasets import DATASETS, load
from panda_gnn.datasets.loading import data_root
from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.methods import configure
from panda_gnn.evaluation.splits import Split, random_split
from panda_gnn.evaluation.tasks import collated
from panda_gnn.evaluation.tasks.graph_classification import GRAPH_CLASSIFICATION
from panda_gnn.evaluation.train import train
from panda_gnn.evaluation.trial import run_trial
from panda_gnn.nn import GNN, PandaGNN
from panda_gnn.paper import best_settings
from panda_gnn.transforms import ExpandWidth

ALL = "mutag,enzymes,proteins,imdb-binary,reddit-binary,collab"
BATCH_SIZE = 64

#: Epochs of a run.
RUN = 4


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


def pyg_run(
    graphs: Sequence[Data], split: Split, classes: int, epochs: int = RUN
) -> Callable[[], list[float]]:
    """The times at which epochs with PyG's loader and layers end."""
    model = PyGGCN(graphs[0].x.size(1), classes)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    parts = [[graphs[i] for i in part] for part in (split.train, split.validation, split.test)]
    first, *held_out = (DataLoader(part, BATCH_SIZE, shuffle=part is parts[0]) for part in parts)

    def epoch() -> float:
        model.train()
        for batch in first:
            optimizer.zero_grad()
            F.cross_entropy(model(batch), batch.y).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            for loader in held_out:
                sum(int((model(batch).argmax(1) == batch.y).sum()) for batch in loader)
        return time.perf_counter()

    return lambda: [epoch() for _ in range(epochs)]


def our_run(graphs: GraphTable, split: Split, model: GNN) -> Callable[[], list[float]]:
    """The times at which epochs of :func:`panda_gnn.evaluation.train.train` end."""
    recipe = GRAPH_CLASSIFICATION.recipe(Config("", batch_size=BATCH_SIZE, max_epochs=RUN))

    def run() -> list[float]:
        ends: list[float] = []
        train(model, graphs, split, recipe, 0, lambda *_: ends.append(time.perf_counter()))
        return ends

    return run


def medians(runs: dict[str, Callable[[], list[float]]], rounds: int) -> dict[str, float]:
    """Median seconds of an epoch of each, their runs in alternation, after one round to warm up."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for number in range(rounds + 1):
        for name, run in runs.items():
            ends = run()
            if number:
                times[name] += [after - before for before, after in pairwise(ends)]
    return {name: statistics.median(values) for name, values in times.items()}


def epochs_of(name: str, epochs: int, mirror: str | None) -> dict[str, float]:
    """Median seconds of an epoch of each."""
    torch.manual_seed(0)
    dataset = load(name, mirror=mirror)
    split = random_split(len(dataset), 0)
    graphs = GraphTable.collate(dataset)
    best = best_settings("gcn", name)
    assert best is not None
    expand = ExpandWidth(best.centrality, best.k)
    high = torch.cat([expand(graph).high for graph in dataset])
    features, classes = graphs.x.size(1), graphs.num_outputs
    panda = PandaGNN(features, classes, high_width=best.high_width)
    return medians(
        {
            "pyg": pyg_run(list(dataset), split, classes),
            "gcn": our_run(graphs, split, GNN(features, classes)),
            "panda": our_run(graphs.with_nodes(high=high), split, panda),
        },
        -(-epochs // (RUN - 1)),
    )


def pyg_trial(name: str, epochs: int, seed: int) -> None:
    """A trial with PyG's classes alone, from the processed file to the scores of all epochs."""
    torch.manual_seed(seed)
    entry = DATASETS[name]
    prepare = Constant() if entry.features == "constant" else None
    dataset = TUDataset(str(data_root() / entry.below), entry.printed, pre_transform=prepare)
    split = random_split(len(dataset), seed)
    pyg_run(list(dataset), split, dataset.num_classes, epochs)()


def our_trial(method: str, name: str, epochs: int, seed: int, mirror: str | None) -> None:
    """The trial of a row, all of it."""
    collated.cache_clear()
    config = configure(name, "gcn", method, max_epochs=epochs, patience=epochs)
    assert run_trial(config, seed, mirror=mirror)["epochs"] == epochs


def whole_trials(name: str, epochs: int, trials: int, mirror: str | None) -> dict[str, float]:
    """Median seconds of a whole trial of each, in alternation, after a short one to warm up."""
    runs: dict[str, Callable[[int, int], None]] = {
        "pyg": lambda epochs, seed: pyg_trial(name, epochs, seed),
        "gcn": lambda epochs, seed: our_trial("none", name, epochs, seed, mirror),
        "panda": lambda epochs, seed: our_trial("panda", name, epochs, seed, mirror),
    }
    for run in runs.values():
        run(1, 0)
    times: dict[str, list[float]] = {key: [] for key in runs}
    for seed in range(trials):
        for key, run in runs.items():
            begin = time.perf_counter()
            run(epochs, seed)
            times[key].append(time.perf_counter() - begin)
    return {key: statistics.median(values) for key, values in times.items()}


def new_table(title: str) -> Table:
    """A table of the three, still empty."""
    table = Table(title=title)
    for column in ("dataset", "PyG GCN", "our GCN", "speed-up", "our PANDA-GCN", "PANDA speed-up"):
        table.add_column(column, justify="left" if column == "dataset" else "right")
    return table


def add_row(table: Table, name: str, found: dict[str, float], number: str) -> None:
    """A line of the table, its numbers printed like ``number``."""
    table.add_row(
        name,
        *(number.format(found[key]) for key in ("pyg", "gcn")),
        f"{found['pyg'] / found['gcn']:.1f}x",
        number.format(found["panda"]),
        f"{found['pyg'] / found['panda']:.1f}x",
    )


def main() -> None:
    """Print one line for each dataset in both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", default="mutag,enzymes,proteins,imdb-binary")
    parser.add_argument("--epochs", type=int, default=15, help="at least so many; 0 for none")
    parser.add_argument("--trial-epochs", type=int, default=50, help="of a whole trial")
    parser.add_argument("--trials", type=int, default=3, help="whole trials; 0 for none")
    parser.add_argument("--mirror")
    options = parser.parse_args()
    torch.set_num_threads(1)
    table = new_table("milliseconds per epoch and speed-up, one thread")
    whole = new_table(f"seconds of a whole trial with {options.trial_epochs} epochs, one thread")
    for name in (ALL if options.datasets == "all" else options.datasets).split(","):
        if options.epochs:
            found = epochs_of(name, options.epochs, options.mirror)
            add_row(table, name, {key: 1000 * seconds for key, seconds in found.items()}, "{:.1f}")
        if options.trials:
            seconds = whole_trials(name, options.trial_epochs, options.trials, options.mirror)
            add_row(whole, name, seconds, "{:.2f}")
    if options.epochs:
        Console().print(table)
    if options.trials:
        Console().print(whole)


if __name__ == "__main__":
    main()
