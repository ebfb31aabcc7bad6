"""Pivots: exact where there are enough, unbiased with an honest error where not."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch
from torch_geometric.data import Batch

from panda_gnn.centrality import centrality, sampled_centrality
from panda_gnn.centrality.families import SAMPLED
from tests.marks import thorough

from ..odd_graphs import ODD_GRAPHS
from .oracles import as_data

#: A core with twins and hanging trees, and a small component beside it.
LARGE = as_data(
    nx.disjoint_union_all(
        [
            nx.compose(
                nx.connected_watts_strogatz_graph(120, 4, 0.2, seed=1),
                nx.relabel_nodes(nx.star_graph(12), {node: 130 + node for node in range(1, 13)}),
            ),
            nx.barbell_graph(4, 1),
        ]
    )
)


@pytest.mark.parametrize("name", SAMPLED)
def test_enough_pivots_are_exact(name: str) -> None:
    graphs = [*ODD_GRAPHS.values(), LARGE]
    found = sampled_centrality(name, graphs, samples=200)
    assert torch.equal(found.scores, centrality(name, graphs))
    assert torch.equal(found.standard_error, torch.zeros_like(found.scores))


@pytest.mark.parametrize("name", ["betweenness", *thorough("closeness", "load")])
def test_estimates_are_right_on_average_and_as_wrong_as_they_say(name: str) -> None:
    exact = centrality(name, LARGE)
    runs = [sampled_centrality(name, LARGE, samples=30, seed=seed) for seed in range(200)]
    scores = torch.stack([run.scores for run in runs])
    claimed = torch.stack([run.standard_error for run in runs])
    large = exact > exact.median()
    spread = scores.std(dim=0)[large]
    torch.testing.assert_close(scores.mean(dim=0)[large], exact[large], rtol=0.07, atol=0.0)
    expected = claimed.mean(dim=0)[large]
    torch.testing.assert_close(expected, spread, rtol=0.27, atol=1e-4)
    unsure = spread > 1e-4
    assert float((expected[unsure] / spread[unsure]).mean()) == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("name", SAMPLED)
def test_trees_twins_and_small_components_are_exact(name: str) -> None:
    found = sampled_centrality(name, LARGE, samples=30)
    exact = centrality(name, LARGE)
    sure = found.standard_error == 0
    assert sure[-9:].all()
    assert torch.equal(found.scores[-9:], exact[-9:])
    if name != "closeness":
        leaves = torch.bincount(LARGE.edge_index[0], minlength=LARGE.num_nodes) == 1
        assert sure[leaves].all()
        assert torch.equal(found.scores[leaves], exact[leaves])


def test_company_and_threads_change_nothing() -> None:
    alone = sampled_centrality("load", LARGE, samples=20, threads=1)
    batch = Batch.from_data_list([LARGE, LARGE])
    together = sampled_centrality("load", batch, samples=20, threads=3)
    for one, both in zip(alone, together, strict=True):
        assert torch.equal(both, torch.cat([one, one]))
    assert torch.equal(centrality("load", LARGE, samples=20), alone.scores)
    assert not torch.equal(centrality("load", LARGE, samples=20, seed=1), alone.scores)


def test_the_error_is_that_of_a_sample_without_replacement() -> None:
    """Distances from four pivots of a graph with neither trees nor twins, by networkx."""
    graph = nx.dodecahedral_graph()
    found = sampled_centrality("closeness", as_data(graph), samples=4, seed=7)
    pivots = np.random.default_rng([7, 20]).permutation(20)[:4]
    hops = np.array(
        [[nx.shortest_path_length(graph, int(s), v) for v in range(20)] for s in pivots],
        dtype=float,
    )
    total = 20 * hops.mean(0)
    variance = ((hops - hops.mean(0)) ** 2).sum(0) / 3
    error = 20 * np.sqrt((1 - 4 / 20) * variance / 4)
    np.testing.assert_allclose(found.scores.numpy(), 19 / total, rtol=1e-9)
    np.testing.assert_allclose(found.standard_error.numpy(), 19 / total * error / total, rtol=1e-9)


@pytest.mark.parametrize("samples", [10, 60, 200])
@pytest.mark.parametrize("name", SAMPLED)
def test_intervals_hold(name: str, samples: int) -> None:
    graph = as_data(nx.barabasi_albert_graph(400, 3, seed=0))
    exact = centrality(name, graph)
    runs = [sampled_centrality(name, graph, samples=samples, seed=seed) for seed in range(5)]
    inside = [(run.lower <= exact + 1e-12) & (exact <= run.upper + 1e-12) for run in runs]
    assert float(torch.stack(inside).double().mean()) >= 0.95
    for run in runs:
        assert (run.lower <= run.scores).all()
        assert (run.scores <= run.upper).all()
        assert (run.lower >= 0).all()


def test_nobody_is_sure_of_what_no_pivot_saw() -> None:
    graph = as_data(nx.barabasi_albert_graph(400, 3, seed=0))
    exact = centrality("betweenness", graph)
    found = sampled_centrality("betweenness", graph, samples=10)
    wrong = (found.standard_error == 0) & ((found.scores - exact).abs() > 1e-9)
    assert wrong.any()
    assert (found.upper > exact)[wrong].all()


@pytest.mark.parametrize("name", SAMPLED)
def test_intervals_of_exact_scores_are_points(name: str) -> None:
    found = sampled_centrality(name, LARGE, samples=200)
    assert torch.equal(found.lower, found.scores)
    assert torch.equal(found.upper, found.scores)
    sampled = sampled_centrality(name, LARGE, samples=30)
    assert torch.equal(sampled.lower[-9:], sampled.upper[-9:])
