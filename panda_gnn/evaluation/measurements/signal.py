"""How far the signal of a node gets in an untrained model, and the resistance of the graph."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Any

from panda_gnn.diagnostics import signal_propagation, total_resistance
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.measure import Measure
from panda_gnn.evaluation.measurements.untrained import (
    GRAPHS,
    in_double,
    measured_data,
    one_graph,
    spread_graphs,
    untrained,
)
from panda_gnn.evaluation.methods import parts
from panda_gnn.evaluation.store import Row, new_row
from panda_gnn.evaluation.tasks import TaskData
from panda_gnn.evaluation.trial import one_thread

#: Raised whenever another number is measured than before.
CODE = "signal-1"

#: What is drawn, and what is to the letter of the paper.
SIGNALS: dict[str, dict[str, Any]] = {
    "heard": {"unit": "graph", "subtract_silence": True},
    "signal": {"unit": "node"},
}


def measure_signal(
    config: Config, seed: int, *, root: str | None = None, mirror: str | None = None
) -> Row:
    """Four lists over graphs: ``graph``, ``total_resistance``, ``heard`` and ``signal``.

    The resistance and the distances are those of the graph before it is rewired. The model has as
    many inputs as it is wide, and the signals of ``sources`` random nodes are measured after its
    last hidden layer.
    """
    start = time.perf_counter()
    with one_thread():
        data = measured_data(config, root, mirror)
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
    return new_row(
        config,
        seed,
        CODE,
        time.perf_counter() - start,
        parts=parts(config),
        data=data.fingerprint,
        values=values,
    )


@lru_cache(maxsize=2)
def _total_resistances(data: TaskData) -> list[float]:
    return [
        total_resistance(one_graph(data.graphs, place)) for place in range(data.graphs.num_graphs)
    ]


SIGNAL = Measure("signal", measure_signal, CODE, settings={**GRAPHS, "sources": 10})
