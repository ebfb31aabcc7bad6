"""Training on transfer tasks, as a row."""

from __future__ import annotations

from dataclasses import replace

import pytest

from panda_gnn.errors import InputError
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.measurements.transfer import (
    TRANSFER,
    TRANSFER_METHODS,
    measure_transfer,
    transfer_model,
)
from panda_gnn.evaluation.methods import complete


@pytest.mark.parametrize("method", TRANSFER_METHODS)
def test_short_transfers_are_learned(method: str) -> None:
    config = Config(
        "ring",
        "gcn",
        method,
        {"distance": 3, "high_width": 32},
        width=16,
        dropout=0.0,
        learning_rate=1e-2,
        max_epochs=1000,
    )
    config = complete(config, TRANSFER)
    assert measure_transfer(config, 0)["values"] == {"accuracy": 1}
    short = replace(config, max_epochs=3)
    assert measure_transfer(short, 1)["values"] == measure_transfer(short, 1)["values"]


def test_transfer_models_are_as_deep_as_the_distance() -> None:
    for distance in (2, 5):
        config = complete(Config("tree", "gin", "panda", {"distance": distance}), TRANSFER)
        assert len(transfer_model(config).layers) == distance


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (Config("mutag"), "unknown topology 'mutag': choose one of ring"),
        (Config("ring", "gat"), "unknown backbone 'gat'"),
        (Config("ring", method="gtr"), "unknown method 'gtr' of a transfer task: choose one of"),
        (Config("ring", settings={"k": 3}), "unknown setting 'k': measure transfer has distance"),
        (Config("ring", settings={"distance": 1}), "distance is 1, it must be a whole number"),
    ],
)
def test_mistakes_get_one_sentence(config: Config, message: str) -> None:
    with pytest.raises(InputError, match=message):
        complete(config, TRANSFER)
