"""Ollivier-Ricci curvature: extremes without all values, and pairs of an optimal plan."""

from __future__ import annotations

import networkx as nx
import numpy as np
import ot
import pytest

from panda_gnn.graph.ollivier import heaviest_pair, ollivier_ricci
from panda_gnn.graph.rows import rows_of_edges
from panda_gnn.graph.twins import twin_classes
from tests.random_graphs import RANDOM_GRAPHS, edges_of

Edge = tuple[int, int]


@pytest.mark.parametrize("index", range(0, len(RANDOM_GRAPHS), 2))
def test_extremes_are_found_without_all_values(index: int) -> None:
    graph = RANDOM_GRAPHS[index]
    edges = edges_of(graph)
    twins = twin_classes(rows_of_edges(edges, graph.number_of_nodes()))
    every = ollivier_ricci(twins, edges, edges.shape[1], 0)
    for lowest, highest in ((1, 0), (0, 1), (4, 2)):
        some = ollivier_ricci(twins, edges, lowest, highest)
        known = ~np.isnan(some)
        assert np.array_equal(some[known], every[known])
        bottom, top = np.sort(every)[:lowest], np.sort(every)[::-1][:highest]
        assert known[np.isin(every, np.concatenate([bottom, top]))].all()


def least_cost(graph: nx.Graph, u: int, v: int, moved: dict[Edge, float]) -> float:
    """The cost of transport if at least ``moved`` goes from one node to another."""
    hops = dict(nx.all_pairs_shortest_path_length(graph))
    sources, sinks = sorted(graph[u]), sorted(graph[v])
    supply = dict.fromkeys(sources, 1 / len(sources))
    demand = dict.fromkeys(sinks, 1 / len(sinks))
    cost = 0.0
    for (p, q), mass in moved.items():
        supply[p] -= mass
        demand[q] -= mass
        cost += mass * hops[p][q]
    matrix = np.array([[float(hops[p][q]) for q in sinks] for p in sources])
    weights = [np.maximum(list(side.values()), 0) for side in (supply, demand)]
    return cost + float(ot.emd2(weights[0], weights[1], matrix))


@pytest.mark.parametrize("index", range(0, len(RANDOM_GRAPHS), 2))
def test_the_heaviest_pair_is_that_of_an_optimal_plan(index: int) -> None:
    graph = RANDOM_GRAPHS[index]
    n = graph.number_of_nodes()
    edges = edges_of(graph)
    twins = twin_classes(rows_of_edges(edges, n))
    untouched = np.full(twins.first.size, -1)
    hops = dict(nx.all_pairs_shortest_path_length(graph))
    for u, v in edges.T[:10]:
        pair = heaviest_pair(twins, u, v, untouched)
        assert (untouched == -1).all()
        assert hops[pair[0]][pair[1]] >= 1
        # A share of the mass moves between the two nodes, one way or the other, at no extra cost.
        share = 0.5 / (graph.degree[u] * graph.degree[v])
        ways = [(p, q) for p, q in (pair, pair[::-1]) if p in graph[u] and q in graph[v]]
        costs = [least_cost(graph, u, v, {way: share}) for way in ways]
        assert min(costs) == pytest.approx(least_cost(graph, u, v, {}), abs=1e-9)
