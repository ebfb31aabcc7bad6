"""How a dataset is trained where nobody says otherwise."""

from __future__ import annotations

from collections.abc import Mapping

from panda_gnn.datasets import DATASETS
from panda_gnn.errors import choose
from panda_gnn.evaluation.config import Setting
from panda_gnn.evaluation.lrgb_protocol import LRGB_SETTINGS, PRESETS
from panda_gnn.evaluation.node_protocol import NODE_TRAINING


def training_of(dataset: str, settings: Mapping[str, Setting] | None = None) -> dict[str, float]:
    """The fields of a ``Config`` that the protocol of the dataset fixes.

    For graph sets there are none: a config's own defaults are theirs. For the long-range benchmark
    they are those of the preset in ``settings``, or of its default.
    """
    task = DATASETS[choose("dataset", dataset, DATASETS)].task
    if task == "node":
        return dict(NODE_TRAINING)
    if task == "lrgb":
        preset = str({**LRGB_SETTINGS, **(settings or {})}["preset"])
        return dict(PRESETS[choose("preset", preset, PRESETS)].training)
    return {}
