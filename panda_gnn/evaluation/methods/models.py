"""Methods that are networks of their own: DRew and Co-GNN."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.methods.method import Method, network
from panda_gnn.evaluation.tasks import Task, TaskData
from panda_gnn.nn import CoGNN, DRewGNN
from panda_gnn.rewiring import LASER, rewire_dataset


def _drew_settings(task: Task, config: Config) -> Mapping[str, Setting]:
    return {"nu": 1, "reach": config.num_layers + 1}


@lru_cache(maxsize=2)
def _up_to(data: TaskData, reach: int) -> GraphTable:
    return data.task.collate(rewire_dataset(data.dataset, LASER(reach, rho=1.0, walk_length=0)))


def _all_distances(data: TaskData, settings: Mapping[str, Any], seed: int) -> GraphTable:
    """The graphs with an edge between any two nodes up to a distance, which is its type."""
    return _up_to(data, settings["reach"])


_ACTIONS: Mapping[str, Setting] = {"action_width": 16, "action_layers": 1, "temperature": 0.01}

MODEL_METHODS = {
    "drew": Method(
        "distant nodes heard layer by layer, with a delay",
        _drew_settings,
        _all_distances,
        network(DRewGNN, "nu", "reach"),
        backbones=("gcn",),
    ),
    "co-gnn": Method(
        "nodes that choose whether to listen and to speak",
        lambda task, config: _ACTIONS,
        model=network(CoGNN, *_ACTIONS),
    ),
}
