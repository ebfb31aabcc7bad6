"""Methods that change the edges which the plain backbone sees, before training or in its layers."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.methods.method import (
    Method,
    Settings,
    as_it_is,
    no_settings,
    plain_model,
    shared_options,
)
from panda_gnn.evaluation.source import Source
from panda_gnn.nn import GNN, CommuteTimeGNN
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
        plain_model,
        make,
    )


def _last_fa(graphs: GraphTable, config: Config, settings: Settings) -> GNN:
    return plain_model(graphs, config, settings, last_layer_fa=True)


def _commute_time(graphs: GraphTable, config: Config, settings: Settings) -> GNN:
    return CommuteTimeGNN(
        graphs.x.size(1),
        graphs.num_classes,
        centers=settings["centers"],
        **shared_options(config, graphs),
    )


REWIRINGS = {
    "last-fa": Method(
        "the plain backbone, every node seeing its whole graph in the last layer",
        no_settings,
        as_it_is,
        _last_fa,
    ),
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
    "ct-layer": Method(
        "the plain backbone on edge weights that a CT-Layer learns with it",
        lambda config: {"centers": 16},
        as_it_is,
        _commute_time,
    ),
}
