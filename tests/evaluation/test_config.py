"""Configs as plain values."""

from __future__ import annotations

import json

import pytest

from panda_gnn.errors import InputError
from panda_gnn.evaluation.config import Config


def test_configs_survive_json() -> None:
    config = Config("mutag", "gin", "panda", {"k": 4}, width=32)
    again = Config.from_dict(json.loads(json.dumps(config.to_dict())))
    assert again == config
    assert again.key == config.key


def test_an_unknown_option_is_named_with_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"unknown entry 'depth': choose one of dataset, .*width"):
        Config.from_dict({"dataset": "mutag", "depth": 3})
