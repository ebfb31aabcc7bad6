"""The signal of untrained models and the resistance of their graphs, as a row."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.measurements.signal import SIGNAL
from panda_gnn.evaluation.methods import complete
from panda_gnn.nn import GNN, PandaGNN, WidthPartition
from panda_gnn.rewiring import FoSR
from panda_gnn.transforms import ExpandWidth
from tests.evaluation.measurements.literal import (
    distances,
    gcn_states,
    mutag_graphs,
    total_resistance,
)


def test_signal_falls_with_resistance(shared_root: Path) -> None:
    config = Config("mutag", num_layers=2, settings={"graphs": 30})
    row = SIGNAL.run(complete(config, SIGNAL), 0, root=str(shared_root))
    assert json.loads(json.dumps(row)) == row
    values = row["values"]
    assert {len(column) for column in values.values()} == {30}
    assert values["graph"][:3] == [0, 6, 12]
    assert np.corrcoef(values["total_resistance"], values["heard"])[0, 1] < -0.5


def test_the_resistance_is_that_before_rewiring(shared_root: Path) -> None:
    plain, rewired = (
        SIGNAL.run(
            complete(Config("mutag", "gin", method, {"graphs": 3}, num_layers=2), SIGNAL),
            1,
            root=str(shared_root),
        )["values"]
        for method in ("none", "fosr")
    )
    assert plain["total_resistance"] == rewired["total_resistance"]
    assert plain["heard"] != rewired["heard"]


def literal_signals(
    states: Callable[[Tensor], list[Tensor]], hops: list[dict[int, int]], width: int
) -> dict[str, float]:
    """The mean over all sources of both signals; ``states`` are of each node as long as it is."""
    num_nodes = len(hops)
    silence = states(torch.zeros(num_nodes, width, dtype=torch.float64))
    sums = {"heard": 0.0, "signal": 0.0}
    for source in range(num_nodes):
        x = torch.zeros(num_nodes, width, dtype=torch.float64)
        x[source] = width**-0.5
        after = states(x)
        heard = [
            float((own - quiet).abs().sum()) for own, quiet in zip(after, silence, strict=True)
        ]
        furthest = max(hops[source].values())
        for u, hop in hops[source].items():
            sums["heard"] += hop / furthest * heard[u] / sum(heard)
            if float(after[u].norm()) > 0:
                sums["signal"] += hop / furthest * float((after[u] / after[u].norm()).mean())
    return {name: total / num_nodes for name, total in sums.items()}


@pytest.mark.parametrize("method", ["none", "fosr", "panda"])
def test_two_graphs_by_hand(method: str, shared_root: Path) -> None:
    """Signals of a GCN on the rewired graph, weighted by the distances before the rewiring."""
    seed, width = 3, 6
    settings = {"graphs": 2, "sources": 50}
    if method == "panda":
        settings |= {"k": 3, "high_width": 9}
    config = complete(Config("mutag", "gcn", method, settings, width=width, num_layers=2), SIGNAL)
    values = SIGNAL.run(config, seed, root=str(shared_root))["values"]
    assert values["graph"] == [0, 94]
    graphs = mutag_graphs(str(shared_root), 0, 94)
    torch.manual_seed(seed)
    plain = GNN(width, 2, width=width, num_layers=2).double().eval()
    torch.manual_seed(seed)
    panda = PandaGNN(width, 2, width=width, high_width=9, num_layers=2).double().eval()
    for place, data in enumerate(graphs):
        seen = FoSR(10)(data.clone()) if method == "fosr" else data
        assert (seen.num_edges > data.num_edges) == (method == "fosr")
        high = ExpandWidth("betweenness", 3)(data.clone()).high

        def states(
            x: Tensor, edge_index: Tensor = seen.edge_index, high: Tensor = high
        ) -> list[Tensor]:
            with torch.no_grad():
                if method != "panda":
                    return list(gcn_states(plain, x, edge_index)[1])
                sides = panda.states(x, WidthPartition(edge_index, high))[1]
                rows = [iter(side) for side in sides]
                return [next(rows[int(is_high)]) for is_high in high]

        expected = literal_signals(states, distances(data), width)
        assert values["heard"][place] == pytest.approx(expected["heard"], rel=1e-9)
        assert values["signal"][place] == pytest.approx(expected["signal"], rel=1e-9)
        assert values["total_resistance"][place] == pytest.approx(total_resistance(data), rel=1e-8)
