"""Graph classification: the class of every graph, as in the paper's main table."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from torch.nn import functional as F
from torch.optim import Adam
from torch.optim.lr_scheduler import ReduceLROnPlateau

from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.metrics import ACCURACY
from panda_gnn.evaluation.splits import Split, named_split, random_split
from panda_gnn.evaluation.tasks.task import Task, TaskData
from panda_gnn.evaluation.train import Recipe


class GraphClassification(Task):
    """A class for every graph.

    The split is a random 80 / 10 / 10 % of the graphs, where own data name no other. Training is
    Adam on the cross-entropy, the learning rate divided by ten when the summed training loss has
    not fallen for ten epochs. It ends when the validation accuracy has not reached its next goal
    for ``config.patience`` epochs.
    """

    classifies_graphs = True

    def split(self, data: TaskData, settings: Mapping[str, Any], seed: int) -> Split:
        if data.entry.split:
            return named_split(data.entry.split, data.graphs.num_graphs, seed)
        return random_split(data.graphs.num_graphs, seed)

    def recipe(self, config: Config) -> Recipe:
        return Recipe(
            F.cross_entropy,
            self.metric,
            partial(Adam, lr=config.learning_rate, fused=True),
            config.max_epochs,
            batch_size=config.batch_size,
            scheduler=ReduceLROnPlateau,
            patience=config.patience,
            threshold=config.threshold,
        )


GRAPH_CLASSIFICATION = GraphClassification("graph-classification", ACCURACY)
