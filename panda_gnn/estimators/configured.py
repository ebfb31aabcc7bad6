"""The estimator that a trial's config describes, fitted on the whole dataset."""

from __future__ import annotations

from typing import Any

import numpy as np

from panda_gnn.datasets import DATASETS
from panda_gnn.errors import choose
from panda_gnn.estimators.estimator import CONFIGURED, PandaEstimator
from panda_gnn.estimators.files import KINDS
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.tasks import TaskData, task_of

OF_TASKS = {kind.task.name: kind for kind in KINDS.values()}
OF_PANDA = ("k", "high_width", "centrality", "selector")


def configured(config: Config, seed: int) -> PandaEstimator:
    """The estimator with the parameters of a complete config, not fitted yet.

    Tasks and methods that no estimator has are refused.
    """
    task = task_of(config.dataset)
    kind = OF_TASKS[choose("task", task.name, OF_TASKS, "of a model that can be saved")]
    own = {name: value for name, value in config.settings.items() if name not in task.settings}
    estimator = kind(
        backbone=config.backbone,
        method=config.method,
        settings={name: value for name, value in own.items() if name not in OF_PANDA} or None,
        features=DATASETS.lookup(config.dataset).features,
        random_state=seed,
        **{name: own[name] for name in OF_PANDA if name in own},
        **{name: getattr(config, name) for name in CONFIGURED},
    )
    estimator.config()
    return estimator


def fit_on(estimator: Any, data: TaskData) -> Any:
    """Fit an estimator on all graphs, or all nodes, of a dataset; classes have their own
    names."""
    y: Any = data.graphs.y.numpy()
    if data.entry.classes:
        y = np.array(data.entry.classes)[y]
    graphs = list(data.dataset)
    return estimator.fit(graphs[0] if estimator.of_nodes else graphs, y)
