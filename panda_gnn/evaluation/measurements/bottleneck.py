"""Training on tasks whose bottleneck is one node: where does width pay, and which?

The tasks are those of :mod:`panda_gnn.datasets.synthetic` in which a single node has to hold many
messages at once. The dataset of a config is the task, its size decides how many messages there are,
and every model has as many convolutions as the task needs. Graphs are drawn at random, so that a
model has to carry any messages: it trains on most of them, is chosen on some, and the ``accuracy``
is that on others. PANDA widens the bottleneck, with four ways to choose what others take of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import torch
from torch_geometric.data import Data

from panda_gnn.datasets.synthetic import hub, one_radius, tree_neighbors_match, two_radius
from panda_gnn.errors import choose
from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.epoch_selection import selected_epoch
from panda_gnn.evaluation.measurements.carrying import (
    carrying_measure,
    carrying_model,
    carrying_recipe,
)
from panda_gnn.evaluation.splits import Split
from panda_gnn.evaluation.train import train
from panda_gnn.nn import GNN
from panda_gnn.options import whole_number
from panda_gnn.rewiring import FoSR, VirtualNode
from panda_gnn.transforms import ExpandWidth

#: Raised whenever another number is measured than before.
CODE = "bottleneck-1"


@dataclass(frozen=True)
class BottleneckTask:
    """A task by its size.

    Attributes:
        graphs: Makes graphs of a size, a number and a seed.
        convolutions: How many convolutions a model of a size needs.
        bottleneck: How many nodes are the bottleneck, those of highest betweenness.
        chance: The accuracy of guessing.
    """

    graphs: Callable[..., list[Data]]
    convolutions: Callable[[int], int]
    bottleneck: int
    chance: Callable[[int], float]


#: A leaf needs a layer to bind key and label before they meet at the centre.
BOTTLENECK_TASKS: Mapping[str, BottleneckTask] = MappingProxyType(
    {
        "hub": BottleneckTask(hub, lambda size: 3, 1, lambda size: 0.5),
        "two-radius": BottleneckTask(two_radius, lambda size: 4, 1, lambda size: 0.1),
        "one-radius": BottleneckTask(one_radius, lambda size: 3, 1, lambda size: 0.1),
        "tree-neighbors": BottleneckTask(
            tree_neighbors_match, lambda depth: depth + 1, 3, lambda depth: 0.5**depth
        ),
    }
)

#: The options of PANDA of each method that is PANDA.
SELECTOR_OF = {
    "panda": "topk",
    "panda-gated": "gated",
    "panda-gated-fixed": "gated-fixed",
    "panda-linear": "linear",
}

BOTTLENECK_METHODS = ("none", "all-wide", "fosr", "virtual-node", *SELECTOR_OF)
"""The plain backbone, every node at ``high_width``, more edges, one more node, and PANDA."""

#: The size of the task, the width of the bottleneck, how many graphs there are (of which a tenth is
#: for choosing the epoch and a fifth for the score), and how many edges FoSR adds.
SETTINGS: Mapping[str, Setting] = {
    "size": 4,
    "high_width": 64,
    "num_graphs": 1000,
    "iterations": 10,
}


def check_bottleneck(config: Config) -> None:
    """Reject a task, a method or a size that does not exist."""
    choose("task", config.dataset, BOTTLENECK_TASKS)
    choose("method", config.method, BOTTLENECK_METHODS, "of a bottleneck task")
    for name, least in (("size", 1), ("num_graphs", 10), ("high_width", config.width)):
        whole_number(name, config.settings[name], least)


def bottleneck_accuracy(config: Config, seed: int) -> float:
    """The accuracy on test graphs at the epoch of the best one on validation graphs."""
    graphs = GraphTable.collate(bottleneck_graphs(config, seed))
    model = bottleneck_model(config, graphs)
    each = graphs.y.numel() // graphs.num_graphs  # mini-batches are of whole graphs
    recipe = carrying_recipe(config, batch_size=config.batch_size * each)
    curves = train(model, graphs, split_in_order(graphs), recipe, seed)
    return curves.test[selected_epoch("best-val", curves.validation, curves.test)]


def bottleneck_graphs(config: Config, seed: int) -> list[Data]:
    """The graphs of a task as the method makes them."""
    settings: Mapping[str, Any] = config.settings
    task = BOTTLENECK_TASKS[config.dataset]
    graphs = task.graphs(settings["size"], num_graphs=settings["num_graphs"], seed=seed)
    if config.method == "fosr":
        rewired = FoSR(settings["iterations"], seed=seed)(graphs[0].clone())  # all have one graph
        for graph in graphs:
            graph.edge_index = rewired.edge_index
    elif config.method == "virtual-node":
        graphs = [VirtualNode()(graph) for graph in graphs]
    elif config.method in SELECTOR_OF:
        high = ExpandWidth("betweenness", k=task.bottleneck).mask(graphs[0])
        for graph in graphs:
            graph.high = high
    return graphs


def bottleneck_model(config: Config, graphs: GraphTable) -> GNN:
    """The model with fresh weights."""
    settings: Mapping[str, Any] = config.settings
    convolutions = BOTTLENECK_TASKS[config.dataset].convolutions(settings["size"])
    channels = graphs.x.size(1), graphs.num_outputs
    return carrying_model(config, channels, convolutions, SELECTOR_OF.get(config.method))


def split_in_order(graphs: GraphTable) -> Split:
    """Targets of 70 % of the graphs for training, of 10 % for validation, the rest for test."""
    rows = torch.arange(graphs.y.numel())
    each = graphs.y.numel() // graphs.num_graphs
    ends = (7 * graphs.num_graphs // 10) * each, (8 * graphs.num_graphs // 10) * each
    return Split(rows[: ends[0]], rows[ends[0] : ends[1]], rows[ends[1] :])


BOTTLENECK = carrying_measure("bottleneck", CODE, bottleneck_accuracy, SETTINGS, check_bottleneck)
