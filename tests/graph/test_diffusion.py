"""Pushing against the dense inverse, with the error that is stated."""

from __future__ import annotations

import numpy as np
import pytest

from panda_gnn.graph.diffusion import large_entries
from panda_gnn.graph.rows import rows_of_edges
from tests.random_graphs import RANDOM_GRAPHS, edges_of


@pytest.mark.parametrize("number", range(0, len(RANDOM_GRAPHS), 4))
@pytest.mark.parametrize("alpha", [0.05, 0.4, 1.0])
@pytest.mark.parametrize("tolerance", [1e-2, 1e-4])
def test_entries_are_as_near_as_stated(number: int, alpha: float, tolerance: float) -> None:
    graph = RANDOM_GRAPHS[number]
    n, eps = graph.number_of_nodes(), 0.04
    rows = rows_of_edges(edges_of(graph), n)
    adjacency = np.eye(n)
    adjacency[rows.sources, rows.columns] = 1
    scale = adjacency.sum(0) ** -0.5
    exact = alpha * np.linalg.inv(np.eye(n) - (1 - alpha) * scale[:, None] * adjacency * scale)
    (row, column), values = large_entries(rows.row_ptr, rows.neighbours, alpha, eps, tolerance)
    below = exact[row, column] - values
    assert below.max() <= tolerance + 1e-12
    assert below.min() >= -1e-12
    found = np.zeros((n, n), dtype=bool)
    found[row, column] = True
    assert not found[exact < eps].any()
    assert found[exact >= eps + tolerance].all()
    assert found.sum() == row.size


def test_no_nodes_and_no_edges() -> None:
    none = np.empty((2, 0), np.int64)
    empty = rows_of_edges(none, 0)
    assert large_entries(empty.row_ptr, empty.neighbours, 0.1, 0.1, 0.01)[0].shape == (2, 0)
    apart = rows_of_edges(none, 3)
    entries, values = large_entries(apart.row_ptr, apart.neighbours, 0.1, 0.1, 1e-6)
    assert entries.tolist() == [[0, 1, 2], [0, 1, 2]]
    assert values == pytest.approx(1, abs=1e-6)
