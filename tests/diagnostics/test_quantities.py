"""What is said of a graph whose nodes have classes."""

from __future__ import annotations

import pytest
import torch
from torch_geometric.data import Data

from panda_gnn.diagnostics.quantities import homophily
from tests.odd_graphs import undirected


def classes(data: Data, *of_nodes: int) -> Data:
    data.y = torch.tensor(of_nodes)
    return data


def test_the_share_of_edges_between_nodes_of_one_class() -> None:
    path = undirected(4, (0, 1), (1, 2), (2, 3))
    assert homophily(classes(path, 1, 1, 0, 0)) == pytest.approx(2 / 3)
    path.virtual = torch.tensor([False, False, False, True])
    assert homophily(path) == pytest.approx(1 / 2)


def test_without_edges_or_classes_there_is_none() -> None:
    assert homophily(classes(undirected(3), 0, 1, 0)) is None
    assert homophily(undirected(2, (0, 1))) is None
    numbers = undirected(2, (0, 1))
    numbers.y = torch.tensor([0.5, 0.5])
    assert homophily(numbers) is None
