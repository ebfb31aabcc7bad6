"""Rankings and summaries on graphs whose bottleneck everybody sees."""

from __future__ import annotations

import math

import networkx as nx
import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.utils import from_networkx, to_networkx

from panda_gnn.diagnostics import (
    bottleneck_edges,
    bottleneck_nodes,
    resistance_sketch,
    summarise,
)
from panda_gnn.diagnostics.bottlenecks import EDGE_MEASURES, NODE_MEASURES
from panda_gnn.errors import InputError
from tests.odd_graphs import ODD_GRAPHS


@pytest.mark.parametrize("by", ["betweenness", "load", "closeness", "curvature", "ollivier-ricci"])
def test_the_bridge_of_a_barbell_comes_first(by: str) -> None:
    ranking = bottleneck_nodes(ODD_GRAPHS["barbell"], by, 3)
    assert set(ranking.items.tolist()) == {3, 4, 5}


@pytest.mark.parametrize("by", EDGE_MEASURES)
def test_the_edges_of_the_bridge_come_first(by: str) -> None:
    ranking = bottleneck_edges(ODD_GRAPHS["barbell"], by, 2)
    assert ranking.items.tolist() == [[3, 4], [4, 5]]


@pytest.mark.parametrize("name", ODD_GRAPHS)
def test_every_measure_takes_every_graph(name: str) -> None:
    data = ODD_GRAPHS[name]
    for by in NODE_MEASURES:
        ranking = bottleneck_nodes(data, by, 4)
        assert bool(ranking.values.isfinite().all())
        if by in ("degree", "resistance"):
            assert ranking.items.numel() == min(4, int(data.num_nodes or 0))
    for by in EDGE_MEASURES:
        assert bool(bottleneck_edges(data, by, 4).values.isfinite().all())


def test_rankings_are_in_order_and_ties_by_index() -> None:
    star = bottleneck_nodes(ODD_GRAPHS["star"], "degree", 8)
    assert star.items.tolist() == list(range(8))
    grid = bottleneck_edges(ODD_GRAPHS["grid"], "resistance", 99)
    assert grid.items.size(1) == 17
    assert bool((grid.values.diff() <= 1e-12).all())
    path = bottleneck_nodes(ODD_GRAPHS["path"], "resistance", 6)
    assert path.items.tolist() == [0, 5, 1, 4, 2, 3]
    assert path.values[0] == pytest.approx(1 + 2 + 3 + 4 + 5)


@pytest.mark.parametrize("name", ODD_GRAPHS)
def test_summary(name: str) -> None:
    data = ODD_GRAPHS[name]
    graph = to_networkx(data, to_undirected=True, remove_self_loops=True)
    summary = summarise(data)
    assert summary.num_nodes == graph.number_of_nodes()
    assert summary.num_edges == graph.number_of_edges()
    assert summary.num_components == nx.number_connected_components(graph)
    assert summary.isolated_nodes == nx.number_of_isolates(graph)
    assert summary.bridges == len(list(nx.bridges(graph)))
    parts = [graph.subgraph(part) for part in nx.connected_components(graph)]
    assert summary.diameter == max(nx.diameter(part) for part in parts)
    resistance = sum(
        value
        for part in parts
        for node, row in nx.resistance_distance(part).items()
        for value in row.values()
    )
    assert summary.total_resistance == pytest.approx(resistance / 2)
    assert math.isnan(summary.mean_curvature) == (summary.num_edges == 0)


def test_negative_edges_of_a_tree() -> None:
    """In a binary tree, edges between inner nodes are negative and those to leaves are flat."""
    tree: Data = from_networkx(nx.balanced_tree(2, 3))
    summary = summarise(tree)
    assert summary.bridges == 14
    assert summary.negative_edges == pytest.approx(6 / 14)
    assert summary.lowest_curvature == pytest.approx(2 / 3 + 2 / 3 - 2)


def test_a_large_graph_is_estimated() -> None:
    """A cycle with a tail, above the limit: within the error it states, and the bridge found."""
    size = 200
    cycle = torch.arange(size)
    edges = torch.stack([cycle, (cycle + 1) % size])
    tail = torch.tensor([[0], [size]])
    edge_index = torch.cat([edges, edges.flip(0), tail, tail.flip(0)], dim=1)
    data = Data(edge_index=edge_index, num_nodes=size + 1)
    summary = summarise(data, exact_nodes=100)
    exact = (size**3 - size) / 12 + sum(d * (size - d) / size + 1 for d in range(size))
    assert summary.diameter is None
    assert summary.bridges == 1
    assert summary.total_resistance_error > 0
    assert abs(summary.total_resistance - exact) < 5 * summary.total_resistance_error
    estimated = bottleneck_edges(data, "resistance", size + 1, exact_nodes=100)
    assert bool((estimated.values.diff() <= 1e-9).all())
    error = float(resistance_sketch(data).standard_error.max())
    assert 0 < error < 0.02
    for (u, v), value in zip(estimated.items.t().tolist(), estimated.values.tolist(), strict=True):
        if (u, v) == (0, size):
            assert value == pytest.approx(1, abs=1e-9)
        else:
            assert value == pytest.approx((size - 1) / size, abs=5 * error)


def test_bad_input_gets_one_sentence() -> None:
    data = ODD_GRAPHS["path"]
    with pytest.raises(InputError, match="unknown measure of nodes 'beauty'"):
        bottleneck_nodes(data, "beauty")
    with pytest.raises(InputError, match="unknown measure of edges 'degree'"):
        bottleneck_edges(data, "degree")
    with pytest.raises(InputError, match="count must be a whole number, 1 or more, not 0"):
        bottleneck_edges(data, count=0)
    with pytest.raises(InputError, match="no nodes"):
        summarise(Data(edge_index=torch.zeros(2, 0, dtype=torch.long), num_nodes=0))
