"""Controls that take PANDA apart: each has some of what PANDA adds to its backbone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.methods.method import (
    Method,
    Settings,
    as_it_is,
    no_settings,
    plain_model,
)
from panda_gnn.evaluation.methods.panda import (
    high_nodes,
    panda_defaults,
    panda_model,
    with_high_nodes,
)
from panda_gnn.evaluation.source import Source
from panda_gnn.nn import GNN, PandaGNN


def _which(*names: str) -> Callable[[Config], dict[str, Setting]]:
    """Those of PANDA's settings that a control has too."""
    return lambda config: {name: panda_defaults(config)[name] for name in names}


def _with_flag(given: Source, settings: Settings, seed: int) -> GraphTable:
    flag = high_nodes(given, settings, seed).to(given.graphs.x.dtype).view(-1, 1)
    return given.graphs.with_nodes(x=torch.cat([given.graphs.x, flag], dim=1))


def _random_high(given: Source, settings: Settings, seed: int) -> GraphTable:
    return with_high_nodes(given, {**settings, "centrality": "random"}, seed)


def _no_edges(given: Source, settings: Settings, seed: int) -> GraphTable:
    return given.graphs.without_edges()


def _equal_width(graphs: GraphTable, config: Config, settings: Settings) -> PandaGNN:
    return panda_model(graphs, config, {**settings, "high_width": config.width})


def _residual_twin(graphs: GraphTable, config: Config, settings: Settings) -> GNN:
    """PANDA without high nodes: its plain twin with the options of PANDA's layers."""
    options: dict[str, Any] = {}
    if config.backbone == "gcn":
        options = {"residual": True, "self_loops": False, "bias": False}
    return plain_model(graphs, config, settings, **options)


def _all_wide(graphs: GraphTable, config: Config, settings: Settings) -> GNN:
    return plain_model(graphs, config, settings, width=settings["high_width"])


def _parameter_matched(graphs: GraphTable, config: Config, settings: Settings) -> GNN:
    """The plain backbone of the width that comes nearest to PANDA's trained parameters."""
    panda = panda_model(graphs, config, {**settings, "selector": "topk", "variant": "paper"})
    target = panda.num_parameters.trained

    def distance(width: int) -> int:
        with torch.device("meta"):
            model = plain_model(graphs, config, settings, width=width)
        return abs(model.num_parameters.trained - target)

    best = min(range(1, 4 * settings["high_width"]), key=distance)
    return plain_model(graphs, config, settings, width=best)


CONTROLS = {
    "flag": Method(
        "the plain backbone, told by an input feature which nodes are central",
        _which("k", "centrality"),
        _with_flag,
        plain_model,
    ),
    "equal-width": Method(
        "PANDA with high_width = width: two kinds of nodes, no extra width",
        _which("k", "centrality", "selector", "variant"),
        with_high_nodes,
        _equal_width,
    ),
    "residual-twin": Method(
        "PANDA without high nodes: the plain backbone with PANDA's residual connection",
        no_settings,
        as_it_is,
        _residual_twin,
    ),
    "all-wide": Method(
        "the plain backbone with every node at high_width",
        _which("high_width"),
        as_it_is,
        _all_wide,
    ),
    "parameter-matched": Method(
        "the plain backbone with as many parameters as PANDA trains",
        _which("high_width"),
        as_it_is,
        _parameter_matched,
    ),
    "random-k": Method(
        "PANDA with k random nodes",
        _which("k", "high_width", "selector", "variant"),
        _random_high,
        panda_model,
    ),
    "mlp": Method("the backbone without any edge", no_settings, _no_edges, plain_model),
}
