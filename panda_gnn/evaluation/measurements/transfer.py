"""Training on a transfer task: can a model carry a class over a distance at all?

All graphs of a class are the same graph (see :func:`panda_gnn.datasets.transfer`), so one graph of
each class is the whole task and there is nothing to generalise to: the accuracy says whether the
model found weights that carry the message. Every model has as many convolutions as the distance,
the fewest with which the message can arrive.

The dataset of a config is the topology, and ``max_epochs`` the largest number of steps.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import torch
from torch.nn import functional as F
from torch_geometric.data import Batch

from panda_gnn.datasets import TOPOLOGIES, transfer
from panda_gnn.errors import InputError, choose
from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.measure import Measure, measured_row
from panda_gnn.evaluation.trial import Row, one_thread
from panda_gnn.nn import GNN, PandaGNN
from panda_gnn.nn.models import BACKBONES
from panda_gnn.rewiring.fosr import FoSR
from panda_gnn.transforms import ExpandWidth

#: Raised whenever another number is measured than before.
CODE = "transfer-1"

#: The methods that take part and their settings: ``all-wide`` has every node at ``high_width``,
#: PANDA the ``share`` of the nodes with the highest betweenness.
TRANSFER_METHODS: Mapping[str, Mapping[str, Setting]] = {
    "none": {},
    "all-wide": {"high_width": 128},
    "fosr": {"iterations": 10},
    "panda": {"high_width": 128, "share": 0.2},
}


def complete_transfer(config: Config) -> Config:
    """``config`` with all its settings and as many layers as its ``distance`` asks for."""
    choose("topology", config.dataset, TOPOLOGIES)
    choose("backbone", config.backbone, BACKBONES)
    choose("method", config.method, TRANSFER_METHODS, "of a transfer task")
    defaults = {"distance": None, "num_classes": 5, **TRANSFER_METHODS[config.method]}
    for name in config.settings:
        choose("setting", name, defaults, f"of the method {config.method}")
    settings = {**defaults, **config.settings}
    distance = settings["distance"]
    if isinstance(distance, bool) or not isinstance(distance, int) or distance < 2:
        raise InputError(f"distance is {distance}, it must be a whole number, at least 2")
    return replace(config, num_layers=distance - 1, settings=settings)


def measure_transfer(
    config: Config, seed: int, *, root: str | None = None, mirror: str | None = None
) -> Row:
    """The ``accuracy``: the share of the classes that the model tells right at its best step."""
    config = complete_transfer(config)
    start = time.perf_counter()
    with one_thread(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        batch = transfer_batch(config, seed)
        accuracy = best_accuracy(transfer_model(config), batch, config)
    seconds = time.perf_counter() - start
    return measured_row(config, seed, CODE, seconds, values={"accuracy": accuracy})


def transfer_batch(config: Config, seed: int) -> Batch:
    """One graph of each class, as the method makes them."""
    settings: Mapping[str, Any] = config.settings
    count = settings["num_classes"]
    graphs = transfer(config.dataset, settings["distance"], num_graphs=count, num_classes=count)
    if config.method == "fosr":
        graphs = [FoSR(settings["iterations"], seed=seed)(graph) for graph in graphs]
    if config.method == "panda":
        graphs = [ExpandWidth("betweenness", ratio=settings["share"])(graph) for graph in graphs]
    return Batch.from_data_list(graphs)


def transfer_model(config: Config) -> GNN:
    """The model with fresh weights."""
    settings: Mapping[str, Any] = config.settings
    count = settings["num_classes"]
    options: dict[str, Any] = {
        "backbone": config.backbone,
        "width": config.width,
        "num_layers": config.num_layers,
        "dropout": config.dropout,
        "readout": None,
    }
    if config.method == "panda":
        return PandaGNN(count, count, high_width=settings["high_width"], **options)
    options["width"] = settings.get("high_width", config.width)
    return GNN(count, count, **options)


def best_accuracy(model: GNN, batch: Batch, config: Config) -> float:
    """Train with Adam on the whole task; it ends early when all classes are right."""
    optimizer = torch.optim.Adam(model.parameters(), lr=config.learning_rate)
    high = (batch.high,) if config.method == "panda" else ()
    best = 0.0
    for _ in range(config.max_epochs):
        out = model(batch.x, batch.edge_index, *high)[batch.target_mask]
        best = max(best, float((out.argmax(1) == batch.y).double().mean()))
        if best == 1.0:
            break
        optimizer.zero_grad()
        F.cross_entropy(out, batch.y).backward()
        optimizer.step()
    return best


TRANSFER = Measure(run=measure_transfer, code=CODE, complete=complete_transfer)
