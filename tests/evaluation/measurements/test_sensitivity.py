"""The sensitivity of untrained models, as a row."""

from __future__ import annotations

from pathlib import Path

from panda_gnn.datasets import DATASETS
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.measurements.sensitivity import SENSITIVITY, measure_sensitivity
from panda_gnn.evaluation.methods import complete, parts
from panda_gnn.evaluation.origin import Origin
from panda_gnn.evaluation.store import identity


def test_wider_is_more_sensitive(shared_root: Path) -> None:
    first = []
    for width in (16, 32, 64, 128):
        config = Config("mutag", width=width, num_layers=2, settings={"graphs": 8})
        config = complete(config, SENSITIVITY)
        values = [
            measure_sensitivity(config, seed, root=str(shared_root))["values"]["sensitivity"]
            for seed in range(2)
        ]
        assert [len(layers) for layers in values] == [2, 2]
        first.append(sum(layers[0] for layers in values))
    assert first == sorted(first)


def test_how_many_graphs_and_sources_is_in_the_key(shared_root: Path) -> None:
    keys = set()
    for settings in ({}, {"graphs": 2}, {"graphs": 2, "sources": 3}):
        config = complete(Config("mutag", num_layers=1, settings=settings), SENSITIVITY)
        assert set(config.settings) == {"graphs", "sources"}
        keys.add(config.key)
    assert len(keys) == 3
    row = measure_sensitivity(config, 0, root=str(shared_root))
    origin = Origin(
        SENSITIVITY.code, tuple(sorted(parts(config).items())), DATASETS["mutag"].fingerprint
    )
    assert identity(row) == (config.key, origin, 0)
    assert complete(Config("mutag")).settings == {}
