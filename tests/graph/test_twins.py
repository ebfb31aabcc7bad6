"""Classes of twins against their definition."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from torch_geometric.data import Data

from panda_gnn.graph.rows import read_graphs, rows_of_edges
from panda_gnn.graph.twins import twin_classes
from tests.centrality.oracles import as_data
from tests.odd_graphs import ODD_GRAPHS, clique
from tests.random_graphs import RANDOM_GRAPHS, edges_of


def are_twins(graph: nx.Graph, u: int, v: int) -> bool:
    return set(graph[u]) - {v} == set(graph[v]) - {u}


@pytest.mark.parametrize("index", range(len(RANDOM_GRAPHS)))
def test_classes_and_their_graph(index: int) -> None:
    graph = RANDOM_GRAPHS[index]
    n = graph.number_of_nodes()
    edges = edges_of(graph)
    twins = twin_classes(rows_of_edges(edges, n))
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
        own = twins.neighbours[twins.row_ptr[c] : twins.row_ptr[c + 1]].tolist()
        assert own == sorted({int(twins.label[w]) for w in graph[first]} - {c})


def classes(data: Data) -> list[set[int]]:
    """The classes of twins of a graph, largest first."""
    twins = twin_classes(read_graphs(data))
    groups = [
        set(np.flatnonzero(twins.label == number).tolist()) for number in range(twins.class_ptr[1])
    ]
    return sorted(groups, key=len, reverse=True)


def test_cliques_and_complete_bipartite_graphs_have_few_classes() -> None:
    assert classes(clique(6)) == [set(range(6))]
    assert classes(as_data(nx.complete_bipartite_graph(3, 4))) == [{3, 4, 5, 6}, {0, 1, 2}]
    assert classes(ODD_GRAPHS["star"]) == [set(range(1, 8)), {0}]
    assert [len(group) for group in classes(ODD_GRAPHS["cycle"])] == [1] * 7
    assert [len(group) for group in classes(ODD_GRAPHS["barbell"])] == [3, 3, 1, 1, 1]


def test_many_graphs_are_their_graphs_one_by_one() -> None:
    graphs = list(ODD_GRAPHS.values())
    together = twin_classes(read_graphs(graphs))
    alone = [twin_classes(read_graphs(data)) for data in graphs]
    assert np.diff(together.class_ptr).tolist() == [len(twins.size) for twins in alone]
    for name in ("label", "first", "second", "size", "degree", "inside", "neighbours"):
        joined = np.concatenate([getattr(twins, name) for twins in alone])
        assert np.array_equal(getattr(together, name), joined), name


def test_nodes_that_take_no_part_tell_no_twins_apart() -> None:
    """A square with two leaves on one corner: without the leaves, opposite corners are twins."""
    square = nx.cycle_graph(4)
    square.add_edges_from([(0, 4), (0, 5)])
    rows = read_graphs(as_data(square))
    assert twin_classes(rows).label.tolist() == [0, 1, 2, 1, 3, 3]
    core = twin_classes(rows, np.arange(6) < 4)
    assert core.label.tolist() == [0, 1, 0, 1, -1, -1]
    assert core.degree.tolist() == [2, 2]
