"""PANDA as a method: its settings, its high nodes and its model."""

from __future__ import annotations

import torch
from torch import Tensor

from panda_gnn.centrality import centrality
from panda_gnn.datasets import DATASETS
from panda_gnn.errors import InputError
from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.lrgb_protocol import panda_lrgb_defaults
from panda_gnn.evaluation.methods.method import Method, Settings, shared_options
from panda_gnn.evaluation.source import Source
from panda_gnn.nn import PandaGNN
from panda_gnn.reports.published import best_settings
from panda_gnn.transforms import top_nodes


def panda_defaults(config: Config) -> dict[str, Setting]:
    """The paper's best settings for the backbone and the dataset."""
    if DATASETS[config.dataset].task == "lrgb":
        return panda_lrgb_defaults(config)
    names = ("k", "high_width", "centrality")
    best = best_settings(config.backbone, config.dataset.removesuffix("-filtered"))
    if best is None and not set(names) <= set(config.settings):
        raise InputError(
            f"the paper has no settings for {config.backbone} on {config.dataset}: "
            "give k, high_width and centrality"
        )
    known = config.settings if best is None else vars(best)
    return {**{name: known[name] for name in names}, "selector": "topk", "variant": "paper"}


def high_nodes(given: Source, settings: Settings, seed: int) -> Tensor:
    """The mask of the k most central nodes of each graph."""
    scores = centrality(settings["centrality"], given.dataset, seed=seed)
    counts = torch.full((given.graphs.num_graphs,), settings["k"])
    return top_nodes(scores, counts, given.graphs.graph_of_node)


def with_high_nodes(given: Source, settings: Settings, seed: int) -> GraphTable:
    """The graphs with their high nodes marked for PANDA."""
    return given.graphs.with_nodes(high=high_nodes(given, settings, seed))


def panda_model(graphs: GraphTable, config: Config, settings: Settings) -> PandaGNN:
    """PANDA with the settings' high width, selector and variant."""
    return PandaGNN(
        graphs.x.size(1),
        graphs.num_classes,
        high_width=settings["high_width"],
        selector=settings["selector"],
        variant=settings["variant"],
        **shared_options(config, graphs),
    )


PANDA = Method(
    "PANDA, by default with the paper's best settings",
    panda_defaults,
    with_high_nodes,
    panda_model,
)
