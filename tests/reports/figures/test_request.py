"""What is asked of a figure, in words and in rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from panda_gnn.errors import InputError
from panda_gnn.evaluation.statistics import Summary
from panda_gnn.reports.figures import Request
from panda_gnn.reports.figures.request import (
    accuracy_cells,
    config_of,
    counted_trials,
    printed,
    series,
)
from tests.reports.figures.pretend import store_measurements


def test_graphs_and_models_in_words() -> None:
    one = Request(("mutag",), 1, 30)
    assert one.graphs_in_words() == "30 of 188 graphs of MUTAG"
    assert one.initialisations == "1 random initialisation"
    assert replace(one, trials=2).initialisations == "2 random initialisations"
    assert replace(one, graphs=None).graphs_in_words() == "all 188 graphs of MUTAG"
    three = Request(("mutag", "enzymes", "proteins"), 1, 600)
    assert three.graphs_in_words() == (
        "all 188 graphs of MUTAG, all 600 graphs of ENZYMES and 600 of 1113 graphs of PROTEINS"
    )
    assert [three.num_graphs(name) for name in three.datasets] == [188, 600, 600]
    assert printed("imdb-binary") == "IMDB-BINARY"


def test_trials_in_words() -> None:
    def said(*trials: int) -> str:
        return counted_trials([{"trials": count} for count in trials], "band: error")

    assert said(1, 1) == "1 trial"
    assert said(3, 3) == "3 trials, band: error"
    assert said(5, 1, 3) == "1 to 5 trials, band: error"


def test_cells_of_the_csv() -> None:
    assert accuracy_cells(Summary(2, 0.5, 0.25)) == {"accuracy": 0.5, "interval": 0.25, "trials": 2}
    assert accuracy_cells(Summary(1, 0.5, None))["interval"] == ""


def test_the_first_seeds_count_and_missing_ones_are_counted(request_for_mutag: Request) -> None:
    study = request_for_mutag.study("sensitivity-width")
    store_measurements(study, request_for_mutag.results, 2)
    cells = len(study.cells)
    measured = request_for_mutag.measured(study)
    assert [[row["seed"] for row in rows] for _, rows in measured] == [[0, 1]] * cells
    one = replace(request_for_mutag, trials=1)
    assert [[row["seed"] for row in rows] for _, rows in one.measured(study)] == [[0]] * cells
    values: list[tuple[Any, dict[str, Any]]] = request_for_mutag.values(study)
    for (cell, found), (_, rows) in zip(values, measured, strict=True):
        assert found == {"sensitivity": [row["values"]["sensitivity"] for row in rows]}
        assert cell in study.cells
    more = replace(request_for_mutag, trials=5)
    with pytest.raises(InputError, match=f"lacks {3 * cells} of the rows .*panda figure NAME"):
        more.values(study)


def test_names_of_lines(request_for_mutag: Request) -> None:
    study = request_for_mutag.study("sensitivity-width")
    names = [series(cell) for cell in study.cells]
    assert names == ["p=16", "p=32", "p=64", "p=128", "panda-plain", "residual", "panda"]
    assert config_of(study, "panda").method == "panda"
    assert {cell.candidates[0].settings["graphs"] for cell in study.cells} == {3}
