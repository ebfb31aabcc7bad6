"""The released code of SDRF with its defects, step by step."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pytest
import torch

from panda_gnn.rewiring import SDRF
from panda_gnn.rewiring.released import dense, forman_value, scan, sdrf_actions
from panda_gnn.rewiring.sdrf_kernel import ADD, REMOVE, draw
from tests.random_graphs import RANDOM_GRAPHS, data_of, edges_of
from tests.rewiring.rewired import GRAPHS, assert_simple


def test_the_released_formula_counts_paths_as_cycles() -> None:
    for graph, value in ((nx.cycle_graph(6), 1.0), (nx.complete_graph(5), 1.75)):
        edges = np.array(list(graph.edges)).T
        assert forman_value(*dense(edges, len(graph)), 0, 1) == pytest.approx(value)
    alone = dense(np.array([[0], [1]]), 2)
    assert forman_value(*alone, 0, 1) == 4.0  # it is two paths of its own
    ladder = dense(np.array(list(nx.path_graph(4).edges)).T, 4)
    assert forman_value(*ladder, 0, 2) == 1.0  # no edge, so no cycles: 2 / 2 + 2 / 1 - 2


def test_the_released_scan_stops_at_the_first_non_neighbour() -> None:
    graph = nx.karate_club_graph()
    edges = np.array(list(graph.edges)).T
    assert scan(*dense(edges, 34), np.zeros((34, 34))) == 28
    assert 2 * graph.number_of_edges() == 156


def literal_released(
    graph: nx.Graph, uniform: list[float], tau: float, removal_bound: float
) -> list[list[int]]:
    """The released loop, with walks counted anew after every change."""
    adjacency = nx.to_numpy_array(graph, sorted(graph)).astype(np.int64)
    values = np.zeros(adjacency.shape)
    actions = []
    for number in uniform:
        for i, row in enumerate(adjacency):
            for j, there in enumerate(row):
                values[i, j] = forman_value(adjacency, adjacency @ adjacency, i, j) if there else 0
                if not there:
                    break
        x, y = divmod(int(values.argmin()), len(graph))
        high = divmod(int(values.argmax()), len(graph))
        pairs, scores = [], []
        for k in [*np.flatnonzero(adjacency[x]), x]:
            for other in [*np.flatnonzero(adjacency[y]), y]:
                if k != other and not adjacency[k, other]:
                    more = adjacency.copy()
                    more[k, other] = more[other, k] = 1
                    pairs.append((k, other))
                    scores.append(forman_value(more, more @ more, x, y))
        done = []
        if pairs:
            edge = pairs[draw(np.array(scores), tau, number)]
            adjacency[edge] = adjacency[edge[::-1]] = 1
            done.append([1, min(edge), max(edge)])
        if values[high] > removal_bound and adjacency[high]:
            adjacency[high] = adjacency[high[::-1]] = 0
            done.append([0, min(high), max(high)])
        if not done:
            break
        actions += [[int(part) for part in action] for action in done]
    return actions


@pytest.mark.parametrize("removal_bound", [0.5, math.inf])
@pytest.mark.parametrize("tau", [3.0, math.inf])
def test_the_released_loop_step_by_step(tau: float, removal_bound: float) -> None:
    assert ADD == 1
    assert REMOVE == 0
    uniform = np.random.default_rng(0).random(6)
    for graph in RANDOM_GRAPHS:
        edges = edges_of(graph)
        steps = sdrf_actions(edges, len(graph), uniform, tau, removal_bound)
        assert steps.tolist() == literal_released(graph, uniform.tolist(), tau, removal_bound)


def test_the_released_loop_keeps_an_edge_at_the_bound() -> None:
    edges, uniform = edges_of(nx.complete_graph(5)), np.zeros(1)
    assert sdrf_actions(edges, 5, uniform, math.inf, 1.75).tolist() == []
    assert sdrf_actions(edges, 5, uniform, math.inf, 1.74).tolist() == [[REMOVE, 0, 1]]


@pytest.mark.parametrize("removal_bound", [None, 0.5])
def test_the_released_variant_runs_on_every_odd_graph(removal_bound: float | None) -> None:
    for data in GRAPHS.values():
        assert_simple(SDRF(6, removal_bound=removal_bound, variant="released")(data))
    karate = data_of(nx.karate_club_graph())
    right, wrong = SDRF(10)(karate), SDRF(10, variant="released")(karate)
    assert not torch.equal(right.edge_index, wrong.edge_index)
