"""Reading undirected simple graphs."""

from __future__ import annotations

import pytest
import torch
from torch_geometric.data import Data

from panda_gnn.errors import InputError
from panda_gnn.graphs import undirected_edges
from tests.odd_graphs import ODD_GRAPHS


@pytest.mark.parametrize("name", ODD_GRAPHS)
def test_every_edge_once_and_where_it_stood(name: str) -> None:
    data = ODD_GRAPHS[name]
    edges, place = undirected_edges(data, "test")
    expected = {(u, v) for u, v in data.edge_index.t().tolist() if u < v}
    assert sorted(expected) == list(map(tuple, edges.t().tolist()))
    both = torch.cat([edges, edges.flip(0)], dim=1)
    assert torch.equal(data.edge_index[:, place], both)


def test_duplicates_count_once() -> None:
    edge_index = torch.tensor([[0, 1, 0, 1, 1, 2], [1, 0, 1, 0, 2, 1]])
    edges, place = undirected_edges(Data(edge_index=edge_index, num_nodes=3), "test")
    assert edges.tolist() == [[0, 1], [1, 2]]
    assert place.tolist() == [0, 4, 1, 5]


def test_directed_graphs_are_refused() -> None:
    data = Data(edge_index=torch.tensor([[0, 1, 1], [1, 0, 2]]), num_nodes=3)
    with pytest.raises(InputError, match=r"Thing needs an undirected graph.*ToUndirected"):
        undirected_edges(data, "Thing")


def test_nodes_outside_are_refused() -> None:
    data = Data(edge_index=torch.tensor([[0, 5], [5, 0]]), num_nodes=3)
    with pytest.raises(InputError, match=r"outside 0\.\.2"):
        undirected_edges(data, "Thing")
