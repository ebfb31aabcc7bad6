"""What measurements on datasets share: the graphs, the untrained model of a config, the row."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch
from torch_geometric.data import Data

from panda_gnn.datasets import DATASETS
from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.measure import Measure
from panda_gnn.evaluation.methods import METHODS, graphs_of, row_of
from panda_gnn.evaluation.store import Row
from panda_gnn.evaluation.tasks import TaskData, load_data
from panda_gnn.evaluation.trial import one_thread
from panda_gnn.nn import GNN

#: A function of the graphs, a complete config and a seed to what is measured, by name.
Values = Callable[[TaskData, Config, int], Mapping[str, Any]]


def dataset_measure(
    name: str,
    code: str,
    values: Values,
    settings: Mapping[str, Setting] | None = None,
    check: Callable[[Config], object] = lambda config: None,
) -> Measure:
    """A measurement on graphs of a dataset, by one thread.

    All of them have the setting ``graphs``: how many of the dataset; ``None`` is all of them.
    """
    run = partial(_measured, values, code)
    return Measure(name, run, code, settings={"graphs": None, **(settings or {})}, check=check)


def _measured(values: Values, code: str, config: Config, seed: int, **where: str | None) -> Row:
    start = time.perf_counter()
    with one_thread():
        data = measured_data(config, **where)
        found = values(data, config, seed)
    return row_of(data, config, seed, code, time.perf_counter() - start, values=found)


def spread_graphs(dataset: str, count: int | None) -> list[int]:
    """The numbers of ``count`` graphs, spread evenly over the dataset; of all if ``None``."""
    total = DATASETS[dataset].num_graphs
    count = total if count is None else min(count, total)
    return [index * total // count for index in range(count)]


def measured_data(config: Config, root: str | None = None, mirror: str | None = None) -> TaskData:
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
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        table = graphs_of(data, config, seed)
        if in_channels is not None:
            blank = table.x.new_zeros(table.x.size(0), in_channels)
            table = table.with_nodes(x=blank)
        model = METHODS[config.method].model(data.task, table, config)
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
