"""The steps of the exact reduction, one by one, on graphs small enough to see through."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from torch_geometric.data import Data

from panda_gnn.centrality.components import connected_components
from panda_gnn.centrality.shortest_paths import merge_twins, path_sums, peel
from panda_gnn.csr import block_csr

from ..odd_graphs import ODD_GRAPHS, clique, undirected
from .oracles import as_data


def classes(data: Data) -> list[set[int]]:
    """The classes of twins of a graph without peeling, largest first."""
    csr = block_csr(data)
    merged = merge_twins(csr, np.full(csr.num_nodes, -1, np.int32), np.ones(csr.num_nodes))
    groups = [
        set(np.flatnonzero(merged.class_of == number).tolist())
        for number in range(merged.class_ptr[1])
    ]
    return sorted(groups, key=len, reverse=True)


def test_a_disconnected_graph_becomes_its_components_in_order() -> None:
    csr = block_csr([ODD_GRAPHS["isolated nodes"], ODD_GRAPHS["two components"]])
    connected, order = connected_components(csr)
    assert connected.sizes.tolist() == [1, 4, 1, 1, 3, 5]
    assert order.tolist() == [0, 1, 2, 3, 5, 4, 6, *range(7, 15)]
    assert connected.degrees.tolist() == csr.degrees[order].tolist()
    path = connected.graphs(5, 6)
    assert path.neighbours.tolist() == [1, 0, 2, 1, 3, 2, 4, 3]


@pytest.mark.parametrize("seed", range(5))
def test_a_tree_peels_down_to_one_node(seed: int) -> None:
    tree = peel(block_csr(as_data(nx.random_labeled_tree(30, seed=seed))))
    assert tree.num_peeled.tolist() == [29]
    (root,) = np.flatnonzero(tree.parent < 0)
    assert tree.weight[root] == 30


def test_a_hanging_tree_is_kept_as_weight_and_depth() -> None:
    data = undirected(7, (0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (3, 5), (1, 6))
    tree = peel(block_csr(data))
    assert tree.parent.tolist() == [-1, -1, -1, 2, 3, 3, 1]
    assert tree.weight.tolist() == [1, 2, 4, 3, 1, 1, 1]
    assert tree.depth.tolist() == [0, 1, 5, 2, 0, 0, 0]
    assert tree.squares.tolist() == [0, 1, 9, 2, 0, 0, 0]


def test_cliques_and_complete_bipartite_graphs_have_few_classes() -> None:
    assert classes(clique(6)) == [set(range(6))]
    assert classes(as_data(nx.complete_bipartite_graph(3, 4))) == [{3, 4, 5, 6}, {0, 1, 2}]
    assert classes(ODD_GRAPHS["star"]) == [set(range(1, 8)), {0}]
    assert [len(group) for group in classes(ODD_GRAPHS["cycle"])] == [1] * 7
    assert [len(group) for group in classes(ODD_GRAPHS["barbell"])] == [3, 3, 1, 1, 1]


def test_weighted_twins_with_trees_count_every_pair_once() -> None:
    """False twins with trees of different sizes: all packets of all ordered pairs are found."""
    graph = nx.complete_bipartite_graph(3, 2)
    graph.add_edges_from([(0, 5), (5, 6), (1, 7), (3, 8), (3, 9)])
    betweenness, load, distances = path_sums(block_csr(as_data(graph)))
    lengths = dict(nx.all_pairs_shortest_path_length(graph))
    between = sum(length - 1 for row in lengths.values() for length in row.values() if length)
    assert betweenness.sum() == pytest.approx(between)
    assert load.sum() == pytest.approx(between)
    assert distances.tolist() == [sum(lengths[node].values()) for node in range(10)]
