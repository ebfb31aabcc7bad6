"""The figure of transfer tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from panda_gnn.errors import InputError
from panda_gnn.reports.drawing.panels import CsvRow
from panda_gnn.reports.drawing.style import SERIES_STYLES, Sheet
from panda_gnn.reports.figures import Request, figure_study, make_figure, transfer
from tests.reports.figures.pretend import csv_rows, store_measurements


def test_transfer_figure(tmp_path: Path) -> None:
    request = Request((), 3, results=tmp_path / "results", command="panda figure transfer")
    study = figure_study("transfer", request)
    assert study is not None
    store_measurements(study, request.results, 3)
    paths = make_figure("transfer", request, tmp_path)
    rows = csv_rows(paths[2])
    assert paths[0].name == "transfer.png"
    assert len(rows) == 4 * 6 * 2 * 6
    assert [row["distance"] for row in rows[:24:12]] == ["2", "4"]
    assert {row["series"] for row in rows} <= set(SERIES_STYLES)
    assert {row["accuracy"] for row in rows} == {"0.5"}
    with Image.open(paths[0]) as image:
        caption = str(image.info["Description"])
    assert "5 classes" in caption
    assert "at most 1000 steps" in caption
    assert "PANDA widens 20% of the nodes, by betweenness, to 128" in caption
    assert "FoSR adds 10 edges" in caption
    with pytest.raises(InputError, match="has its own data"):
        make_figure("transfer", Request(("mutag",), 1), tmp_path)


def test_the_standard_error_of_accuracies(tmp_path: Path) -> None:
    """Trials of 0, 1/2 and 1: the standard deviation is 1/2."""
    request = Request((), 3, results=tmp_path / "results")
    study = request.study("transfer")
    store_measurements(study, request.results, 3)
    rows = transfer.rows(request, study)
    assert {float(row["accuracy"]) for row in rows} == {0.5}
    assert [float(row["standard_error"]) for row in rows] == pytest.approx(
        [0.5 / 3**0.5] * len(rows), rel=1e-6
    )


def test_the_topologies_of_a_backbone_stand_in_a_row() -> None:
    topologies = ("ring", "crossed-ring", "lollipop", "tree")
    rows: list[CsvRow] = [
        {
            "topology": topology,
            "backbone": backbone,
            "series": "none",
            "distance": distance,
            "accuracy": 0.25 * distance,
            "standard_error": 0.1,
            "trials": 3,
        }
        for topology in topologies
        for backbone in ("gcn", "gin")
        for distance in (2, 4)
    ]
    axes: Any = transfer.draw(rows, Sheet()).axes
    places = [one.get_subplotspec() for one in axes[:8]]
    assert [place.rowspan.start for place in places] == [0] * 4 + [1] * 4
    assert [place.colspan.start for place in places] == [0, 1, 2, 3] * 2
    assert axes[0].get_title() == "GCN, ring"
    assert axes[7].get_title() == "GIN, tree"
    line, chance = axes[0].get_lines()
    assert list(line.get_ydata()) == [50.0, 100.0]  # in percent
    assert set(chance.get_ydata()) == {20.0}
    assert [one.get_ylabel() for one in axes[:8]] == (["accuracy in %"] + [""] * 3) * 2
