"""AFRC: its bounds, its draws, and what it leaves alone."""

from __future__ import annotations

import math
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from panda_gnn.diagnostics.curvature import augmented_forman_curvature
from panda_gnn.errors import InputError
from panda_gnn.graph.rows import read_graph
from panda_gnn.rewiring import AFRC
from panda_gnn.rewiring.afrc import automatic_bounds, supporting_pairs
from tests.marks import thorough
from tests.random_graphs import RANDOM_GRAPHS, data_of
from tests.rewiring.rewired import (
    GRAPHS,
    assert_contract,
    assert_simple,
    pairs,
    tu_graphs,
)


def test_bounds_of_two_well_separated_gaussians() -> None:
    random = np.random.default_rng(0)
    low, high = random.normal(-10, 1, 4000), random.normal(10, 2, 4000)
    lower, upper = automatic_bounds(np.concatenate([low, high]))
    assert lower == pytest.approx((-10 * 2 + 10 * 1) / 3, abs=0.2)
    assert upper == pytest.approx(12, abs=0.2)


def test_equal_curvatures_have_no_bounds() -> None:
    assert all(map(math.isnan, automatic_bounds(np.full(9, 3.0))))
    assert all(map(math.isnan, automatic_bounds(np.empty(0))))
    for name in ("clique", "cycle", "star", "one edge", "no edges"):
        assert pairs(AFRC(3)(GRAPHS[name]).edge_index) == pairs(GRAPHS[name].edge_index)


def by_pair(data: Data, cycles: int) -> dict[tuple[int, int], float]:
    values = augmented_forman_curvature(data, cycles).tolist()
    columns = data.edge_index.t().tolist()
    return {(u, v): value for (u, v), value in zip(columns, values, strict=True) if u < v}


def test_every_pair_that_supports_an_edge_may_be_drawn() -> None:
    """Numbers a hair above i / 20 draw each of up to 20 pairs."""
    for graph in RANDOM_GRAPHS[:20]:
        rows = read_graph(data_of(graph), "test")
        neighbours = {node: set(graph[node]) for node in graph}
        for u, v in graph.edges:
            only = neighbours[u] ^ neighbours[v]
            supporting = {(w, v) if w in neighbours[u] else (u, w) for w in only - {u, v}}
            edges, uniform = np.full((2, 20), [[u], [v]]), (np.arange(20) + 1e-9) / 20
            found = supporting_pairs(rows.row_ptr, rows.neighbours, edges, uniform)
            assert found.shape[1] == (20 if supporting else 0)
            assert set(zip(*found.tolist(), strict=True)) == {
                (min(pair), max(pair)) for pair in supporting
            }


@pytest.mark.parametrize("cycles", [3, 4])
def test_one_round_does_what_the_definition_says(cycles: int) -> None:
    graph = nx.karate_club_graph()
    data = data_of(graph)
    curvature = by_pair(data, cycles)
    lower, upper = automatic_bounds(np.array(list(curvature.values())))
    assert min(curvature.values()) < lower < upper
    after = pairs(AFRC(1, cycles=cycles)(data).edge_index)
    assert curvature.keys() - after == {e for e, value in curvature.items() if value > upper}
    low = [edge for edge, value in curvature.items() if value < lower]
    allowed = {(min(w, b), max(w, b)) for e in low for a, b in (e, e[::-1]) for w in graph[a]}
    new = after - curvature.keys()
    assert new <= allowed
    assert 0 < len(new) <= len(low)
    for u, v in low:
        assert any(
            (min(w, b), max(w, b)) in after for a, b in ((u, v), (v, u)) for w in graph[a] if w != b
        )


def test_bounds_can_be_given() -> None:
    path = GRAPHS["path"]
    assert pairs(AFRC(1, lower_bound=-math.inf, upper_bound=math.inf)(path).edge_index) == pairs(
        path.edge_index
    )
    supported = AFRC(1, lower_bound=0.5, upper_bound=math.inf)(path)
    assert supported.num_edges > path.num_edges
    assert AFRC(1, lower_bound=-math.inf, upper_bound=0.5)(path).num_edges == 6


def test_all_pairs_are_drawn() -> None:
    """The middle edge of a path of four nodes can be closed to a triangle on either side."""
    path = data_of(nx.path_graph(4))
    drawn = {
        frozenset(pairs(AFRC(1, lower_bound=0.5, upper_bound=math.inf, seed=s)(path).edge_index))
        for s in range(20)
    }
    ends = [frozenset({(0, 1), (1, 2), (2, 3)})]
    assert all(ends[0] < edges for edges in drawn)
    assert {edge for edges in drawn for edge in edges - ends[0]} == {(0, 2), (1, 3)}


def test_the_seed_and_the_graph_decide() -> None:
    data = data_of(nx.karate_club_graph())
    assert torch.equal(AFRC(2)(data).edge_index, AFRC(2)(data).edge_index)
    assert not torch.equal(AFRC(2)(data).edge_index, AFRC(2, seed=1)(data).edge_index)


@pytest.mark.parametrize("transform", [AFRC(2), AFRC(1, cycles=4)], ids=repr)
def test_contract(transform: AFRC) -> None:
    assert_contract(transform)


@pytest.mark.parametrize("name", ["MUTAG", *thorough("ENZYMES", "PROTEINS"), "IMDB-BINARY"])
def test_real_sets(mirror: Path, tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    transform = AFRC()
    for data in tu_graphs(mirror, tmp_path_factory.getbasetemp(), name):
        assert_simple(transform(data))


def test_bad_options_get_a_sentence() -> None:
    with pytest.raises(InputError, match="rounds must be a whole number, zero or more, not -1"):
        AFRC(-1)
    with pytest.raises(InputError, match="3 or 4, not 5"):
        AFRC(cycles=5)
    with pytest.raises(InputError, match="lower_bound must be a number or None, not nan"):
        AFRC(lower_bound=math.nan)


def test_the_bounds_of_the_first_round_hold_in_all_rounds() -> None:
    data = data_of(nx.karate_club_graph())
    lower, upper = automatic_bounds(np.array(list(by_pair(data, 3).values())))
    fixed = AFRC(4, lower_bound=lower, upper_bound=upper)(data)
    assert torch.equal(AFRC(4)(data).edge_index, fixed.edge_index)
    after = AFRC(1)(data)
    other = automatic_bounds(np.array(list(by_pair(after, 3).values())))
    assert other != (lower, upper)
