"""What can be compared: the plain backbone, rewirings, PANDA, and controls that take PANDA apart.

A method turns the graphs of a dataset into those a model sees, and makes the model. All methods of
a comparison share the training protocol, the splits and the backbone's stack.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import torch

from panda_gnn.centrality import CENTRALITIES
from panda_gnn.errors import InputError, choose
from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.ltp import fit_ltp
from panda_gnn.evaluation.measure import Measure
from panda_gnn.evaluation.methods.controls import CONTROL_METHODS
from panda_gnn.evaluation.methods.method import Method
from panda_gnn.evaluation.methods.panda import PANDA_METHOD
from panda_gnn.evaluation.methods.rewirings import REWIRING_METHODS
from panda_gnn.evaluation.probe import fit_probe
from panda_gnn.evaluation.tasks import TaskData, task_of
from panda_gnn.evaluation.wl_svm import fit_wl_svm
from panda_gnn.nn import GNN
from panda_gnn.nn.models import BACKBONES
from panda_gnn.nn.selectors import SELECTORS
from panda_gnn.options import whole_number
from panda_gnn.registry import Registry

__all__ = ["METHODS", "Method", "complete", "configure", "graphs_and_model", "parts"]


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
        "panda": PANDA_METHOD,
        **CONTROL_METHODS,
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
        training = {**task_of(dataset).training(settings), **training}
    return complete(Config(dataset, backbone, method, settings, **training), measure)


def complete(config: Config, measure: Measure | None = None) -> Config:
    """The config with a value for every setting of its method, its task and the measure.

    Settings that are unknown or out of range are rejected.

    Args:
        config: The config; settings that it has already are kept.
        measure: What is measured; only the settings of its own are asked of it.
    """
    own = {} if measure is None else measure.settings
    choose("backbone", config.backbone, BACKBONES)
    if measure is not None and measure.own_graphs:
        config = _with_settings(config, own, f"measure {measure.name}")
        measure.check(config)
        return config
    task = task_of(config.dataset)
    method = METHODS.lookup(config.method)
    if method.whole_graphs and not task.classifies_graphs:
        raise InputError(
            f"method {config.method} is for datasets with a class for every graph, "
            f"{config.dataset} is none: choose another method or dataset"
        )
    defaults = {**method.defaults(task, config), **task.settings, **own}
    config = _with_settings(config, defaults, f"method {config.method}")
    _check(config.settings, config.width)
    task.check(config)
    method.check(config.settings)
    if measure is not None:
        measure.check(config)
    return config


def parts(config: Config) -> dict[str, str]:
    """The versions of the parts of a trial that belong to this config: its task and its method."""
    task = task_of(config.dataset)
    version = METHODS[config.method].version
    return {"task": f"{task.name}-{task.version}", "method": f"{config.method}-{version}"}


def graphs_and_model(data: TaskData, config: Config, seed: int) -> tuple[GraphTable, GNN]:
    """The graphs as the config's method makes them, and its model with fresh weights.

    Args:
        data: The dataset.
        config: A complete config.
        seed: Seeds torch's random numbers, and with them the weights.
    """
    torch.manual_seed(seed)
    method = METHODS[config.method]
    graphs = method.graphs(data, config.settings, seed)
    return graphs, method.model(data.task, graphs, config)


def _with_settings(config: Config, defaults: Mapping[str, Setting], owner: str) -> Config:
    for name in config.settings:
        if name not in defaults:
            accepted = ", ".join(defaults) or "none"
            raise InputError(f"unknown setting '{name}': {owner} has {accepted}")
    return replace(config, settings={**defaults, **config.settings})


def _check(settings: Mapping[str, Any], width: int) -> None:
    """Reject settings that are out of range."""
    if settings.get("k", 0) < 0:
        raise InputError(f"k is {settings['k']}, it must be at least 0")
    if settings.get("high_width", width) < width:
        raise InputError(
            f"high_width is {settings['high_width']}, it must be at least width ({width})"
        )
    if "centrality" in settings:
        choose("centrality", settings["centrality"], CENTRALITIES)
    if "selector" in settings:
        choose("selector", settings["selector"], SELECTORS)
