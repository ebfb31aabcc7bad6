"""Figures by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from panda_gnn.errors import InputError
from panda_gnn.reports.figures import FIGURES, Request, figure_name, make_figure


def test_names_and_errors(tmp_path: Path) -> None:
    assert figure_name("signal-all", FIGURES["signal-all"].datasets) == "signal-all"
    assert figure_name("signal-all", ("mutag",)) == "signal-all-mutag"
    assert figure_name("energy", ("mutag", "enzymes")) == "energy-mutag-enzymes"
    with pytest.raises(InputError, match="unknown figure 'nonsense': choose one of resistance"):
        make_figure("nonsense", Request(("mutag",), 2), tmp_path)
    with pytest.raises(InputError, match="unknown dataset 'nonsense'"):
        make_figure("signal", Request(("nonsense",), 2), tmp_path)
    with pytest.raises(InputError, match="unknown dataset 'cora' of the study 'signal'"):
        make_figure("signal", Request(("cora",), 2), tmp_path)


def test_the_figures_of_all_datasets() -> None:
    assert len(FIGURES) == 19
    once = {"topk", "topk-all", "high-width", "high-width-all", "ladder", "molecule"}
    assert {name for name, kind in FIGURES.items() if kind.trials == 1} == once
    assert {name: kind.trials for name, kind in FIGURES.items() if kind.trials not in (1, 3)} == {
        "energy": 5,
        "transfer": 5,
    }
    assert len(FIGURES["energy-all"].datasets) == 6
    assert len(FIGURES["signal-all"].datasets) == 4
