"""Classes of twins against their definition."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from panda_gnn.diagnostics.curvature import neighbour_lists
from panda_gnn.diagnostics.twins import twin_classes
from tests.diagnostics.test_curvature import RANDOM_GRAPHS


def are_twins(graph: nx.Graph, u: int, v: int) -> bool:
    return set(graph[u]) - {v} == set(graph[v]) - {u}


@pytest.mark.parametrize("index", range(len(RANDOM_GRAPHS)))
def test_classes_and_their_graph(index: int) -> None:
    graph = RANDOM_GRAPHS[index]
    n = graph.number_of_nodes()
    edges = np.array(sorted(graph.edges), dtype=np.int64).reshape(-1, 2).T.copy()
    twins = twin_classes(*neighbour_lists(edges, n))
    for u in range(n):
        for v in range(u):
            assert (twins.label[u] == twins.label[v]) == are_twins(graph, u, v)
    assert twins.size.sum() == n
    for c, first in enumerate(twins.first):
        members = np.flatnonzero(twins.label == c)
        assert members[0] == first
        assert members.size == twins.size[c]
        assert twins.second[c] == (members[1] if members.size > 1 else -1)
        assert twins.degree[c] == graph.degree[first]
        clique = members.size > 1 and graph.has_edge(members[0], members[1])
        assert twins.inside[c] == (members.size - 1 if clique else 0)
        own = twins.neighbour[twins.start[c] : twins.start[c + 1]].tolist()
        assert own == sorted({int(twins.label[w]) for w in graph[first]} - {c})
