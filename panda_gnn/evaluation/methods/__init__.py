"""What can be compared: the plain backbone, rewirings, PANDA, and controls that take PANDA apart.

A method turns the graphs of a dataset into those a model sees, and makes the model. All methods of
a comparison share the training protocol, the splits and the backbone's stack.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from panda_gnn.centrality import CENTRALITIES
from panda_gnn.datasets import DATASETS
from panda_gnn.errors import InputError, choose
from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.lrgb_protocol import LRGB_SETTINGS, check_lrgb_settings
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

if TYPE_CHECKING:
    from panda_gnn.evaluation.measure import Measure

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
    """``config`` with a value for every setting of its method and of what is measured with it.

    Unknown settings and settings out of range are rejected.
    """
    choose("dataset", config.dataset, DATASETS)
    choose("backbone", config.backbone, BACKBONES)
    method = METHODS[choose("method", config.method, METHODS)]
    task = DATASETS[config.dataset].task
    if method.model is None and task != "graph":
        raise InputError(f"method {config.method} is for graph sets, {config.dataset} is none")
    measured = {} if measure is None else measure.settings
    defaults = {**method.defaults(config), **_TASK_SETTINGS[task], **measured}
    for name in config.settings:
        if name not in defaults:
            known = f"has {', '.join(defaults)}" if defaults else "has none"
            raise InputError(f"unknown setting '{name}': method {config.method} {known}")
    settings = {**defaults, **config.settings}
    _check(settings, config.width)
    if task == "node":
        check_node_settings(settings)
    elif task == "lrgb":
        check_lrgb_settings(config, settings)
    method.check(settings)
    return replace(config, settings=settings)


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
