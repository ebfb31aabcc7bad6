"""All graphs of a dataset at a glance."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from panda_gnn.errors import InputError
from panda_gnn.reports.diagnose.dataset import dataset_page, diagnose_dataset, spread
from tests.odd_graphs import ODD_GRAPHS, undirected

GRAPHS = [ODD_GRAPHS[name] for name in ("path", "clique", "star", "no edges", "two components")]


def test_numbers_and_ends() -> None:
    found = diagnose_dataset(GRAPHS, "five")
    assert found.values("nodes").tolist() == [6, 6, 8, 4, 8]
    assert found.values("edges").tolist() == [5, 15, 7, 0, 7]
    assert found.values("bridges").tolist() == [5, 0, 7, 0, 4]
    # a path has the resistance sum of its distances, a clique 2/n for each of n (n - 1) / 2 pairs
    assert found.values("total resistance")[:2].tolist() == pytest.approx([35, 5])
    assert np.isnan(found.values("mean curvature")[3])
    assert found.ends()["edges"] == (3, 1)
    rows = {row[0]: row[1:] for row in spread(found).rows}
    assert rows["edges"] == ("0", "5", "7", "7", "15", "3", "1")


def test_some_graphs_keep_their_numbers() -> None:
    found = diagnose_dataset(GRAPHS, "five", 3)
    assert found.numbers == [0, 2, 4]
    page = dataset_page(found, GRAPHS, "my data.pt", "panda diagnose")
    assert "panda diagnose 'my data.pt' --graph 4" in page.replace("\\u0027", "'")
    assert '"rows":[[0,6,5,' in page


def test_equal_graphs_have_no_ends_and_empty_ones_are_refused() -> None:
    twice = [undirected(3, (0, 1)), undirected(3, (0, 1))]
    assert diagnose_dataset(twice, "twins").ends() == {}
    nothing = Data(edge_index=torch.zeros(2, 0, dtype=torch.long), num_nodes=0)
    with pytest.raises(InputError, match="graph 1 of odd has no nodes"):
        diagnose_dataset([twice[0], nothing], "odd")
