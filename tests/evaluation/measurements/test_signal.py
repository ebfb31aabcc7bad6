"""The signal of untrained models and the resistance of their graphs, as a row."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.measurements.signal import SIGNAL, measure_signal
from panda_gnn.evaluation.methods import complete


def test_signal_falls_with_resistance(shared_root: Path) -> None:
    config = Config("mutag", num_layers=2, settings={"graphs": 30})
    row = measure_signal(complete(config, SIGNAL), 0, root=str(shared_root))
    assert json.loads(json.dumps(row)) == row
    values = row["values"]
    assert {len(column) for column in values.values()} == {30}
    assert values["graph"][:3] == [0, 6, 12]
    assert np.corrcoef(values["total_resistance"], values["heard"])[0, 1] < -0.5


def test_the_resistance_is_that_before_rewiring(shared_root: Path) -> None:
    plain, rewired = (
        measure_signal(
            complete(Config("mutag", "gin", method, {"graphs": 3}, num_layers=2), SIGNAL),
            1,
            root=str(shared_root),
        )["values"]
        for method in ("none", "fosr")
    )
    assert plain["total_resistance"] == rewired["total_resistance"]
    assert plain["heard"] != rewired["heard"]
