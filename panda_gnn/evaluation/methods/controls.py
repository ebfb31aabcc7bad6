"""Controls that take PANDA apart: each has some of what PANDA adds to its backbone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.methods.method import Method, plain_model
from panda_gnn.evaluation.methods.panda import panda_defaults, panda_model, with_high_nodes
from panda_gnn.evaluation.tasks import Task, TaskData
from panda_gnn.nn import GNN, PandaGNN


def _which(*names: str) -> Callable[[Task, Config], dict[str, Setting]]:
    """Those of PANDA's settings that a control has too."""
    return lambda task, config: {name: panda_defaults(task, config)[name] for name in names}


def _with_flag(data: TaskData, settings: Mapping[str, Any], seed: int) -> GraphTable:
    high = with_high_nodes(data, settings, seed).high
    assert high is not None
    x = data.graphs.x
    return data.graphs.with_nodes(x=torch.cat([x, high.to(x.dtype).view(-1, 1)], dim=1))


def _random_high(data: TaskData, settings: Mapping[str, Any], seed: int) -> GraphTable:
    return with_high_nodes(data, {**settings, "centrality": "random"}, seed)


def _no_edges(data: TaskData, settings: Mapping[str, Any], seed: int) -> GraphTable:
    return data.graphs.without_edges()


def _equal_width(task: Task, graphs: GraphTable, config: Config) -> PandaGNN:
    return panda_model(task, graphs, config, high_width=config.width)


def _residual_stack(task: Task, graphs: GraphTable, config: Config) -> GNN:
    """PANDA without high nodes: the plain stack with the options of PANDA's layers."""
    options: dict[str, Any] = {}
    if config.backbone == "gcn":
        options = {"residual": True, "self_loops": False, "bias": False}
    return plain_model(task, graphs, config, **options)


def _plain_panda(task: Task, graphs: GraphTable, config: Config) -> PandaGNN:
    options = {"self_loops": True, "bias": True} if config.backbone == "gcn" else {}
    return panda_model(task, graphs, config, residual=False, **options)


def _all_wide(task: Task, graphs: GraphTable, config: Config) -> GNN:
    return plain_model(task, graphs, config, width=config.settings["high_width"])


def _parameter_matched(task: Task, graphs: GraphTable, config: Config) -> GNN:
    """The plain backbone of the width that comes nearest to PANDA's trained parameters."""
    panda = panda_model(task, graphs, config, selector="topk", variant="paper")
    target = panda.num_parameters.trained

    def distance(width: int) -> int:
        with torch.device("meta"):
            model = plain_model(task, graphs, config, width=width)
        return abs(model.num_parameters.trained - target)

    best = min(range(1, 4 * config.settings["high_width"]), key=distance)
    return plain_model(task, graphs, config, width=best)


CONTROL_METHODS = {
    "panda-plain": Method(
        "PANDA that differs from the plain backbone in its high nodes alone: no residual",
        panda_defaults,
        with_high_nodes,
        _plain_panda,
    ),
    "flag": Method(
        "the plain backbone, told by an input feature which nodes are central",
        _which("k", "centrality"),
        _with_flag,
    ),
    "equal-width": Method(
        "PANDA with high_width = width: two kinds of nodes, no extra width",
        _which("k", "centrality", "selector", "variant"),
        with_high_nodes,
        _equal_width,
    ),
    "residual-twin": Method(
        "PANDA without high nodes: the plain backbone with PANDA's residual connection",
        model=_residual_stack,
    ),
    "all-wide": Method(
        "the plain backbone with every node at high_width",
        _which("high_width"),
        model=_all_wide,
    ),
    "parameter-matched": Method(
        "the plain backbone with as many parameters as PANDA trains",
        _which("high_width"),
        model=_parameter_matched,
    ),
    "random-k": Method(
        "PANDA with k random nodes",
        _which("k", "high_width", "selector", "variant"),
        _random_high,
        panda_model,
    ),
    "mlp": Method("the backbone without any edge", graphs=_no_edges),
}
