"""How much nodes of an untrained model feel each other's input, after every hidden layer."""

from __future__ import annotations

import time

import torch

from panda_gnn.diagnostics import sensitivity
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.measure import Measure
from panda_gnn.evaluation.measurements.untrained import (
    GRAPHS,
    in_double,
    measured_data,
    one_graph,
    untrained,
)
from panda_gnn.evaluation.methods import parts
from panda_gnn.evaluation.store import Row, new_row
from panda_gnn.evaluation.trial import one_thread

#: Raised whenever another number is measured than before.
CODE = "sensitivity-1"


def measure_sensitivity(
    config: Config, seed: int, *, root: str | None = None, mirror: str | None = None
) -> Row:
    """The ``sensitivity``, a list over hidden layers: the mean over graphs of that over pairs.

    The inputs of ``sources`` random nodes of each graph are varied.
    """
    start = time.perf_counter()
    sources = int(config.settings["sources"] or 0)
    with one_thread():
        data = measured_data(config, root, mirror)
        model, table = in_double(*untrained(config, seed, data))
        means = [
            sensitivity(model, one_graph(table, index), sources=sources, seed=seed).mean()
            for index in range(table.num_graphs)
        ]
        values = torch.stack(means).mean(0)[: config.num_layers].tolist()
    seconds = time.perf_counter() - start
    return new_row(
        config,
        seed,
        CODE,
        seconds,
        parts=parts(config),
        data=data.fingerprint,
        values={"sensitivity": values},
    )


SENSITIVITY = Measure("sensitivity", measure_sensitivity, CODE, settings={**GRAPHS, "sources": 8})
