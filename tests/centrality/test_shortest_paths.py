"""The sums over shortest paths, on a graph small enough to see through."""

from __future__ import annotations

import networkx as nx
import pytest

from panda_gnn.centrality.shortest_paths import path_sums
from panda_gnn.graph.rows import read_graphs

from .oracles import as_data


def test_weighted_twins_with_trees_count_every_pair_once() -> None:
    """False twins with trees of different sizes: all packets of all ordered pairs are found."""
    graph = nx.complete_bipartite_graph(3, 2)
    graph.add_edges_from([(0, 5), (5, 6), (1, 7), (3, 8), (3, 9)])
    betweenness, load, distances = path_sums(read_graphs(as_data(graph)))
    lengths = dict(nx.all_pairs_shortest_path_length(graph))
    between = sum(length - 1 for row in lengths.values() for length in row.values() if length)
    assert betweenness.sum() == pytest.approx(between)
    assert load.sum() == pytest.approx(between)
    assert distances.tolist() == [sum(lengths[node].values()) for node in range(10)]
