"""The quantities of several graphs at once."""

from __future__ import annotations

import math

import pytest
import torch

from panda_gnn.diagnostics import summarise_dataset, walk_range
from panda_gnn.diagnostics.dataset_summary import QUANTITIES, DatasetSummary
from panda_gnn.errors import InputError
from tests.odd_graphs import ODD_GRAPHS, undirected


def test_quantities_of_a_path_and_a_clique() -> None:
    summary = summarise_dataset([ODD_GRAPHS["path"], ODD_GRAPHS["clique"]], 2)
    assert summary.values["nodes"].tolist() == [6, 6]
    assert summary.values["edges"].tolist() == [5, 15]
    assert summary.values["diameter"].tolist() == [5, 1]
    assert summary.spread("bridges") == (0.5, 0.0, 0.0, 1.0)
    assert summary.values["mean distance"].tolist() == pytest.approx([70 / 36, 5 / 6])
    assert summary.values["range"][0] == pytest.approx(walk_range(ODD_GRAPHS["path"], 2).mean)
    assert summary.values["out of reach"].tolist() == pytest.approx([12 / 30, 0])
    assert summary.values["mean resistance"].tolist() == pytest.approx([70 / 30, 1 / 3])
    assert math.isnan(summary.values["prevalence"][1])  # a clique has no slopes
    assert summary.spread("prevalence")[0] == float(summary.values["prevalence"][0])


def test_every_graph_has_a_row() -> None:
    graphs = list(ODD_GRAPHS.values())
    calls: list[int] = []
    summary = summarise_dataset(graphs, 3, on_graph=calls.append)
    assert set(summary.values) == set(QUANTITIES)
    assert calls == list(range(1, len(graphs) + 1))
    alone = summarise_dataset([undirected(1)], 3)
    assert all(math.isnan(value) for value in alone.spread("bridges"))


def test_the_graphs_at_the_ends() -> None:
    names = ("path", "clique", "star", "no edges", "two components")
    ends = summarise_dataset([ODD_GRAPHS[name] for name in names], 2).ends()
    assert ends["edges"] == (3, 1)
    assert ends["mean curvature"][1] == 1  # the graph without edges has none
    assert summarise_dataset([ODD_GRAPHS["path"]] * 2, 2).ends() == {}


def test_rounding_decides_no_end() -> None:
    values = {
        "varies": torch.tensor([1e-16, -1.0, 2e-16, torch.nan], dtype=torch.float64),
        "does not": torch.tensor([2.0, 2.0 + 1e-12, 2.0, 2.0], dtype=torch.float64),
        "unknown": torch.full((4,), torch.nan),
    }
    assert DatasetSummary(4, [0, 1, 2, 3], 2, values).ends() == {"varies": (1, 0)}


def test_some_graphs_stand_for_many() -> None:
    summary = summarise_dataset([undirected(n + 1) for n in range(50)], 3, most=5)
    assert summary.measured == [0, 12, 24, 37, 49]
    assert summary.num_graphs == 50
    with pytest.raises(InputError, match="no graphs"):
        summarise_dataset([], 3)
    with pytest.raises(InputError, match="graph 1 has no nodes"):
        summarise_dataset([undirected(1), undirected(0)], 3)
