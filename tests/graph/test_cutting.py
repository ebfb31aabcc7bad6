"""The edges of some graphs are those that indexing finds."""

from __future__ import annotations

import numpy as np

from panda_gnn.graph.cutting import cut_edges


def test_graphs_in_any_order_twice_and_without_edges() -> None:
    edge_index = np.array([[0, 1, 1, 5, 6, 7], [1, 0, 1, 6, 5, 7]])
    edge_ptr = np.array([0, 3, 3, 5, 6])  # the second graph has no edges
    found = cut_edges(edge_index, edge_ptr, np.array([2, 1, 0, 2]), np.array([-5, 7, 2, -1]))
    assert found.tolist() == [[0, 1, 2, 3, 3, 4, 5], [1, 0, 3, 2, 3, 5, 4]]


def test_nothing() -> None:
    none = np.empty(0, np.int64)
    found = cut_edges(np.empty((2, 0), np.int64), np.zeros(3, np.int64), none, none)
    assert found.shape == (2, 0)
