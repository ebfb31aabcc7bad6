"""What can be compared: the plain backbone, rewirings, PANDA, and controls that take PANDA apart.

A method turns the graphs of a dataset into those a model sees, and makes the model. All methods of
a comparison share the training protocol, the splits and the backbone's stack.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from panda_gnn.centrality import CENTRALITIES
from panda_gnn.datasets import DATASETS
from panda_gnn.errors import InputError, choose
from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.lrgb_protocol import LRGB_SETTINGS, check_lrgb_settings
from panda_gnn.evaluation.measure import Measure
from panda_gnn.evaluation.methods.controls import CONTROLS
from panda_gnn.evaluation.methods.method import (
    Method,
    Settings,
    as_it_is,
    no_settings,
    plain_model,
)
from panda_gnn.evaluation.methods.panda import PANDA
from panda_gnn.evaluation.methods.panda_plain import PANDA_PLAIN
from panda_gnn.evaluation.methods.rewirings import REWIRINGS
from panda_gnn.evaluation.node_protocol import NODE_SETTINGS, check_node_settings
from panda_gnn.nn.models import BACKBONES
from panda_gnn.nn.selectors import SELECTORS

__all__ = ["METHODS", "Method", "complete"]

METHODS: Mapping[str, Method] = MappingProxyType(
    {
        "none": Method("the plain backbone", no_settings, as_it_is, plain_model),
        **REWIRINGS,
        "panda": PANDA,
        "panda-plain": PANDA_PLAIN,
        **CONTROLS,
        "wl-svm": Method(
            "the Weisfeiler-Lehman kernel with a support vector machine",
            lambda config: {"rounds": 5},
            as_it_is,
            None,
        ),
    }
)

_TASK_SETTINGS: Mapping[str, Mapping[str, Setting]] = {
    "graph": {},
    "node": NODE_SETTINGS,
    "lrgb": LRGB_SETTINGS,
}


def complete(config: Config, measure: Measure | None = None) -> Config:
    """The config with a value for every setting of its method, its task and the measure.

    Settings that are unknown or out of range are rejected.

    Args:
        config: The config; settings that it has already are kept.
        measure: What is measured; only the settings of its own are asked of it.
    """
    own = {} if measure is None else dict(measure.settings)
    if measure is not None and measure.own_graphs:
        choose("backbone", config.backbone, BACKBONES)
        config = _with_settings(config, own, f"measure {measure.name}")
        measure.check(config)
        return config
    choose("dataset", config.dataset, DATASETS)
    choose("backbone", config.backbone, BACKBONES)
    method = METHODS[choose("method", config.method, METHODS)]
    task = DATASETS[config.dataset].task
    if method.model is None and task != "graph":
        raise InputError(f"method {config.method} is for graph sets, {config.dataset} is none")
    defaults = {**method.defaults(config), **_TASK_SETTINGS[task], **own}
    config = _with_settings(config, defaults, f"method {config.method}")
    settings = config.settings
    _check(settings, config.width)
    if task == "node":
        check_node_settings(settings)
    elif task == "lrgb":
        check_lrgb_settings(config, settings)
    method.check(settings)
    if measure is not None:
        measure.check(config)
    return config


def _with_settings(config: Config, defaults: Mapping[str, Setting], owner: str) -> Config:
    for name in config.settings:
        if name not in defaults:
            accepted = ", ".join(defaults) or "none"
            raise InputError(f"unknown setting '{name}': {owner} has {accepted}")
    return replace(config, settings={**defaults, **config.settings})


def _check(settings: Settings, width: int) -> None:
    """Refuse settings out of range."""
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
