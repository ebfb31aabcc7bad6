"""Hanging trees, taken off graphs small enough to see through."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from panda_gnn.centrality.peeling import peel
from panda_gnn.graph.rows import read_graphs

from ..odd_graphs import undirected
from .oracles import as_data


@pytest.mark.parametrize("seed", range(5))
def test_a_tree_peels_down_to_one_node(seed: int) -> None:
    tree = peel(read_graphs(as_data(nx.random_labeled_tree(30, seed=seed))))
    assert tree.num_peeled.tolist() == [29]
    (root,) = np.flatnonzero(tree.parent < 0)
    assert tree.weight[root] == 30


def test_a_hanging_tree_is_kept_as_weight_and_depth() -> None:
    data = undirected(7, (0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (3, 5), (1, 6))
    tree = peel(read_graphs(data))
    assert tree.parent.tolist() == [-1, -1, -1, 2, 3, 3, 1]
    assert tree.weight.tolist() == [1, 2, 4, 3, 1, 1, 1]
    assert tree.depth.tolist() == [0, 1, 5, 2, 0, 0, 0]
    assert tree.squares.tolist() == [0, 1, 9, 2, 0, 0, 0]
