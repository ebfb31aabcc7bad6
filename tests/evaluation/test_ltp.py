"""LTP against values by hand, networkx and numpy, and its fit."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from panda_gnn.errors import InputError
from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.ltp import edge_profile, fit_ltp, histograms, node_profile
from panda_gnn.evaluation.methods import complete
from panda_gnn.evaluation.splits import random_split
from panda_gnn.graph.rows import GraphRows, rows_of_edges


def rows(graph: nx.Graph) -> GraphRows:
    edges = np.array(list(graph.edges), np.int64).reshape(-1, 2).T
    return rows_of_edges(edges, graph.number_of_nodes())


def table(*graphs: nx.Graph) -> GraphTable:
    return GraphTable.collate(
        [
            Data(
                x=torch.ones(graph.number_of_nodes(), 1),
                edge_index=torch.tensor(list(graph.to_directed().edges)).view(-1, 2).t(),
                y=torch.tensor([number % 2]),
            )
            for number, graph in enumerate(graphs)
        ]
    )


def test_nodes_of_a_lollipop_by_hand() -> None:
    profile = node_profile(rows(nx.lollipop_graph(4, 2)))
    assert profile[:, 0] == pytest.approx([3, 3, 4, 10 / 3, math.sqrt(1 / 3)])
    assert profile[:, 3] == pytest.approx([4, 2, 3, 2.75, 0.4330 * math.sqrt(4 / 3)], abs=1e-4)
    assert profile[:, 4] == pytest.approx([2, 1, 4, 2.5, 1.5 * math.sqrt(2)])
    assert profile[:, 5] == pytest.approx([1, 2, 2, 2, 0])


def test_edges_of_a_lollipop_by_hand() -> None:
    graph = rows(nx.lollipop_graph(4, 2))
    between, jaccard, local = (
        dict(zip(map(tuple, graph.edges.T.tolist()), row, strict=True))
        for row in edge_profile(graph)
    )
    assert (between[0, 1], between[0, 3], between[3, 4], between[4, 5]) == (1, 3, 8, 5)
    assert (jaccard[0, 1], jaccard[0, 3], jaccard[3, 4]) == pytest.approx((0.5, 0.4, 0))
    # Node 0 sees degrees 4, 3, 3: its neighbours 1 and 2 share the second rank.
    assert local[0, 1] == pytest.approx(1 - math.log(2) / math.log(3))
    assert local[0, 3] == local[3, 4] == local[4, 5] == 1


def test_literal_local_degree_score() -> None:
    graph = nx.gnp_random_graph(30, 0.2, seed=3)
    degree = dict(graph.degree)

    def seen_from(u: int, v: int) -> float:
        rank = 1 + sum(degree[w] > degree[v] for w in graph[u])
        return 1 - math.log(rank) / math.log(degree[u]) if degree[u] > 1 else 1.0

    structure = rows(graph)
    expected = [max(seen_from(u, v), seen_from(v, u)) for u, v in structure.edges.T.tolist()]
    assert edge_profile(structure)[2] == pytest.approx(expected)


def test_histograms_are_of_one_graph_each() -> None:
    graphs = [nx.cycle_graph(5), nx.complete_graph(5), nx.empty_graph(2), nx.lollipop_graph(4, 2)]
    together = histograms(table(*graphs), 50)
    assert together.shape == (4, 400)
    for row, graph in zip(together, graphs, strict=True):
        assert np.array_equal(row, histograms(table(graph), 50)[0])
        sums = row.reshape(8, 50).sum(axis=1)
        assert sums.tolist() == [len(graph)] * 5 + [graph.number_of_edges()] * 3
    assert together[0, 25] == together[1, 25] == 5
    # All edges of a cycle have the same betweenness, whatever rounding made of it.
    assert histograms(table(nx.cycle_graph(7)), 50)[0].reshape(8, 50)[5, 25] == 7


def test_structure_is_learned_and_the_fit_is_the_same_again() -> None:
    graphs = [g for n in range(5, 30) for g in (nx.cycle_graph(n), nx.star_graph(n - 1))]
    split = random_split(len(graphs), 0)
    settings = {"bins": 10, "trees": 20}
    curves = fit_ltp(table(*graphs), split, settings)
    assert (curves.validation, curves.test) == ((1.0,), (1.0,))
    assert fit_ltp(table(*graphs), split, settings) == curves


@pytest.mark.parametrize("name", ["bins", "trees"])
def test_settings_out_of_range_are_rejected(name: str) -> None:
    with pytest.raises(InputError, match=f"{name} must be a whole number, 1 or more, not 0"):
        complete(Config("mutag", "gcn", "ltp", {name: 0}))
