"""Methods that change the edges which the plain backbone sees, before training or in its layers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.methods.method import Method, network, plain_model
from panda_gnn.evaluation.tasks import Task, TaskData
from panda_gnn.nn import GNN, CommuteTimeGNN
from panda_gnn.rewiring import (
    AFRC,
    BORF,
    DIGL,
    GOKU,
    GTR,
    JDR,
    LASER,
    SDRF,
    Cayley,
    CentralEdges,
    Expander,
    FoSR,
    FullyAdjacent,
    HalfHop,
    HeatKernel,
    ProxyAdd,
    ProxyDelete,
    Rewiring,
    VirtualNode,
    rewire_dataset,
)


def _rewiring(
    summary: str, transform: Callable[..., Rewiring], version: int = 1, **defaults: Setting
) -> Method:
    """A method that rewires every graph before the plain backbone sees it."""

    def make(settings: Mapping[str, Any]) -> Rewiring:
        return transform(**{name: settings[name] for name in defaults})

    @lru_cache(maxsize=2)
    def rewired(data: TaskData, *settings: tuple[str, Setting]) -> GraphTable:
        return data.task.collate(rewire_dataset(data.dataset, make(dict(settings))))

    def graphs(data: TaskData, settings: Mapping[str, Any], seed: int) -> GraphTable:
        return rewired(data, *sorted(settings.items()))

    return Method(summary, lambda task, config: defaults, graphs, check=make, version=version)


def _last_fa(task: Task, graphs: GraphTable, config: Config) -> GNN:
    return plain_model(task, graphs, config, last_layer_fa=True)


REWIRING_METHODS = {
    "last-fa": Method(
        "the plain backbone, every node seeing its whole graph in the last layer",
        model=_last_fa,
    ),
    "every-fa": _rewiring("every pair of nodes of a graph is an edge", FullyAdjacent),
    "digl": _rewiring(
        "personalised PageRank diffusion instead of the graph", DIGL, alpha=0.1, eps=0.05
    ),
    "sdrf": _rewiring(
        "edges added where balanced Forman curvature is lowest",
        SDRF,
        version=2,
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
    "afrc": _rewiring(
        "triangles where augmented Forman curvature is low, removal where it is high",
        AFRC,
        rounds=1,
        cycles=3,
    ),
    "expander": _rewiring("part of a Cayley graph in every second layer", Expander),
    "cayley": _rewiring("a whole Cayley graph in every second layer", Cayley),
    "laser": _rewiring("edges to distant nodes with few walks", LASER, snapshots=3, rho=0.5),
    "virtual-node": _rewiring("one more node, joined to all others", VirtualNode),
    "role-nodes": _rewiring("one more node for every role", VirtualNode, rounds=2),
    "proxy-add": _rewiring(
        "edges added by a first-order proxy of the spectral gap",
        ProxyAdd,
        iterations=10,
        criterion="max",
    ),
    "proxy-delete": _rewiring(
        "edges deleted by a first-order proxy of the spectral gap",
        ProxyDelete,
        iterations=10,
        criterion="max",
    ),
    "goku": _rewiring(
        "a denser graph, sparsified so that its spectrum stays",
        GOKU,
        least_added=20,
        beta=1.0,
    ),
    "jdr": _rewiring(
        "edges and features denoised by what they agree on",
        JDR,
        rounds=10,
        graph_vectors=64,
        feature_vectors=64,
        graph_ratio=0.1,
        feature_ratio=0.1,
        blend=0.1,
        by_magnitude=False,
    ),
    "heat": _rewiring("heat kernel diffusion instead of the graph", HeatKernel, t=3.0, eps=0.05),
    "half-hop": _rewiring("a slow node on every edge", HalfHop, alpha=0.5, p=1.0),
    "central-edges": _rewiring(
        "edges among the nodes that PANDA would widen",
        CentralEdges,
        k=5,
        centrality="betweenness",
    ),
    "gtr": _rewiring("edges added to lower the total resistance", GTR, iterations=10),
    "ct-layer": Method(
        "the plain backbone on edge weights that a CT-Layer learns with it",
        lambda task, config: {"centers": 16},
        model=network(CommuteTimeGNN, "centers"),
        version=2,
    ),
}
