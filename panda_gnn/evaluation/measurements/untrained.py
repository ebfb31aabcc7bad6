"""The untrained model of a config, and the graphs that are measured with it."""

from __future__ import annotations

import torch
from torch_geometric.data import Data

from panda_gnn.datasets import DATASETS
from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.methods import METHODS
from panda_gnn.evaluation.tasks import TaskData, load_data
from panda_gnn.nn import GNN

#: The setting of all measurements on datasets: how many graphs; ``None`` is all of them.
GRAPHS = {"graphs": None}


def spread_graphs(dataset: str, count: int | None) -> list[int]:
    """The numbers of ``count`` graphs, spread evenly over the dataset; of all if ``None``."""
    total = DATASETS[dataset].num_graphs
    count = total if count is None else min(count, total)
    return [index * total // count for index in range(count)]


def measured_data(config: Config, root: str | None, mirror: str | None) -> TaskData:
    """The graphs of the config's dataset that are measured, before the method changes them."""
    count = config.settings["graphs"]
    some = None if count is None else tuple(spread_graphs(config.dataset, count))
    return load_data(config.dataset, root, mirror, some)


def untrained(
    config: Config, seed: int, data: TaskData, *, in_channels: int | None = None
) -> tuple[GNN, GraphTable]:
    """The model of a config with fresh weights, and the graphs as its method makes them.

    Args:
        config: Backbone, method and all its settings.
        seed: Seeds the weights and whatever is random in the method.
        data: The graphs before the method changes them.
        in_channels: Replace the features by so many zeros, for a model that takes other input.
    """
    method = METHODS[config.method]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        table = method.graphs(data, config.settings, seed)
        if in_channels is not None:
            blank = table.x.new_zeros(table.x.size(0), in_channels)
            table = table.with_nodes(x=blank)
        model = method.model(data.task, table, config)
    return model.eval(), table


def in_double(model: GNN, table: GraphTable) -> tuple[GNN, GraphTable]:
    """Both in double precision.

    In single precision a rounding error now and then changes which dimensions a low node takes.
    """
    return model.double(), table.with_nodes(x=table.x.double())


def one_graph(table: GraphTable, index: int) -> Data:
    """One graph of a table as PyG's ``Data``."""
    batch = table.take(torch.tensor([index]))
    data = Data(x=batch.x, edge_index=batch.edge_index, num_nodes=batch.x.size(0))
    if batch.high is not None:
        data.high = batch.high
    for name, values in batch.edge_options.items():
        data[name] = values
    return data
