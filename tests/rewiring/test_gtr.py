from __future__ import annotations

from pathlib import Path
from unittest.mock import MagicMock

import numpy as np
import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from panda_gnn.diagnostics.resistance import laplacian_pseudoinverse, total_resistance
from panda_gnn.errors import InputError
from panda_gnn.graph import limits
from panda_gnn.graph.components import components
from panda_gnn.graph.rows import undirected_edges
from panda_gnn.rewiring.gtr import GTR
from tests.odd_graphs import ODD_GRAPHS, clique, undirected
from tests.random_graphs import RANDOM_GRAPHS, edges_of
from tests.rewiring.rewired import (
    GRAPHS,
    TU_NAMES,
    assert_contract,
    assert_prefixes,
    assert_simple,
    pairs,
    random_graph,
    tu_graphs,
)


def trace(edges: Tensor, num_nodes: int) -> float:
    data = Data(edge_index=torch.cat([edges, edges.flip(0)], dim=1), num_nodes=num_nodes)
    return float(laplacian_pseudoinverse(data).trace())


def best_by_trying(edges: Tensor, num_nodes: int) -> tuple[int, int] | None:
    """The first pair whose edge, really added, lowers the trace of the pseudo-inverse the most."""
    component = components(edges, num_nodes)
    present = pairs(edges)
    before = trace(edges, num_nodes)
    falls = {
        (u, v): before - trace(torch.cat([edges, torch.tensor([[u], [v]])], dim=1), num_nodes)
        for u in range(num_nodes)
        for v in range(u + 1, num_nodes)
        if (u, v) not in present and component[u] == component[v]
    }
    if not falls:
        return None
    greatest = max(falls.values())
    return min(pair for pair, fall in falls.items() if fall >= greatest * (1 - 1e-9))


@pytest.mark.parametrize("name", GRAPHS)
def test_every_choice_is_that_of_brute_force(name: str) -> None:
    data = GRAPHS[name]
    edges, _ = undirected_edges(data, "test")
    additions = GTR(12).additions(edges, data.num_nodes)
    for pair in additions.t():
        assert tuple(pair.tolist()) == best_by_trying(edges, data.num_nodes)
        edges = torch.cat([edges, pair[:, None]], dim=1)
    if additions.size(1) < 12:
        assert best_by_trying(edges, data.num_nodes) is None


def test_classes_of_twins_split_as_they_get_edges() -> None:
    hub_and_leaves = [(0, leaf) for leaf in range(2, 8)] + [(1, leaf) for leaf in range(8, 12)]
    ring = [(0, 12), (12, 13), (13, 1), (12, 14), (12, 15), (14, 15), (13, 14), (13, 15)]
    data = undirected(16, *hub_and_leaves, *ring)
    edges, _ = undirected_edges(data, "test")
    for pair in GTR(10).additions(edges, 16).t():
        assert tuple(pair.tolist()) == best_by_trying(edges, 16)
        edges = torch.cat([edges, pair[:, None]], dim=1)


def test_every_choice_among_twins_is_that_of_brute_force() -> None:
    for graph in RANDOM_GRAPHS:
        edges = torch.from_numpy(edges_of(graph))
        for pair in GTR(3).additions(edges, len(graph)).t():
            assert tuple(pair.tolist()) == best_by_trying(edges, len(graph))
            edges = torch.cat([edges, pair[:, None]], dim=1)


@pytest.mark.parametrize(
    ("drawn", "chosen"),
    [
        ([(0, 1), (0, 4), (1, 4), (2, 4), (3, 4)], (2, 3)),
        ([(0, 1), (0, 4), (1, 4), (1, 5), (2, 5), (3, 5), (4, 6), (5, 6)], (0, 2)),
    ],
)
def test_twins_are_joined_only_where_nothing_lowers_the_trace_more(
    drawn: list[tuple[int, int]], chosen: tuple[int, int]
) -> None:
    """The leaves 2 and 3 are twins; the next best pair is nearly as good."""
    edges, num_nodes = torch.tensor(drawn).t(), 1 + max(map(max, drawn))
    assert best_by_trying(edges, num_nodes) == chosen
    assert GTR(1).additions(edges, num_nodes).t().tolist() == [list(chosen)]


def test_hundreds_of_rank_one_updates_stay_accurate() -> None:
    data = random_graph(40, 0.06, 1)
    edges, _ = undirected_edges(data, "test")
    additions = GTR(300).additions(edges, 40)
    assert additions.size(1) == 300
    for step in (100, 200, 299):
        present = torch.cat([edges, additions[:, :step]], dim=1)
        assert tuple(additions[:, step].tolist()) == best_by_trying(present, 40)


def test_contract() -> None:
    assert_contract(GTR(7))
    assert_prefixes(GTR)


def test_components_stay_apart_and_cliques_stay_as_they_are() -> None:
    data = ODD_GRAPHS["two components"]
    after = GTR(1000)(data)
    first = {(u, v) for u in range(3) for v in range(u + 1, 3)}
    second = {(u, v) for u in range(3, 8) for v in range(u + 1, 8)}
    assert pairs(after.edge_index) == first | second
    assert GTR(5)(clique(6)).num_edges == 30
    assert GTR(5)(undirected(4)).num_edges == 0


def test_a_path_is_closed_to_a_cycle_and_the_leaves_of_a_star_are_joined() -> None:
    path = undirected(5, *((i, i + 1) for i in range(4)))
    assert GTR(1)(path).edge_index.t().tolist().count([0, 4]) == 1
    star = ODD_GRAPHS["star"]
    assert pairs(GTR(1)(star).edge_index) - pairs(star.edge_index) == {(1, 2)}


def test_a_negative_budget_is_refused() -> None:
    with pytest.raises(InputError, match=r"iterations must be a whole number, .* not -1"):
        GTR(-1)


def test_real_graphs(mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    gtr = GTR(5)
    for name in TU_NAMES:
        for data in tu_graphs(mirror, tmp_path_factory.getbasetemp(), name):
            assert_simple(gtr(data))


def test_lowers_the_total_resistance_of_real_graphs(
    mirror: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    graphs = tu_graphs(mirror, tmp_path_factory.getbasetemp(), "MUTAG")
    totals = [
        (total_resistance(d), total_resistance(GTR(1)(d)), total_resistance(GTR(5)(d)))
        for d in graphs
    ]
    assert all(before > one > five for before, one, five in totals)
    before, _, five = torch.tensor(totals).mean(dim=0).tolist()
    assert five < 0.5 * before


def test_large_graphs_are_sketched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "DENSE_GTR_CLASSES", 5)
    grid, star = GRAPHS["grid"], GRAPHS["star"]
    assert torch.equal(GTR(3)(grid).edge_index, GTR(3, sketch=64)(grid).edge_index)
    assert GTR(1)(star).num_edges == 16  # two classes of twins, whatever its size
    sketched = MagicMock(return_value=np.zeros((2, 0), dtype=np.int64))
    monkeypatch.setattr("panda_gnn.rewiring.gtr.sketched_edges", sketched)
    for limit, calls in ((4, 0), (3, 1)):  # each edge may make two classes more
        monkeypatch.setattr(limits, "DENSE_GTR_CLASSES", limit)
        GTR(1)(star)
        assert sketched.call_count == calls


def test_a_sketch_keeps_the_contract() -> None:
    assert_contract(GTR(3, sketch=16))
    assert_prefixes(lambda budget: GTR(min(budget, 20), sketch=16))
