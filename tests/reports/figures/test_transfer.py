"""The figure of transfer tasks."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from panda_gnn.errors import InputError
from panda_gnn.reports.drawing.style import SERIES_STYLES
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
    assert len(rows) == 4 * 6 * 2 * 4
    assert [row["distance"] for row in rows[:16:8]] == ["2", "4"]
    assert {row["series"] for row in rows} <= set(SERIES_STYLES)
    assert {row["accuracy"] for row in rows} == {"0.5"}
    with Image.open(paths[0]) as image:
        caption = str(image.info["Description"])
    assert "5 classes" in caption
    assert "at most 1000 steps" in caption
    assert "PANDA widens 20% of the nodes, by betweenness, to 128; FoSR adds 10 edges" in caption
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
