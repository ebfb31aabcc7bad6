"""GTR by a sketch, against the dense pseudo-inverse."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from panda_gnn.diagnostics.resistance import laplacian_pseudoinverse
from panda_gnn.graph.laplacian_solver import LaplacianSolver
from panda_gnn.graph.rows import rows_of_edges, undirected_edges
from panda_gnn.rewiring import GTR
from panda_gnn.rewiring.gtr_sketch import _shortlist, sketched_edges
from tests.rewiring.rewired import GRAPHS, random_graph
from tests.rewiring.test_gtr import best_by_trying, trace


@pytest.mark.parametrize("name", [name for name, data in GRAPHS.items() if data.num_nodes <= 10])
def test_where_the_shortlist_holds_every_pair_the_choice_is_that_of_brute_force(name: str) -> None:
    data = GRAPHS[name]
    edges, _ = undirected_edges(data, "test")
    additions = GTR(6, sketch=4).additions(edges, data.num_nodes)
    for pair in additions.t():
        assert tuple(pair.tolist()) == best_by_trying(edges, data.num_nodes)
        edges = torch.cat([edges, pair[:, None]], dim=1)
    if additions.size(1) < 6:
        assert best_by_trying(edges, data.num_nodes) is None


@pytest.mark.parametrize("seed", range(3))
def test_the_trace_falls_as_with_the_exact_choice(seed: int) -> None:
    data = random_graph(120, 0.022, seed)
    edges, _ = undirected_edges(data, "test")
    falls = []
    for transform in (GTR(10), GTR(10, sketch=64)):
        added = transform.additions(edges, 120)
        assert added.size(1) == 10
        falls.append(trace(edges, 120) - trace(torch.cat([edges, added], dim=1), 120))
    assert falls[1] > 0.98 * falls[0]


@pytest.mark.parametrize("length", [1, 4, 20])
def test_the_shortlist_has_the_pairs_whose_fall_looks_greatest(
    length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("panda_gnn.rewiring.gtr_sketch.SHORTLIST", length)
    for seed in range(20):
        random = np.random.default_rng(seed)
        y, z = random.normal(size=(2, 11, 3))
        component = random.integers(2, size=11)
        pairs = [(s, t) for t in range(11) for s in range(t) if component[s] == component[t]]
        closed = np.array([pairs[0], pairs[5], pairs[9][::-1]]).T
        falls = {
            (s, t): np.square(y[s] - y[t]).sum() / (1 + np.square(z[s] - z[t]).sum())
            for s, t in pairs
            if (s, t) not in {pairs[0], pairs[5], pairs[9]}
        }
        best = sorted(falls, key=lambda pair: -falls[pair])[:length]
        assert set(zip(*_shortlist(y, z, component, closed), strict=True)) == set(best)


def test_blocks_of_pairs_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    data = random_graph(60, 0.05, 0)
    edges, _ = undirected_edges(data, "test")
    graph = rows_of_edges(edges.numpy(), 60)
    whole = sketched_edges(graph, 5, 32, np.random.default_rng(0))
    monkeypatch.setattr("panda_gnn.rewiring.gtr_sketch.ENTRIES_AT_ONCE", 200)
    assert np.array_equal(sketched_edges(graph, 5, 32, np.random.default_rng(0)), whole)


@pytest.mark.parametrize("name", ["two components", "grid", "random 8"])
def test_the_solver_applies_the_pseudoinverse(name: str) -> None:
    data: Data = GRAPHS[name]
    edges, _ = undirected_edges(data, "test")
    solver = LaplacianSolver(rows_of_edges(edges.numpy(), data.num_nodes))
    dense = laplacian_pseudoinverse(data).numpy()
    b = np.random.default_rng(0).normal(size=(data.num_nodes, 3))
    assert solver.pseudoinverse(b, 1e-12) == pytest.approx(dense @ b, abs=1e-9)
    assert (solver.incidence @ solver.incidence.T).toarray() == pytest.approx(
        np.linalg.pinv(dense, rcond=1e-9), abs=1e-9
    )
