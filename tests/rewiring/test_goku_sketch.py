"""The parts of GOKU in large graphs against the dense ones."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from panda_gnn.graph import limits
from panda_gnn.graph.components import component_labels
from panda_gnn.graph.rows import GraphRows, rows_of_edges
from panda_gnn.rewiring import GOKU
from panda_gnn.rewiring.goku import densified, resistances
from panda_gnn.rewiring.goku_sketch import (
    fiedler_vectors,
    greatest_mode,
    shortlisted_pairs,
    sketched_resistances,
)
from tests.odd_graphs import undirected
from tests.rewiring.rewired import assert_rewired, assert_simple, with_attributes


def rows(graph: nx.Graph) -> GraphRows:
    edges = np.array(sorted(tuple(sorted(edge)) for edge in graph.edges), np.int64).T
    return rows_of_edges(edges, graph.number_of_nodes())


def laplacian(graph: nx.Graph) -> np.ndarray:
    matrix: np.ndarray = nx.laplacian_matrix(graph, range(len(graph))).toarray().astype(float)
    return matrix


TREE = nx.random_labeled_tree(300, seed=2)
LOLLIPOP = nx.lollipop_graph(8, 292)
RANDOM = nx.connected_watts_strogatz_graph(300, 6, 0.3, seed=1)


@pytest.mark.parametrize("graph", [TREE, LOLLIPOP, RANDOM], ids=["tree", "lollipop", "random"])
def test_eigenvectors_are_those_of_the_dense_laplacian(graph: nx.Graph) -> None:
    values, vectors = np.linalg.eigh(laplacian(graph))
    value, vector = greatest_mode(rows(graph))
    assert value == pytest.approx(values[-1], rel=1e-9)
    assert abs(vector @ vectors[:, -1]) == pytest.approx(1, abs=1e-6)
    fiedler = fiedler_vectors(rows(graph))
    assert abs(fiedler @ vectors[:, 1]) == pytest.approx(1, abs=1e-5)


def test_every_component_has_its_own_fiedler_vector() -> None:
    graph = nx.disjoint_union_all([LOLLIPOP, nx.path_graph(3), nx.empty_graph(1), TREE])
    fiedler = fiedler_vectors(rows(graph))
    assert fiedler[300:303] == pytest.approx(np.array([1, 0, -1]) * fiedler[300], abs=1e-9)
    assert abs(fiedler[300]) == pytest.approx(0.5**0.5)
    assert fiedler[303] == 0
    for start in (0, 304):
        assert np.linalg.norm(fiedler[start : start + 300]) == pytest.approx(1)


def test_resistances_are_estimated_and_bridges_exact() -> None:
    graph = rows(RANDOM)
    inverse = np.linalg.pinv(laplacian(RANDOM))
    u, v = graph.edges
    exact = inverse[u, u] + inverse[v, v] - 2 * inverse[u, v]
    found = np.mean([sketched_resistances(graph, graph.edges, seed) for seed in range(8)], axis=0)
    assert abs(found / exact - 1).max() < 6 * (2 / (64 * 8)) ** 0.5
    assert found.sum() == pytest.approx(299, rel=0.01)  # Foster
    tree = rows(TREE)
    assert sketched_resistances(tree, tree.edges, 0) == pytest.approx(np.ones(299), abs=1e-6)


def test_pairs_come_from_the_ends_and_the_leaves() -> None:
    graph = rows(LOLLIPOP)
    label = component_labels(graph)
    first, second = shortlisted_pairs(graph, fiedler_vectors(graph), label, wanted=4)
    assert first.size >= 16 * 4
    assert bool((first < second).all())
    pairs = set(zip(first.tolist(), second.tolist(), strict=True))
    assert (0, 299) in pairs or (1, 299) in pairs  # from the clique to the end of the tail
    assert not pairs & {tuple(edge) for edge in graph.edges.T.tolist()}


def test_large_graphs_are_rewired_much_as_small_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    data = with_attributes(undirected(300, *RANDOM.edges))
    edges = rows(RANDOM).edges.astype(np.int64)
    dense = densified(edges, 300, 20)
    exact = resistances(edges, 300)
    monkeypatch.setattr(limits, "DENSE_PROXY_NODES", 100)
    latent = densified(edges, 300, 20)
    assert latent.shape == dense.shape
    both = {tuple(edge) for edge in dense.T.tolist()} & {tuple(edge) for edge in latent.T.tolist()}
    assert len(both) - 900 >= 0.7 * (latent.shape[1] - 900)
    assert resistances(edges, 300, seed=1) == pytest.approx(exact, rel=1)
    after = GOKU()(data)
    assert_simple(after)
    assert_rewired(data, after)
    assert after.num_edges == pytest.approx(data.num_edges, rel=0.1)
