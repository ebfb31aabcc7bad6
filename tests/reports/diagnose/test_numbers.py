"""The numbers of the report on one graph."""

from __future__ import annotations

import pytest
import torch
from torch_geometric.data import Data

from panda_gnn.errors import InputError
from panda_gnn.reports.diagnose.model_choice import ModelChoice
from panda_gnn.reports.diagnose.numbers import diagnose, edge_measures
from tests.odd_graphs import ODD_GRAPHS

SMALL = ModelChoice(width=4, high_width=6, num_layers=2, k=2)


def test_joined_components_have_no_comparable_resistance() -> None:
    found = diagnose(ODD_GRAPHS["two components"], SMALL, title="two")
    *_, rewired = found.remedies
    assert rewired.spectral_gap > 0
    assert rewired.total_resistance != rewired.total_resistance


def test_curvature_from_resistance_is_of_small_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    grid = ODD_GRAPHS["grid"]
    both = ["effective resistance", "curvature"]
    for limit, names in ((grid.num_nodes, [*both, "resistance curvature"]), (2, both)):
        monkeypatch.setattr("panda_gnn.reports.diagnose.numbers.EXACT_SUMMARY_NODES", limit)
        assert [measure.name for measure in edge_measures(grid)] == names


def test_a_graph_needs_nodes() -> None:
    empty = Data(x=torch.zeros(0, 1), edge_index=torch.zeros(2, 0, dtype=torch.long), num_nodes=0)
    with pytest.raises(InputError, match="nothing to diagnose"):
        diagnose(empty, SMALL, title="nothing")
