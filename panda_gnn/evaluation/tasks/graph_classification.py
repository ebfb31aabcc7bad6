"""Graph classification: the class of every graph, as in the paper's main table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch.optim.lr_scheduler import ReduceLROnPlateau

from panda_gnn.datasets import DatasetEntry
from panda_gnn.errors import choose
from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.metrics import ACCURACY
from panda_gnn.evaluation.splits import (
    FOLDS,
    Split,
    fold_split,
    named_ratio,
    named_split,
    random_split,
    split_sizes,
)
from panda_gnn.evaluation.tasks.task import Task, TaskData
from panda_gnn.evaluation.train import Recipe

GRAPH_SPLITS = ("random", "ten-fold")


class GraphTask(Task):
    """A class for every graph, several labels, or one or more numbers.

    The split is a random 80 / 10 / 10 % of the graphs, or with the setting ``split = "ten-fold"``
    one of ten folds (:func:`~panda_gnn.evaluation.splits.fold_split`); own data may have
    another. Training is that of :meth:`~panda_gnn.evaluation.tasks.task.Task.patient_recipe`, the
    learning rate divided by ten when the summed training loss has not fallen for ten epochs.
    """

    @property
    def classifies_graphs(self) -> bool:
        return self.metric.of_classes

    @property
    def usual(self) -> Mapping[str, Setting]:
        return {"split": "random"} if self.classifies_graphs else {}

    def check(self, config: Config) -> None:
        choose("split", config.settings.get("split", "random"), GRAPH_SPLITS)

    def split(self, data: TaskData, settings: Mapping[str, Any], seed: int) -> Split:
        if settings.get("split") == "ten-fold":
            return fold_split(data.graphs.y, seed)
        if data.entry.split:
            return named_split(data.entry.split, data.graphs.num_graphs, seed)
        return random_split(data.graphs.num_graphs, seed)

    def test_ratio(self, entry: DatasetEntry, settings: Mapping[str, Any]) -> float:
        if settings.get("split") == "ten-fold":
            return 1 / (FOLDS - 1)
        if entry.split:
            return named_ratio(entry.split, entry.num_graphs)
        train, _, test = split_sizes(entry.num_graphs)
        return test / train

    def recipe(self, config: Config) -> Recipe:
        return self.patient_recipe(
            config, batch_size=config.batch_size, scheduler=ReduceLROnPlateau
        )


GRAPH_CLASSIFICATION = GraphTask("graph-classification", ACCURACY)
