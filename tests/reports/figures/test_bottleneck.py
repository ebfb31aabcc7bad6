"""The figures of tasks with a bottleneck."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from panda_gnn.evaluation.measurements.bottleneck import BOTTLENECK_METHODS
from panda_gnn.reports.drawing.panels import CsvRow
from panda_gnn.reports.drawing.style import SERIES_STYLES, Sheet
from panda_gnn.reports.figures import Request, bottleneck, figure_study, make_figure
from tests.reports.figures.pretend import csv_rows, store_measurements


@pytest.mark.parametrize(
    ("name", "cells", "chance"),
    [("hub", 5, {"50"}), ("short-range", 6, {"10"}), ("tree-neighbors", 3, {"25", "6.25"})],
)
def test_bottleneck_figures(name: str, cells: int, chance: set[str], tmp_path: Path) -> None:
    request = Request((), 3, results=tmp_path / "results", command=f"panda figure {name}")
    study = figure_study(name, request)
    assert study is not None
    store_measurements(study, request.results, 3)
    assert figure_study(name, request) is None
    paths = make_figure(name, request, tmp_path)
    rows = csv_rows(paths[2])
    methods = set(BOTTLENECK_METHODS) - ({"panda-gated-fixed"} if name != "hub" else set())
    assert len(rows) == cells * len(methods)
    assert {row["series"] for row in rows} == methods <= set(SERIES_STYLES)
    assert {row["accuracy"] for row in rows} == {"50"}
    assert chance <= {row["chance"] for row in rows}
    with Image.open(paths[0]) as image:
        text = " ".join(str(image.info["Description"]).split())
    assert "3 trials" in text
    assert ("chance falls" in text) == (name == "tree-neighbors")


@pytest.mark.parametrize("chances", [(50.0, 50.0), (25.0, 3.125)])
def test_chance_is_drawn_where_it_is_one_level(chances: tuple[float, float]) -> None:
    rows: list[CsvRow] = [
        {
            "task": "hub",
            "series": "none",
            "size": size,
            "accuracy": 60.0,
            "standard_error": 1.0,
            "chance": chance,
            "trials": 3,
        }
        for size, chance in zip((2, 3), chances, strict=True)
    ]
    axes = bottleneck.draw(rows, Sheet()).axes[0]
    levels = [set(np.asarray(line.get_ydata()).tolist()) for line in axes.get_lines()]
    assert levels == [{60.0}] + [{50.0}] * (chances == (50.0, 50.0))
    assert axes.get_ylim() == (0, 105)
