"""Training on transfer tasks, as a row."""

from __future__ import annotations

from dataclasses import replace

import pytest

from panda_gnn.errors import InputError
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.measurements.transfer import (
    TRANSFER_METHODS,
    complete_transfer,
    measure_transfer,
    transfer_model,
)


@pytest.mark.parametrize("method", TRANSFER_METHODS)
def test_short_transfers_are_learned(method: str) -> None:
    wide = {"high_width": 32} if "high_width" in TRANSFER_METHODS[method] else {}
    config = Config(
        "ring",
        "gcn",
        method,
        {"distance": 3, **wide},
        width=16,
        dropout=0.0,
        learning_rate=1e-2,
        max_epochs=1000,
    )
    assert measure_transfer(config, 0)["values"] == {"accuracy": 1}
    short = replace(config, max_epochs=3)
    assert measure_transfer(short, 1)["values"] == measure_transfer(short, 1)["values"]


def test_transfer_models_are_as_deep_as_the_distance() -> None:
    for distance in (2, 5):
        config = complete_transfer(Config("tree", "gin", "panda", {"distance": distance}))
        assert len(transfer_model(config).layers) == distance


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (Config("mutag"), "unknown topology 'mutag': choose one of ring"),
        (Config("ring", "gat"), "unknown backbone 'gat'"),
        (Config("ring", method="gtr"), "unknown method 'gtr' of a transfer task: choose one of"),
        (Config("ring", settings={"k": 3}), "unknown setting 'k' of the method none"),
        (Config("ring"), "distance is None, it must be a whole number, at least 2"),
        (Config("ring", settings={"distance": 1}), "distance is 1"),
    ],
)
def test_mistakes_get_one_sentence(config: Config, message: str) -> None:
    with pytest.raises(InputError, match=message):
        complete_transfer(config)
