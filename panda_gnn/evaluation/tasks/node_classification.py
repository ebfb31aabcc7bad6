"""Node classification: the class of every node of one graph, trained in one piece."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import torch
from torch.optim.lr_scheduler import ReduceLROnPlateau
from torch_geometric.data import Data, InMemoryDataset

from panda_gnn.datasets import DatasetEntry
from panda_gnn.datasets.resolver import is_own
from panda_gnn.errors import InputError, choose
from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.metrics import ACCURACY
from panda_gnn.evaluation.splits import Split, named_ratio, named_split, random_split, split_sizes
from panda_gnn.evaluation.tasks.task import Task, TaskData
from panda_gnn.evaluation.train import Recipe

NODE_SPLITS = ("random", "public")
RANDOM_SHARES = {"train": 0.6, "validation": 0.2}
PLATEAU_PATIENCE = 25


class NodeTask(Task):
    """A class for every node of one graph, or one or more numbers.

    Training is that of graphs except that a mini-batch is the whole graph and the
    learning rate is divided by ten when the training loss has not fallen for 25 epochs. Models have
    3 layers by default, as in the rewiring papers.
    """

    def training(self, settings: Mapping[str, Any], backbone: str) -> Mapping[str, Any]:
        return {"num_layers": 3}

    def check(self, config: Config) -> None:
        kind = choose("split", config.settings["split"], NODE_SPLITS)
        if kind == "public" and is_own(config.dataset):
            raise InputError(
                f"{config.dataset} has no public splits: leave the setting split out, and choose "
                "one with --split"
            )

    def collate(self, graphs: Sequence[Data] | InMemoryDataset) -> GraphTable:
        table = super().collate(graphs)
        nodes = torch.arange(table.x.size(0))
        if table.virtual is None:
            return replace(table, target_nodes=nodes)
        return replace(table, target_nodes=nodes[~table.virtual], y=table.y[~table.virtual])

    def split(self, data: TaskData, settings: Mapping[str, Any], seed: int) -> Split:
        own = data.entry.split
        if own and not own.startswith("masks"):
            return named_split(own, data.graphs.y.size(0), seed)
        return node_split(data.dataset[0], "public" if own else settings["split"], seed)

    def test_ratio(self, entry: DatasetEntry, settings: Mapping[str, Any]) -> float:
        if entry.split.startswith("masks of "):
            assert entry.split_sizes is not None
            return entry.split_sizes[2] / entry.split_sizes[0]
        if entry.split:
            return named_ratio(entry.split, round(entry.average_nodes))
        if settings["split"] == "public":
            return 0.2 / 0.48
        train, _, test = split_sizes(round(entry.average_nodes), **RANDOM_SHARES)
        return test / train

    def recipe(self, config: Config) -> Recipe:
        plateau = partial(ReduceLROnPlateau, patience=PLATEAU_PATIENCE)
        return self.patient_recipe(config, shuffle=False, scheduler=plateau)


def node_split(data: Data, kind: str, seed: int) -> Split:
    """The nodes for training, validation and test.

    Args:
        data: The graph, with the public splits as columns of its masks.
        kind: ``"random"`` for 60 % of the nodes for training, 20 % for validation and the rest for
            test, by the seed alone; ``"public"`` for one of the ten splits of Geom-GCN, that of
            number ``seed`` modulo ten, which are 48 / 32 / 20 % of the nodes.
        seed: The seed.
    """
    if choose("split", kind, NODE_SPLITS) == "public":
        number = seed % data.train_mask.size(1)
        masks = (data.train_mask, data.val_mask, data.test_mask)
        return Split(*(mask[:, number].nonzero().view(-1) for mask in masks))
    return random_split(int(data.num_nodes or 0), seed, **RANDOM_SHARES)


NODE_CLASSIFICATION = NodeTask("node-classification", ACCURACY, {"split": "random"})
