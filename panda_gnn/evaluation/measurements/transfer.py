"""Training on a transfer task: can a model carry a class over a distance at all?

All graphs of a class are the same graph (see :func:`panda_gnn.datasets.transfer`), so one graph of
each class is the whole task and there is nothing to generalise to: the accuracy says whether the
model found weights that carry the message. Every model has as many convolutions as the distance,
the fewest with which the message can arrive.

The dataset of a config is the topology, the distance decides the number of layers, and
``max_epochs`` is the largest number of steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch_geometric.data import Data

from panda_gnn.datasets import TOPOLOGIES, transfer
from panda_gnn.errors import choose
from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.measurements.carrying import (
    carrying_measure,
    carrying_model,
    carrying_recipe,
)
from panda_gnn.evaluation.splits import Split
from panda_gnn.evaluation.train import train
from panda_gnn.nn import GNN
from panda_gnn.options import whole_number
from panda_gnn.rewiring.fosr import FoSR
from panda_gnn.rewiring.virtual_node import VirtualNode
from panda_gnn.transforms import ExpandWidth

#: Raised whenever another number is measured than before.
CODE = "transfer-2"

#: The selector of each method that is PANDA.
SELECTOR_OF = {"panda": "topk", "panda-linear": "linear"}

TRANSFER_METHODS = ("none", "all-wide", "fosr", "virtual-node", *SELECTOR_OF)
"""The plain backbone, every node at ``high_width``, more edges, one more node, and PANDA."""

#: How far the message goes, how many messages there are, the width of high nodes, the share of the
#: nodes that are high, by betweenness, and how many edges FoSR adds.
SETTINGS: Mapping[str, Setting] = {
    "distance": 2,
    "num_classes": 5,
    "high_width": 128,
    "share": 0.2,
    "iterations": 10,
}


def check_task(config: Config) -> None:
    """Reject a topology, a method or a distance that there is no task for."""
    choose("topology", config.dataset, TOPOLOGIES)
    choose("method", config.method, TRANSFER_METHODS, "of a transfer task")
    distance: Any = config.settings["distance"]
    whole_number("distance", distance, 2)


def transfer_accuracy(config: Config, seed: int) -> float:
    """The share of the classes that the model tells right at its best step."""
    graphs = GraphTable.collate(transfer_graphs(config, seed))
    return best_accuracy(transfer_model(config), graphs, config)


def transfer_graphs(config: Config, seed: int) -> list[Data]:
    """One graph of each class, as the method makes them."""
    settings: Mapping[str, Any] = config.settings
    count = settings["num_classes"]
    graphs = transfer(config.dataset, settings["distance"], num_graphs=count, num_classes=count)
    if config.method == "fosr":
        graphs = [FoSR(settings["iterations"], seed=seed)(graph) for graph in graphs]
    if config.method == "virtual-node":
        graphs = [VirtualNode()(graph) for graph in graphs]
    if config.method in SELECTOR_OF:
        graphs = [ExpandWidth("betweenness", ratio=settings["share"])(graph) for graph in graphs]
    return graphs


def transfer_model(config: Config) -> GNN:
    """The model with fresh weights."""
    settings: Mapping[str, Any] = config.settings
    count = settings["num_classes"]
    return carrying_model(
        config, (count, count), settings["distance"], SELECTOR_OF.get(config.method)
    )


def best_accuracy(model: GNN, graphs: GraphTable, config: Config) -> float:
    """Train with Adam on the whole task; it ends early when all classes are right."""
    recipe = carrying_recipe(config, fused=True, goal=1.0)
    rows = torch.arange(graphs.num_graphs)
    return max(train(model, graphs, Split(rows, rows[:0], rows[:0]), recipe, seed=0).training)


TRANSFER = carrying_measure("transfer", CODE, transfer_accuracy, SETTINGS, check_task)
