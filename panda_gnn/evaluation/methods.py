"""What can be compared: the plain backbone, rewirings, PANDA, and controls that take PANDA apart.

A method turns the graphs of a dataset into those a model sees, and makes the model. All methods of
a comparison share the training protocol, the splits and the backbone's stack.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import torch
from torch import Tensor

from panda_gnn.centrality import CENTRALITIES, centrality
from panda_gnn.datasets import DATASETS
from panda_gnn.errors import InputError, choose
from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.lrgb_protocol import (
    LRGB_SETTINGS,
    check_lrgb_settings,
    panda_lrgb_defaults,
)
from panda_gnn.evaluation.node_protocol import NODE_SETTINGS, check_node_settings
from panda_gnn.evaluation.source import Source as Source
from panda_gnn.evaluation.source import source as source
from panda_gnn.nn import GNN, CommuteTimeGNN, PandaGNN
from panda_gnn.nn.models import BACKBONES
from panda_gnn.nn.selectors import SELECTORS
from panda_gnn.reports.published import best_settings
from panda_gnn.rewiring import (
    BORF,
    DIGL,
    GTR,
    SDRF,
    FoSR,
    FullyAdjacent,
    Rewiring,
    rewire_dataset,
)
from panda_gnn.transforms import top_nodes

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


def complete(config: Config) -> Config:
    """``config`` with a value for every setting of its method; what cannot be is refused."""
    choose("dataset", config.dataset, DATASETS)
    choose("backbone", config.backbone, BACKBONES)
    method = METHODS[choose("method", config.method, METHODS)]
    task = DATASETS[config.dataset].task
    if method.model is None and task != "graph":
        raise InputError(f"method {config.method} is for graph sets, {config.dataset} is none")
    defaults = {**method.defaults(config), **_TASK_SETTINGS[task]}
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


_TASK_SETTINGS: Mapping[str, Mapping[str, Setting]] = {
    "graph": {},
    "node": NODE_SETTINGS,
    "lrgb": LRGB_SETTINGS,
}


def _none(config: Config) -> dict[str, Setting]:
    return {}


def _panda_defaults(config: Config) -> dict[str, Setting]:
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


def _which(*names: str) -> Callable[[Config], dict[str, Setting]]:
    """Those of PANDA's settings that a control has too."""
    return lambda config: {name: _panda_defaults(config)[name] for name in names}


def _as_it_is(given: Source, settings: Settings, seed: int) -> GraphTable:
    return given.graphs


def _high(given: Source, settings: Settings, seed: int) -> Tensor:
    """The mask of the k most central nodes of each graph."""
    scores = centrality(settings["centrality"], given.dataset, seed=seed)
    counts = torch.full((given.graphs.num_graphs,), settings["k"])
    return top_nodes(scores, counts, given.graphs.graph_of_node)


def _with_high(given: Source, settings: Settings, seed: int) -> GraphTable:
    return given.graphs.with_nodes(high=_high(given, settings, seed))


def _with_flag(given: Source, settings: Settings, seed: int) -> GraphTable:
    flag = _high(given, settings, seed).to(given.graphs.x.dtype).view(-1, 1)
    return given.graphs.with_nodes(x=torch.cat([given.graphs.x, flag], dim=1))


def _random_high(given: Source, settings: Settings, seed: int) -> GraphTable:
    return _with_high(given, {**settings, "centrality": "random"}, seed)


def _no_edges(given: Source, settings: Settings, seed: int) -> GraphTable:
    return given.graphs.without_edges()


def _stack(config: Config, graphs: GraphTable) -> dict[str, Any]:
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


def _plain(graphs: GraphTable, config: Config, settings: Settings, **options: Any) -> GNN:
    stack = {**_stack(config, graphs), **options}
    return GNN(graphs.x.size(1), graphs.num_classes, **stack)


def _last_fa(graphs: GraphTable, config: Config, settings: Settings) -> GNN:
    return _plain(graphs, config, settings, last_layer_fa=True)


def _commute_time(graphs: GraphTable, config: Config, settings: Settings) -> GNN:
    return CommuteTimeGNN(
        graphs.x.size(1),
        graphs.num_classes,
        centers=settings["centers"],
        **_stack(config, graphs),
    )


def _panda(graphs: GraphTable, config: Config, settings: Settings) -> PandaGNN:
    return PandaGNN(
        graphs.x.size(1),
        graphs.num_classes,
        high_width=settings["high_width"],
        selector=settings["selector"],
        variant=settings["variant"],
        **_stack(config, graphs),
    )


def _equal_width(graphs: GraphTable, config: Config, settings: Settings) -> PandaGNN:
    return _panda(graphs, config, {**settings, "high_width": config.width})


def _residual_twin(graphs: GraphTable, config: Config, settings: Settings) -> GNN:
    """PANDA without high nodes: its plain twin with the options of PANDA's layers."""
    options: dict[str, Any] = {}
    if config.backbone == "gcn":
        options = {"residual": True, "self_loops": False, "bias": False}
    return _plain(graphs, config, settings, **options)


def _all_wide(graphs: GraphTable, config: Config, settings: Settings) -> GNN:
    return _plain(graphs, config, settings, width=settings["high_width"])


def _parameter_matched(graphs: GraphTable, config: Config, settings: Settings) -> GNN:
    """The plain backbone of the width that comes nearest to PANDA's trained parameters."""
    panda = _panda(graphs, config, {**settings, "selector": "topk", "variant": "paper"})
    target = panda.num_parameters.trained

    def distance(width: int) -> int:
        with torch.device("meta"):
            model = _plain(graphs, config, settings, width=width)
        return abs(model.num_parameters.trained - target)

    best = min(range(1, 4 * settings["high_width"]), key=distance)
    return _plain(graphs, config, settings, width=best)


_CONTROLS = {
    "flag": Method(
        "the plain backbone, told by an input feature which nodes are central",
        _which("k", "centrality"),
        _with_flag,
        _plain,
    ),
    "equal-width": Method(
        "PANDA with high_width = width: two kinds of nodes, no extra width",
        _which("k", "centrality", "selector", "variant"),
        _with_high,
        _equal_width,
    ),
    "residual-twin": Method(
        "PANDA without high nodes: the plain backbone with PANDA's residual connection",
        _none,
        _as_it_is,
        _residual_twin,
    ),
    "all-wide": Method(
        "the plain backbone with every node at high_width",
        _which("high_width"),
        _as_it_is,
        _all_wide,
    ),
    "parameter-matched": Method(
        "the plain backbone with as many parameters as PANDA trains",
        _which("high_width"),
        _as_it_is,
        _parameter_matched,
    ),
    "random-k": Method(
        "PANDA with k random nodes",
        _which("k", "high_width", "selector", "variant"),
        _random_high,
        _panda,
    ),
    "mlp": Method("the backbone without any edge", _none, _no_edges, _plain),
}


def _rewiring(summary: str, transform: Callable[..., Rewiring], **defaults: Setting) -> Method:
    """A method that rewires every graph before the plain backbone sees it."""

    def make(settings: Settings) -> Rewiring:
        return transform(**{name: settings[name] for name in defaults})

    @lru_cache(maxsize=2)
    def rewired(given: Source, *settings: tuple[str, Setting]) -> GraphTable:
        return given.collate(rewire_dataset(given.dataset, make(dict(settings))))

    def graphs(given: Source, settings: Settings, seed: int) -> GraphTable:
        return rewired(given, *sorted(settings.items()))

    return Method(
        summary,
        lambda config: dict(defaults),
        graphs,
        _plain,
        make,
    )


_REWIRINGS = {
    "every-fa": _rewiring("every pair of nodes of a graph is an edge", FullyAdjacent),
    "digl": _rewiring(
        "personalised PageRank diffusion instead of the graph", DIGL, alpha=0.1, eps=0.05
    ),
    "sdrf": _rewiring(
        "edges added where balanced Forman curvature is lowest",
        SDRF,
        iterations=10,
        tau=1.0,
        removal_bound=None,
        variant="paper",
    ),
    "fosr": _rewiring("edges added to raise the spectral gap", FoSR, iterations=10),
    "borf": _rewiring(
        "edges added and removed by Ollivier-Ricci curvature",
        BORF,
        batches=3,
        added=3,
        removed=1,
        variant="paper",
    ),
    "gtr": _rewiring("edges added to lower the total resistance", GTR, iterations=10),
}

METHODS: Mapping[str, Method] = MappingProxyType(
    {
        "none": Method("the plain backbone", _none, _as_it_is, _plain),
        "last-fa": Method(
            "the plain backbone, every node seeing its whole graph in the last layer",
            _none,
            _as_it_is,
            _last_fa,
        ),
        **_REWIRINGS,
        "ct-layer": Method(
            "the plain backbone on edge weights that a CT-Layer learns with it",
            lambda config: {"centers": 16},
            _as_it_is,
            _commute_time,
        ),
        "panda": Method(
            "PANDA, by default with the paper's best settings",
            _panda_defaults,
            _with_high,
            _panda,
        ),
        **_CONTROLS,
        "wl-svm": Method(
            "the Weisfeiler-Lehman kernel with a support vector machine",
            lambda config: {"rounds": 5},
            _as_it_is,
            None,
        ),
    }
)
