"""The figure of what size, structure and PANDA add."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from panda_gnn.errors import InputError
from panda_gnn.evaluation.study import load_study
from panda_gnn.reports.drawing.style import Sheet
from panda_gnn.reports.figures import Request, figure_study, ladder, make_figure
from panda_gnn.reports.figures.ladder import RUNGS
from panda_gnn.reports.tables import build_table
from tests.reports.figures.pretend import csv_rows, store_trials


def test_the_ladder_is_that_of_the_table(request_for_mutag: Request, tmp_path: Path) -> None:
    request = replace(request_for_mutag, graphs=None)
    study = load_study("controls")
    assert figure_study("ladder", request) is None
    with pytest.raises(InputError, match="panda study run controls --datasets mutag --methods"):
        make_figure("ladder", request, tmp_path)
    store_trials(study, request.results, ("mutag",), 3)
    paths = make_figure("ladder", request, tmp_path)
    rows = csv_rows(paths[2])
    assert [row["method"] for row in rows if row["backbone"] == "gcn"] == list(RUNGS)
    table = build_table(study.select(["mutag"]), request.store(study).read())
    means = {
        (entry.line.backbone, entry.line.method): entry.ours.mean
        for block in table.blocks
        for entry in block.entries
        if entry.ours is not None
    }
    for row in rows:
        pair = row["backbone"], row["method"]
        assert float(row["accuracy"]) == pytest.approx(means[pair], rel=1e-4)
        gain = means[pair] - means[row["backbone"], "none"]
        assert float(row["difference"]) == pytest.approx(gain, abs=1e-3)
        assert (row["difference_interval"] == "") == (row["method"] == "none")
    with Image.open(paths[0]) as image:
        assert "3 trials, bars: 95 % intervals" in str(image.info["Description"])
        assert image.width / 300 == pytest.approx(3.25, abs=0.01)


def test_rungs_are_drawn_from_bottom_to_top(request_for_mutag: Request) -> None:
    request = replace(request_for_mutag, graphs=None)
    study = load_study("controls").select(["mutag"], ["gcn"])
    store_trials(study, request.results, ("mutag",), 2)
    rows = ladder.rows(request, study)
    panel = ladder.draw(rows, Sheet()).axes[0]
    assert [label.get_text() for label in panel.get_yticklabels()] == list(RUNGS.values())
    assert panel.get_title() == "MUTAG\n(2 trials)"
    assert [text.get_text() for text in panel.texts] == ["GCN 50.5 %"]
    bars: list[Any] = list(panel.containers)
    centres = [float(bar.lines[0].get_xdata()[0]) for bar in bars]
    assert centres == pytest.approx([float(row["difference"]) for row in rows])


def test_two_backbones_have_a_legend(request_for_mutag: Request) -> None:
    request = replace(request_for_mutag, graphs=None)
    study = load_study("controls").select(["mutag"], ["gcn", "gin"])
    store_trials(study, request.results, ("mutag",), 2)
    figure = ladder.draw(ladder.rows(request, study), Sheet())
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["GCN", "GIN"]
    bars: list[Any] = list(figure.axes[0].containers)
    rungs = [float(bar.lines[0].get_ydata()[0]) for bar in bars]
    places = range(len(RUNGS))
    assert rungs == pytest.approx([*(at + 0.15 for at in places), *(at - 0.15 for at in places)])
    faces = [handle.get_markerfacecolor() for handle in figure.legends[0].get_lines()]
    assert faces[1] == "white" != faces[0]
