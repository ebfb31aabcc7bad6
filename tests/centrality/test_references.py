"""The other libraries give the same scores, and a few graphs tell the cost of all."""

from __future__ import annotations

import numpy as np
import pytest

from panda_gnn.centrality import centrality
from panda_gnn.centrality.references import reference, sample_by_cost
from panda_gnn.graph.rows import read_graphs

from ..odd_graphs import ODD_GRAPHS

GRAPHS = [graph for name, graph in ODD_GRAPHS.items() if name != "self-loops"]


@pytest.mark.parametrize("library", ["igraph", "networkx"])
def test_libraries_agree_with_us(library: str) -> None:
    other, rows = reference(library), read_graphs(GRAPHS)
    assert {"betweenness", "closeness"} < set(other.measures)
    for name, measure in other.measures.items():
        theirs = [np.asarray(measure(other.graph(rows, number))) for number in range(len(GRAPHS))]
        ours = centrality(name, GRAPHS).numpy()
        np.testing.assert_allclose(np.concatenate(theirs), ours, rtol=0, atol=1e-9)


def test_self_loops_reach_the_libraries() -> None:
    rows = read_graphs(ODD_GRAPHS["self-loops"])
    for library in ("igraph", "networkx"):
        other = reference(library)
        found = np.asarray(other.measures["degree"](other.graph(rows, 0)))
        np.testing.assert_allclose(found, centrality("degree", ODD_GRAPHS["self-loops"]).numpy())


def test_a_sample_by_cost_estimates_the_whole_without_bias() -> None:
    cost = np.random.default_rng(1).lognormal(5.0, 1.5, 2000)
    estimates = []
    for seed in range(50):
        drawn, stands_for = sample_by_cost(cost, 30, seed)
        assert len(drawn) == len(set(drawn.tolist())) <= 30
        assert stands_for.sum() == 2000
        estimates.append((stands_for * cost[drawn]).sum())
    assert np.mean(estimates) == pytest.approx(cost.sum(), rel=0.05)


def test_strata_have_equal_sums_of_fourth_roots() -> None:
    """Sixteen graphs of cost 1 weigh as much as two of cost 8^4."""
    cost = np.array([1.0] * 8 + [8.0**4] * 2 + [1.0] * 8)
    drawn, stands_for = sample_by_cost(cost, 4)
    assert stands_for.tolist() == [8.0, 8.0, 1.0, 1.0]
    assert drawn[2:].tolist() == [8, 9]


def test_few_graphs_are_all_taken() -> None:
    drawn, stands_for = sample_by_cost(np.arange(5.0), 30)
    assert drawn.tolist() == [0, 1, 2, 3, 4]
    assert stands_for.tolist() == [1.0] * 5
