"""How much nodes of an untrained model feel each other's input, after every hidden layer."""

from __future__ import annotations

import torch

from panda_gnn.diagnostics import sensitivity
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.measurements.untrained import (
    dataset_measure,
    in_double,
    one_graph,
    untrained,
)
from panda_gnn.evaluation.tasks import TaskData

#: Raised whenever another number is measured than before.
CODE = "sensitivity-1"


def sensitivities(data: TaskData, config: Config, seed: int) -> dict[str, list[float]]:
    """The ``sensitivity``, a list over hidden layers: the mean over graphs of that over pairs.

    The inputs of ``sources`` random nodes of each graph are varied.
    """
    sources = int(config.settings["sources"] or 0)
    model, table = in_double(*untrained(config, seed, data))
    means = [
        sensitivity(model, one_graph(table, index), sources=sources, seed=seed).mean()
        for index in range(table.num_graphs)
    ]
    return {"sensitivity": torch.stack(means).mean(0)[: config.num_layers].tolist()}


SENSITIVITY = dataset_measure("sensitivity", CODE, sensitivities, {"sources": 8})
