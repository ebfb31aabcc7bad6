"""How far the signal of a node gets in an untrained model, and the resistance of the graph."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from panda_gnn.diagnostics import signal_propagation, total_resistance
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.measurements.untrained import (
    dataset_measure,
    in_double,
    one_graph,
    spread_graphs,
    untrained,
)
from panda_gnn.evaluation.tasks import TaskData

#: Raised whenever another number is measured than before.
CODE = "signal-1"

#: What is drawn, and what is to the letter of the paper.
SIGNALS: dict[str, dict[str, Any]] = {
    "heard": {"unit": "graph", "subtract_silence": True},
    "signal": {"unit": "node"},
}


def signals(data: TaskData, config: Config, seed: int) -> dict[str, Any]:
    """Four lists over graphs: ``graph``, ``total_resistance``, ``heard`` and ``signal``.

    The resistance and the distances are those of the graph before it is rewired. The model has as
    many inputs as it is wide, and the signals of ``sources`` random nodes are measured after its
    last hidden layer.
    """
    model, table = in_double(*untrained(config, seed, data, in_channels=config.width))
    values: dict[str, Any] = {
        "graph": spread_graphs(config.dataset, table.num_graphs),
        "total_resistance": _total_resistances(data),
    }
    for name, options in SIGNALS.items():
        values[name] = [
            signal_propagation(
                model,
                one_graph(table, place),
                in_channels=config.width,
                sources=int(config.settings["sources"] or 0),
                layer=config.num_layers - 1,
                distance_graph=one_graph(data.graphs, place),
                seed=seed,
                **options,
            ).mean
            for place in range(table.num_graphs)
        ]
    return values


@lru_cache(maxsize=2)
def _total_resistances(data: TaskData) -> list[float]:
    return [
        total_resistance(one_graph(data.graphs, place)) for place in range(data.graphs.num_graphs)
    ]


SIGNAL = dataset_measure("signal", CODE, signals, {"sources": 10})
