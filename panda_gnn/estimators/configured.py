"""The estimator that a trial's config describes, fitted on the whole dataset."""

from __future__ import annotations

from typing import Any

import numpy as np

from panda_gnn.errors import InputError, choose
from panda_gnn.estimators.estimator import PandaEstimator
from panda_gnn.estimators.graphs import PandaClassifier, PandaRegressor
from panda_gnn.estimators.nodes import PandaNodeClassifier, PandaNodeRegressor
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.tasks import TaskData, task_of

KINDS: dict[str, type[PandaEstimator]] = {
    kind.task.name: kind
    for kind in (PandaClassifier, PandaRegressor, PandaNodeClassifier, PandaNodeRegressor)
}
TRAINING = (
    "width",
    "num_layers",
    "dropout",
    "learning_rate",
    "batch_size",
    "max_epochs",
    "patience",
)
OF_PANDA = ("k", "high_width", "centrality", "selector")


def configured(config: Config, seed: int) -> PandaEstimator:
    """The estimator with the parameters of a complete config, not fitted yet.

    Tasks and methods that no estimator has are refused.
    """
    task = task_of(config.dataset)
    kind = KINDS[choose("task", task.name, KINDS, "of a model that can be saved")]
    own = {name: value for name, value in config.settings.items() if name not in task.settings}
    estimator = kind(
        backbone=config.backbone,
        method=config.method,
        settings={name: value for name, value in own.items() if name not in OF_PANDA} or None,
        random_state=seed,
        **{name: own[name] for name in OF_PANDA if name in own},
        **{name: getattr(config, name) for name in TRAINING},
    )
    estimator.config()
    return estimator


def fit_on(estimator: PandaEstimator, data: TaskData) -> PandaEstimator:
    """Fit an estimator on all graphs, or all nodes, of a dataset; classes have their words."""
    y: Any = data.graphs.y.numpy()
    if data.entry.class_names:
        y = np.array(data.entry.class_names)[y]
    graphs = list(data.dataset)
    if isinstance(estimator, (PandaNodeClassifier, PandaNodeRegressor)):
        return estimator.fit(graphs[0], y)
    if isinstance(estimator, (PandaClassifier, PandaRegressor)):
        return estimator.fit(graphs, y)
    raise InputError(f"{type(estimator).__name__} is no estimator that can be fitted here")
