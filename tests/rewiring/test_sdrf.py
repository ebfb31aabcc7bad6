"""SDRF against its definition, step by step."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from panda_gnn.diagnostics.curvature import balanced_forman_curvature
from panda_gnn.errors import InputError
from panda_gnn.graph.forman import triangles_on_edges
from panda_gnn.graph.rows import rows_of_edges, undirected_edges
from panda_gnn.rewiring import SDRF
from panda_gnn.rewiring.sdrf_kernel import candidates, draw, extreme_edge
from tests.diagnostics.test_curvature import literal_balanced_forman
from tests.marks import thorough
from tests.random_graphs import edges_of
from tests.rewiring.rewired import GRAPHS, assert_contract, assert_simple, tu_graphs

Edge = tuple[int, int]


def graph_of(data: Data) -> nx.Graph:
    graph = nx.Graph()
    graph.add_nodes_from(range(int(data.num_nodes or 0)))
    graph.add_edges_from((u, v) for u, v in data.edge_index.t().tolist() if u < v)
    return graph


def actions_on(transform: SDRF, data: Data) -> list[list[int]]:
    edges, _ = undirected_edges(data, "test")
    steps: list[list[int]] = transform.actions(edges, int(data.num_nodes or 0)).tolist()
    return steps


def literal_candidates(graph: nx.Graph, x: int, y: int) -> dict[Edge, float]:
    """Every non-edge that may support ``(x, y)``, with the curvature it would have then."""
    values = {}
    for k in [*graph[x], x]:
        for other in [*graph[y], y]:
            if k != other and not graph.has_edge(k, other):
                graph.add_edge(k, other)
                values[min(k, other), max(k, other)] = literal_balanced_forman(graph, x, y)
                graph.remove_edge(k, other)
    return values


def curvatures(graph: nx.Graph) -> dict[Edge, float]:
    return {(min(e), max(e)): literal_balanced_forman(graph, *e) for e in graph.edges}


@pytest.mark.parametrize("name", GRAPHS)
def test_candidates_and_their_gain_equal_the_definition(name: str) -> None:
    graph = graph_of(GRAPHS[name])
    n = graph.number_of_nodes()
    edges = np.array(sorted(graph.edges), dtype=np.int64).reshape(-1, 2).T.copy()
    rows = rows_of_edges(edges, n)
    start, neighbour = rows.row_ptr, rows.neighbours
    triangles = triangles_on_edges(start, neighbour)
    role, cycles = np.zeros(n, np.int8), np.zeros(n, np.int64)
    tails = np.repeat(np.arange(n), np.diff(start))
    for x, y, shared in zip(tails, neighbour.astype(np.int64), triangles, strict=True):
        first, second, value = candidates(start, neighbour, x, y, shared, role, cycles)
        pairs = [(int(min(e)), int(max(e))) for e in zip(first, second, strict=True)]
        assert len(set(pairs)) == len(pairs)
        expected = literal_candidates(graph, x, y)
        assert dict(zip(pairs, value.tolist(), strict=True)) == pytest.approx(expected, abs=1e-12)
        assert not role.any()
        assert not cycles.any()


@pytest.mark.parametrize("removal_bound", [None, 0.0])
@pytest.mark.parametrize("name", GRAPHS)
def test_every_step_is_one_of_the_definition(name: str, removal_bound: float | None) -> None:
    graph = graph_of(GRAPHS[name])
    steps = actions_on(SDRF(12, tau=math.inf, removal_bound=removal_bound), GRAPHS[name])
    assert len(steps) <= 24
    rounds = 0
    while steps:
        rounds += 1
        before = curvatures(graph)
        least, greatest = min(before.values()), max(before.values())
        lowest = [e for e, value in before.items() if value < least + 1e-12]
        options = [literal_candidates(graph, *edge) for edge in lowest]
        if all(options) or steps[0][0]:  # else the first of several lowest edges has no option
            add, u, v = steps.pop(0)
            assert add
            assert any((u, v) in o and o[u, v] > max(o.values()) - 1e-12 for o in options)
            graph.add_edge(u, v)
        if removal_bound is not None and greatest > removal_bound:
            add, u, v = steps.pop(0)
            assert not add
            assert before[u, v] == pytest.approx(greatest, abs=1e-12)
            graph.remove_edge(u, v)
    after = curvatures(graph)
    lowest = [e for e, value in after.items() if value < min(after.values()) + 1e-12]
    assert rounds == 12 or not all(literal_candidates(graph, *edge) for edge in lowest or [(0, 0)])
    assert after.keys() == {
        (u, v)
        for u, v in SDRF(12, tau=math.inf, removal_bound=removal_bound)(GRAPHS[name])
        .edge_index.t()
        .tolist()
        if u < v
    }


def test_draws_follow_the_softmax() -> None:
    score, tau = np.array([0.0, 1.0, -0.5, 1.0]), 1.5
    uniform = (np.arange(20_000) + 0.5) / 20_000
    counts = np.bincount([draw(score, tau, u) for u in uniform], minlength=4)
    expected = np.exp(tau * score) / np.exp(tau * score).sum()
    assert counts / 20_000 == pytest.approx(expected, abs=1e-4)
    best = {draw(score, math.inf, u) for u in uniform}
    assert best == {1, 3}


def test_added_edges_support_the_most_curved_edge_of_a_barbell() -> None:
    data = GRAPHS["barbell"]
    bridge = (data.edge_index[0] == 3) & (data.edge_index[1] == 4)
    before = balanced_forman_curvature(data)[bridge]
    assert before == balanced_forman_curvature(data).min()
    after = SDRF(1, tau=math.inf)(data)
    bridge = (after.edge_index[0] == 3) & (after.edge_index[1] == 4)
    assert balanced_forman_curvature(after)[bridge] > before + 0.1


@pytest.mark.parametrize("removal_bound", [None, 0.5])
def test_fewer_iterations_are_a_prefix(removal_bound: float | None) -> None:
    for data in GRAPHS.values():
        longest = actions_on(SDRF(200, removal_bound=removal_bound, seed=3), data)
        for iterations in (0, 1, 5):
            fewer = actions_on(SDRF(iterations, removal_bound=removal_bound, seed=3), data)
            assert fewer == longest[: len(fewer)]
            assert len(fewer) >= min(iterations, len(longest))


def test_the_seed_and_the_graph_decide() -> None:
    data = GRAPHS["grid"]
    transform = SDRF(5, tau=0.1)
    first = transform(data).edge_index
    transform(GRAPHS["cycle"])
    assert torch.equal(transform(data).edge_index, first)
    others = [SDRF(5, tau=0.1, seed=seed)(data).edge_index for seed in range(1, 5)]
    assert any(not torch.equal(other, first) for other in others)


def test_a_clique_has_nothing_to_add_and_loses_what_is_above_the_bound() -> None:
    assert actions_on(SDRF(5), GRAPHS["clique"]) == []
    assert actions_on(SDRF(1, removal_bound=1.0), GRAPHS["clique"]) == [[0, 0, 1]]
    assert actions_on(SDRF(5, removal_bound=2.0), GRAPHS["clique"]) == []


@pytest.mark.parametrize("transform", [SDRF(8), SDRF(8, removal_bound=0.5)], ids=repr)
def test_contract(transform: SDRF) -> None:
    assert_contract(transform)


@pytest.mark.parametrize("name", ["MUTAG", *thorough("ENZYMES", "PROTEINS"), "IMDB-BINARY"])
def test_real_sets(mirror: Path, tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    gains = []
    transform = SDRF(2, removal_bound=0.5)
    for data in tu_graphs(mirror, tmp_path_factory.getbasetemp(), name):
        assert_simple(transform(data))
        before = balanced_forman_curvature(data)
        if not data.edge_index.numel():
            continue
        supported = data.edge_index[:, before.argmin()]
        after = SDRF(1)(data)
        column = (after.edge_index == supported[:, None]).all(dim=0)
        gains.append(float(balanced_forman_curvature(after)[column] - before.min()))
    assert np.mean(gains) > 0


def test_bad_options_get_a_sentence() -> None:
    with pytest.raises(InputError, match="iterations must be a whole number, zero or more, not -1"):
        SDRF(-1)
    with pytest.raises(InputError, match="tau must be zero or more, not nan"):
        SDRF(tau=math.nan)
    with pytest.raises(InputError, match="removal_bound must be a finite number or None, not inf"):
        SDRF(removal_bound=math.inf)
    with pytest.raises(InputError, match="unknown variant 'gpu' of SDRF: choose one of paper, rel"):
        SDRF(variant="gpu")
    assert repr(SDRF(3)) == (
        "SDRF(seed=0, iterations=3, tau=1.0, removal_bound=None, variant='paper')"
    )


def exact_balanced_forman(graph: nx.Graph, i: int, j: int) -> Fraction:
    """The curvature as a fraction, from the counts of the literal version."""
    degree_i, degree_j = graph.degree[i], graph.degree[j]
    low, high = min(degree_i, degree_j), max(degree_i, degree_j)
    if low == 1:
        return Fraction(0)
    shared = set(graph[i]) & set(graph[j])
    cycles: dict[int, int] = {}
    for k in set(graph[i]) - shared - {j}:
        for w in set(graph[j]) - shared - {i}:
            if graph.has_edge(k, w):
                cycles[k], cycles[w] = cycles.get(k, 0) + 1, cycles.get(w, 0) + 1
    value = Fraction(2, low) + Fraction(2, high) - 2
    value += Fraction(2 * len(shared), high) + Fraction(len(shared), low)
    return value + (Fraction(len(cycles), max(cycles.values()) * high) if cycles else 0)


@pytest.mark.parametrize("seed", range(40))
def test_ties_go_to_the_first_edge_whatever_the_rounding(seed: int) -> None:
    graph = nx.barabasi_albert_graph(10, 2, seed=seed)
    rows = rows_of_edges(edges_of(graph), 10)
    triangles = triangles_on_edges(rows.row_ptr, rows.neighbours)
    exact = {edge: exact_balanced_forman(graph, *edge) for edge in sorted(graph.edges)}
    for sign, extreme in ((1, min(exact.values())), (-1, max(exact.values()))):
        role, cycles = np.zeros(10, np.int8), np.zeros(10, np.int64)
        u, v, value = extreme_edge(rows.row_ptr, rows.neighbours, triangles, sign, role, cycles)
        assert (u, v) == next(edge for edge, one in exact.items() if one == extreme)
        assert value == pytest.approx(float(extreme), abs=1e-12)


def test_rounding_removes_no_edge_and_the_best_candidates_are_all_drawn() -> None:
    score = np.array([0.1 + 0.2, 0.3, 0.3 - 1e-16])
    assert {draw(score, math.inf, u) for u in (0.1, 0.5, 0.9)} == {0, 1, 2}
    clique = GRAPHS["clique"]  # every edge has 6 / 5
    assert actions_on(SDRF(1, removal_bound=1.2 - 1e-15), clique) == []
