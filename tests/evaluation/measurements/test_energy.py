"""The Dirichlet energy of trained models, as a row."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from panda_gnn.datasets import DATASETS
from panda_gnn.errors import InputError
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.measurements.energy import CODE, ENERGY, measure_energy
from panda_gnn.evaluation.methods import complete, parts
from panda_gnn.evaluation.origin import Origin
from panda_gnn.evaluation.store import INCIDENTAL, identity


def test_an_energy_after_every_layer(shared_root: Path) -> None:
    rows = {}
    for method in ("none", "panda"):
        settings = {"graphs": 20}
        config = Config("mutag", method=method, settings=settings, max_epochs=2)
        config = complete(config, ENERGY)
        rows[method] = measure_energy(config, 1, root=str(shared_root))
        assert json.loads(json.dumps(rows[method])) == rows[method]
        origin = Origin(CODE, tuple(sorted(parts(config).items())), DATASETS["mutag"].fingerprint)
        assert identity(rows[method]) == (config.key, origin, 1)
        assert [len(values) for values in rows[method]["values"].values()] == [6, 6]
        assert all(0 <= value <= 2 for value in rows[method]["values"]["relative_energy"])
    features = {row["values"]["energy"][0] for row in rows.values()}
    assert len(features) == 1
    again = measure_energy(config, 1, root=str(shared_root))
    assert all(again[name] == rows["panda"][name] for name in set(again) - set(INCIDENTAL))


def test_training_needs_graphs_to_test_on() -> None:
    with pytest.raises(InputError, match="at least 10"):
        complete(Config("mutag", settings={"graphs": 3}), ENERGY)
