"""The same centralities from igraph and networkx, graph by graph, to compare with.

igraph's PageRank counts a self-loop twice, networkx's and ours once; elsewhere they agree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from panda_gnn.centrality.pagerank import DAMPING
from panda_gnn.errors import require
from panda_gnn.graph.arrays import Float64, Int64
from panda_gnn.graph.rows import GraphRows


@dataclass(frozen=True)
class Reference:
    """A library's way to build a graph from nodes and edges, and its functions on that graph."""

    build: Callable[[int, Int64], Any]
    measures: dict[str, Callable[[Any], Any]]

    def graph(self, graphs: GraphRows, number: int) -> Any:
        """Graph ``number`` of ``graphs`` as the library's own object."""
        alone = graphs.part(number, number + 1)
        loops = np.flatnonzero(alone.loops)
        edges = np.concatenate([alone.edges.T, np.stack([loops, loops], axis=1)])
        return self.build(alone.num_nodes, edges)


def reference(library: str) -> Reference:
    """The reference ``igraph`` or ``networkx``, if it is installed."""
    return {"igraph": _igraph, "networkx": _networkx}[library]()


def _igraph() -> Reference:
    igraph = require("igraph", "compare")

    def build(num_nodes: int, edges: Int64) -> Any:
        return igraph.Graph(n=num_nodes, edges=edges)

    def degree(graph: Any) -> Any:
        others = graph.vcount() - 1
        return np.asarray(graph.degree()) / others if others else np.ones(1)

    def betweenness(graph: Any) -> Any:
        pairs = (graph.vcount() - 1) * (graph.vcount() - 2) / 2
        return np.asarray(graph.betweenness(directed=False)) / max(pairs, 1)

    def closeness(graph: Any) -> Any:
        components = graph.connected_components()
        size = np.asarray(components.sizes())[np.asarray(components.membership, dtype=int)]
        share = (size - 1) / max(graph.vcount() - 1, 1)
        return np.nan_to_num(graph.closeness(normalized=True)) * share

    return Reference(
        build,
        {
            "degree": degree,
            "betweenness": betweenness,
            "closeness": closeness,
            "pagerank": lambda graph: graph.pagerank(directed=False, damping=DAMPING),
            "harmonic": lambda graph: graph.harmonic_centrality(normalized=False),
        },
    )


def _networkx() -> Reference:
    networkx = require("networkx", "compare")

    def build(num_nodes: int, edges: Int64) -> Any:
        graph = networkx.empty_graph(num_nodes)
        graph.add_edges_from(edges.tolist())
        return graph

    def in_order(function: Callable[..., dict[int, float]], **options: float) -> Any:
        return lambda graph: list(function(graph, **options).values())

    return Reference(
        build,
        {
            "degree": in_order(networkx.degree_centrality),
            "betweenness": in_order(networkx.betweenness_centrality),
            "closeness": in_order(networkx.closeness_centrality),
            "pagerank": in_order(networkx.pagerank, alpha=DAMPING, tol=1e-13, max_iter=10_000),
            "load": in_order(networkx.load_centrality),
            "harmonic": in_order(networkx.harmonic_centrality),
        },
    )


def sample_by_cost(cost: Float64, count: int, seed: int = 0) -> tuple[Int64, Float64]:
    """Draw ``count`` graphs so that a few of them tell the cost of all.

    The graphs, sorted by ``cost``, are cut into ``count`` strata with equal sums of the fourth
    root of the cost: expensive graphs share theirs with few. One graph is drawn from each, and
    stands for all of it.

    Returns:
        The graphs, and how many each stands for: the sum of these weights times what the graphs
        took is an unbiased estimate of what all would take.
    """
    if count >= len(cost):
        return np.arange(len(cost)), np.ones(len(cost))
    order = np.argsort(cost, kind="stable")
    share = np.cumsum(np.maximum(cost[order], 1.0) ** 0.25)
    stratum = np.ceil(share / share[-1] * count - 1e-9).astype(np.int64) - 1
    generator = np.random.default_rng(seed)
    strata = [order[stratum == number] for number in range(count)]
    strata = [members for members in strata if len(members)]
    drawn = np.array([generator.choice(members) for members in strata])
    return drawn, np.array([len(members) for members in strata], dtype=np.float64)
