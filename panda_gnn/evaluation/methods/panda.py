"""PANDA as a method: its settings, its high nodes and its model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.methods.method import Method
from panda_gnn.evaluation.tasks import Task, TaskData
from panda_gnn.nn import PandaGNN
from panda_gnn.transforms import high_nodes

MODEL_SETTINGS = ("high_width", "selector", "variant", "panda_layers")
"""The settings that are options of the model."""


def panda_defaults(
    task: Task, config: Config, names: Sequence[str] | None = None
) -> dict[str, Setting]:
    """The settings that the task knows for PANDA: all, or those of the given names."""
    return task.panda_settings(config, names)


def with_high_nodes(data: TaskData, settings: Mapping[str, Any], seed: int) -> GraphTable:
    """The graphs with the k most central nodes of each marked as high."""
    high = high_nodes(data.dataset, settings["centrality"], settings["k"], seed=seed)
    return data.graphs.with_nodes(high=high)


def panda_model(task: Task, graphs: GraphTable, config: Config, **options: Any) -> PandaGNN:
    """PANDA with the options that the config sets, or with the given ones instead."""
    known = {name: config.settings[name] for name in MODEL_SETTINGS if name in config.settings}
    return task.model(PandaGNN, graphs, config, **{**known, **options})


PANDA_METHOD = Method(
    "PANDA, by default with the paper's best settings",
    panda_defaults,
    with_high_nodes,
    panda_model,
)
