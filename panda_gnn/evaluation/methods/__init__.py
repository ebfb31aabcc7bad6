"""What can be compared: the plain backbone, rewirings, PANDA, and controls that take PANDA apart.

A method turns the graphs of a dataset into those a model sees, and makes the model. All methods of
a comparison share the training protocol, the splits and the backbone's stack.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import torch

from panda_gnn.centrality import CENTRALITIES
from panda_gnn.errors import InputError, choose, within
from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.ltp import fit_ltp
from panda_gnn.evaluation.measure import Measure
from panda_gnn.evaluation.methods.controls import CONTROL_METHODS
from panda_gnn.evaluation.methods.method import Method
from panda_gnn.evaluation.methods.models import MODEL_METHODS
from panda_gnn.evaluation.methods.panda import PANDA_METHOD
from panda_gnn.evaluation.methods.rewirings import REWIRING_METHODS
from panda_gnn.evaluation.methods.roles import ASSIGNMENTS, ROLE_METHODS
from panda_gnn.evaluation.methods.sjlr import SJLR_METHOD
from panda_gnn.evaluation.probe import fit_probe
from panda_gnn.evaluation.store import Row, new_row
from panda_gnn.evaluation.tasks import Task, TaskData, task_of
from panda_gnn.evaluation.wl_svm import fit_wl_svm
from panda_gnn.nn import GNN
from panda_gnn.nn.models import PANDA_VARIANTS, backbone_names
from panda_gnn.nn.selectors import SELECTORS
from panda_gnn.options import (
    Count,
    Finite,
    Flag,
    Natural,
    Positive,
    Whole,
    one_of,
    validate,
    whole_number,
)
from panda_gnn.registry import OWNERS, Plugin, Registry

__all__ = [
    "METHODS",
    "Method",
    "complete",
    "configure",
    "graphs_and_model",
    "graphs_of",
    "parts",
    "row_of",
]


def _positive(*names: str) -> Callable[[Mapping[str, Any]], None]:
    """A check that settings are whole numbers from one on."""

    def check(settings: Mapping[str, Any]) -> None:
        for name in names:
            whole_number(name, settings[name], 1)

    return check


METHODS: Registry[Method] = Registry(
    "method",
    {
        "none": Method("the plain backbone"),
        **REWIRING_METHODS,
        "sjlr": SJLR_METHOD,
        **MODEL_METHODS,
        "panda": PANDA_METHOD,
        **CONTROL_METHODS,
        **ROLE_METHODS,
        "wl-svm": Method(
            "the Weisfeiler-Lehman kernel with a support vector machine",
            lambda task, config: {"rounds": 5},
            fit=fit_wl_svm,
            whole_graphs=True,
        ),
        "ltp": Method(
            "histograms of local topology with a random forest",
            lambda task, config: {"bins": 50, "trees": 500},
            check=_positive("bins", "trees"),
            fit=fit_ltp,
            whole_graphs=True,
        ),
        "probe": Method(
            "means of propagated features with logistic regression",
            lambda task, config: {"rounds": 4},
            check=_positive("rounds"),
            fit=fit_probe,
            whole_graphs=True,
        ),
    },
)


def configure(
    dataset: str,
    backbone: str = "gcn",
    method: str = "none",
    settings: Mapping[str, Setting] | None = None,
    *,
    measure: Measure | None = None,
    **training: Any,
) -> Config:
    """A complete config: what is not given is the default of the task, the method or the measure.

    Args:
        dataset: Name of the dataset.
        backbone: Name of the backbone.
        method: Name of the method.
        settings: Some of the settings of method, task and measure.
        measure: What is measured, if it is not the score of a trial.
        **training: Other fields of :class:`Config`, such as ``width``.
    """
    settings = settings or {}
    if measure is None or not measure.own_graphs:
        training = {**task_of(dataset).training(settings, backbone), **training}
    return complete(Config(dataset, backbone, method, settings, **training), measure)


def complete(config: Config, measure: Measure | None = None, task: Task | None = None) -> Config:
    """The config with a value for every setting of its method, its task and the measure.

    Settings that are unknown or out of range are rejected.

    Args:
        config: The config; settings that it has already are kept.
        measure: What is measured; only the settings of its own are asked of it.
        task: The task, where the graphs are of no dataset that has a name.
    """
    own = {} if measure is None else measure.settings
    choose("backbone", config.backbone, backbone_names())
    if measure is not None and measure.own_graphs:
        config = _with_settings(config, own, f"measure {measure.name}")
        measure.check(config)
        return config
    task = task or task_of(config.dataset)
    method = METHODS.lookup(config.method)
    if method.backbones is not None:
        choose("backbone", config.backbone, method.backbones, f"of method {config.method}")
    if method.whole_graphs and not task.classifies_graphs:
        raise InputError(
            f"method {config.method} is for datasets with a class for every graph, "
            f"{config.dataset} is none: choose another method or dataset"
        )
    of_method = method.defaults(task, config)
    defaults = {**of_method, **task.settings, **own}
    registered = of_method if ("method", config.method) in OWNERS else {}
    config = _with_settings(config, defaults, f"method {config.method}", task.usual, registered)
    high_width: Any = config.settings.get("high_width", config.width)
    if "high_width" not in registered and high_width < config.width:
        raise InputError(f"high_width is {high_width}, it must be at least width ({config.width})")
    task.check(config)
    with within(f"settings.{config.method}"):
        method.check(config.settings)
    if measure is not None:
        measure.check(config)
    return config


def parts(config: Config) -> dict[str, str]:
    """The versions of the parts of a trial that belong to this config: its task, its method, and
    the plugins that it uses."""
    task = task_of(config.dataset)
    version = METHODS[config.method].version
    return {
        "task": f"{task.name}-{task.version}",
        "method": f"{config.method}-{version}",
        **{f"plugin {plugin.name}": plugin.hash for plugin in plugins_of(config)},
    }


def plugins_of(config: Config) -> list[Plugin]:
    """The plugins that a config uses."""
    used = (
        ("dataset", config.dataset.partition("?")[0]),
        ("method", config.method),
        ("backbone", config.backbone),
        ("centrality", str(config.settings.get("centrality"))),
    )
    return [OWNERS[thing] for thing in used if thing in OWNERS]


def row_of(
    data: TaskData, config: Config, seed: int, code: str, seconds: float, **results: Any
) -> Row:
    """The row of a trial or measurement on a dataset, by ``new_row`` of the store."""
    origin: dict[str, Any] = {"parts": parts(config), "data": data.fingerprint}
    return new_row(config, seed, code, seconds, **origin, **results)


def graphs_and_model(data: TaskData, config: Config, seed: int) -> tuple[GraphTable, GNN]:
    """The graphs as the config's method makes them, and its model with fresh weights.

    Args:
        data: The dataset.
        config: A complete config.
        seed: Seeds torch's random numbers, and with them the weights.
    """
    torch.manual_seed(seed)
    graphs = graphs_of(data, config, seed)
    model = METHODS[config.method].model(data.task, graphs, config)
    weights = graphs.edge_options.get("edge_weight")
    if weights is not None and weights.numel() and "edge_weight" not in model.reads:
        raise InputError(
            f"edges have an edge_weight with method {config.method} on {config.dataset}, and "
            f"backbone {config.backbone} does not read it: choose gcn, gin, rgcn, rgin or adgn"
        )
    return graphs, model


def graphs_of(data: TaskData, config: Config, seed: int) -> GraphTable:
    """The graphs as the config's method makes them, with what its backbone reads."""
    graphs = METHODS[config.method].graphs(data, config.settings, seed)
    return data.task.as_read(graphs, config)


#: What settings of the methods, tasks and measures that come with the package may be; any other,
#: and whatever a plugin's method calls its own, is of the type of its default.
KINDS = {
    "k": Natural,
    "high_width": Count,
    "centrality": one_of("centrality", CENTRALITIES),
    "selector": one_of("selector", SELECTORS),
    "variant": one_of("variant", PANDA_VARIANTS),
    "assign": one_of("assign", ASSIGNMENTS),
    "num_roles": Count,
    "rank": Count,
    "centers": Count,
    "iterations": Natural,
    "rounds": Natural,
    "nu": Count,
    "reach": Count,
    "action_width": Count,
    "action_layers": Count,
    "temperature": Positive,
    "graphs": Count | None,
    "sources": Count,
}
KINDS_OF_DEFAULTS = {bool: Flag, int: Whole, float: Finite, str: str}


def _with_settings(
    config: Config,
    defaults: Mapping[str, Setting],
    owner: str,
    usual: Mapping[str, Setting] = MappingProxyType({}),
    registered: Mapping[str, Setting] = MappingProxyType({}),
) -> Config:
    accepted = {**defaults, **usual}
    for name, value in config.settings.items():
        choose("setting", name, accepted, f"of {owner}")
        kind = None if name in registered else KINDS.get(name)
        kind = kind or KINDS_OF_DEFAULTS.get(type(accepted[name]), Setting)
        validate(f"settings.{config.method}.{name}", value, kind)
    settings = {**defaults, **config.settings}
    unusual = {k: v for k, v in settings.items() if k not in usual or v != usual[k]}
    return replace(config, settings=unusual)
