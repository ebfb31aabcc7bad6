"""The sums over shortest paths, on a graph small enough to see through."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest

from panda_gnn.centrality import brandes, shortest_paths
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


def test_the_search_stays_within_its_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled, it would write beyond them unseen. On an even ring every edge is on some way."""
    rings = read_graphs([as_data(nx.cycle_graph(8)), as_data(nx.ladder_graph(5))])
    compiled = path_sums(rings)
    for name in ("dependencies", "_search", "accumulate"):
        kernel: Any = getattr(brandes, name)
        monkeypatch.setattr(brandes, name, kernel.py_func)
    monkeypatch.setattr(shortest_paths, "accumulate", brandes.accumulate)
    for found, expected in zip(path_sums(rings), compiled, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)
