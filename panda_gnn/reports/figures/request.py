"""What is asked of a figure, and what every figure is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch_geometric.data import Data

from panda_gnn.datasets import DATASETS
from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.methods import METHODS, complete
from panda_gnn.evaluation.tasks import TaskData, load_data
from panda_gnn.nn import GNN
from panda_gnn.reports.figures.style import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Request:
    """What to measure.

    Attributes:
        datasets: The datasets, one panel or more each.
        trials: How often a random measurement is repeated, each time with another seed.
        graphs: How many graphs of each dataset, spread evenly over it; all if ``None``.
        results: The folder with the stores of studies.
        command: The command that makes the figure again.
        root: The folder that holds the datasets.
        mirror: A folder to take datasets from.
    """

    datasets: tuple[str, ...]
    trials: int
    graphs: int | None = None
    results: Path = Path("results")
    command: str = ""
    root: str | None = None
    mirror: str | None = None

    @property
    def initialisations(self) -> str:
        """How many random models are measured."""
        return f"{self.trials} random initialisation{'s' if self.trials > 1 else ''}"

    def source(self, dataset: str) -> TaskData:
        """The graphs of a dataset that are measured, in one piece."""
        graphs = None if self.graphs is None else tuple(self.chosen(dataset))
        return load_data(dataset, self.root, self.mirror, graphs)

    def chosen(self, dataset: str) -> list[int]:
        """The numbers of the graphs that are measured."""
        total = DATASETS[dataset].num_graphs
        count = total if self.graphs is None else min(self.graphs, total)
        return [index * total // count for index in range(count)]

    def graphs_in_words(self) -> str:
        """How many graphs of which datasets are measured."""
        parts = []
        for dataset in self.datasets:
            total = DATASETS[dataset].num_graphs
            count = len(self.chosen(dataset))
            some = f"all {total} graphs" if count == total else f"{count} of {total} graphs"
            parts.append(f"{some} of {printed(dataset)}")
        return listed(parts)


@dataclass(frozen=True)
class FigureKind:
    """A figure that can be made.

    Attributes:
        summary: One line for people.
        datasets: Those of the paper's figure; none where the figure has its own data.
        trials: How many trials unless told otherwise.
        measure: Makes the rows of the CSV.
        draw: Draws the rows above the caption.
        caption: Says what is seen, on which datasets, over how many trials.
    """

    summary: str
    datasets: tuple[str, ...]
    trials: int
    measure: Callable[[Request], list[Row]]
    draw: Callable[[Sequence[Row], str], Figure]
    caption: Callable[[Request, Sequence[Row]], str]


def untrained(
    request: Request,
    config: Config,
    seed: int,
    *,
    in_channels: int | None = None,
    make: Callable[[GraphTable], GNN] | None = None,
) -> tuple[GNN, GraphTable]:
    """The model of a config with fresh weights, and the graphs as its method makes them.

    Args:
        request: Where the datasets are.
        config: Dataset, backbone, method and its settings.
        seed: Seeds the weights and whatever is random in the method.
        in_channels: Replace the features by so many zeros, for a model that takes other input.
        make: Makes another model for the method's graphs.
    """
    config = complete(config)
    method = METHODS[config.method]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        data = request.source(config.dataset)
        table = method.graphs(data, config.settings, seed)
        if in_channels is not None:
            blank = table.x.new_zeros(table.x.size(0), in_channels)
            table = table.with_nodes(x=blank, high=table.high)
        model = make(table) if make else method.model(data.task, table, config)
    return model.eval(), table


def graph(table: GraphTable, index: int) -> Data:
    """One graph of a table as PyG's ``Data``."""
    batch = table.take(torch.tensor([index]))
    data = Data(x=batch.x, edge_index=batch.edge_index, num_nodes=batch.x.size(0))
    if batch.high is not None:
        data.high = batch.high
    for name, values in batch.edge_options.items():
        data[name] = values
    return data


def printed(dataset: str) -> str:
    """A dataset's name in titles."""
    return DATASETS[dataset].printed


def listed(names: Sequence[str]) -> str:
    """Names in a sentence."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def counted_trials(rows: Sequence[Row], spread: str) -> str:
    """How many trials the rows have, and how their spread is drawn where there is any."""
    trials = sorted({int(row["trials"]) for row in rows})
    if trials == [1]:
        return "1 trial"
    counted = str(trials[0]) if len(trials) == 1 else f"{trials[0]} to {trials[-1]}"
    return f"{counted} trials, {spread}"
