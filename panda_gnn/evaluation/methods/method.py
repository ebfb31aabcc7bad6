"""What a method is, and what all methods share: the graphs as they are and the plain backbone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from panda_gnn.datasets import DATASETS
from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.source import Source
from panda_gnn.nn import GNN

Settings = Mapping[str, Any]


@dataclass(frozen=True)
class Method:
    """One way to treat a dataset.

    Attributes:
        summary: One sentence for people.
        defaults: The settings and their values where a config gives none.
        graphs: Makes the graphs that the model sees.
        model: Makes the model; ``None`` for the kernel, which has none.
        check: Refuses settings that cannot be.
    """

    summary: str
    defaults: Callable[[Config], dict[str, Setting]]
    graphs: Callable[[Source, Settings, int], GraphTable]
    model: Callable[[GraphTable, Config, Settings], GNN] | None
    check: Callable[[Settings], object] = lambda settings: None


def no_settings(config: Config) -> dict[str, Setting]:
    """The defaults of a method that has nothing to set."""
    return {}


def as_it_is(given: Source, settings: Settings, seed: int) -> GraphTable:
    """The graphs of the dataset, unchanged."""
    return given.graphs


def shared_options(config: Config, graphs: GraphTable) -> dict[str, Any]:
    """The options that every model of a comparison shares."""
    options: dict[str, Any] = {
        "backbone": config.backbone,
        "width": config.width,
        "num_layers": config.num_layers,
        "dropout": config.dropout,
    }
    if DATASETS[config.dataset].task == "node":
        options["readout"] = None
    if config.backbone.startswith("r"):
        types = graphs.edge_options.get("edge_type")
        options["num_relations"] = 1 if types is None else 2
    return options


def plain_model(graphs: GraphTable, config: Config, settings: Settings, **options: Any) -> GNN:
    """The backbone without anything of PANDA, with the given options instead of the shared."""
    stack = {**shared_options(config, graphs), **options}
    return GNN(graphs.x.size(1), graphs.num_classes, **stack)
