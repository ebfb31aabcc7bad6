"""The figures of accuracy against a setting."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from panda_gnn.errors import InputError
from panda_gnn.evaluation.study import load_study
from panda_gnn.reports.drawing.style import Sheet
from panda_gnn.reports.figures import Request, figure_study, make_figure, sweep
from tests.reports.figures.pretend import csv_rows, store_trials


@pytest.mark.parametrize(
    ("name", "study"), [("topk", "sweep-k"), ("high-width", "sweep-high-width")]
)
def test_sweeps_read_the_store(
    name: str, study: str, request_for_mutag: Request, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="measures no graphs: leave --graphs out"):
        make_figure(name, request_for_mutag, tmp_path)
    request_for_mutag = replace(request_for_mutag, graphs=None)
    assert figure_study(name, request_for_mutag) is None
    with pytest.raises(InputError, match=f"panda study run {study} --datasets mutag"):
        make_figure(name, request_for_mutag, tmp_path)
    store_trials(load_study(study), request_for_mutag.results, ("mutag",), 3)
    paths = make_figure(name, request_for_mutag, tmp_path)
    rows = csv_rows(paths[2])
    assert {row["trials"] for row in rows} == {"3"}
    gcn = [row for row in rows if row["backbone"] == "gcn" and row["value"]]
    means = [float(row["accuracy"]) for row in sorted(gcn, key=lambda row: float(row["value"]))]
    assert means == sorted(means)
    with Image.open(paths[0]) as image:
        text = str(image.info["Description"])
    assert "MUTAG, 3 trials, bars: 95 % intervals; dotted, with its interval at the right" in text
    fixed = {"topk": "high width 112", "high-width": "k 10"}[name]
    assert "Fixed: centrality betweenness" in text
    assert fixed in text
    assert {"topk": ", k ", "high-width": ", high width "}[name] not in text


def test_one_trial_has_no_interval(request_for_mutag: Request, tmp_path: Path) -> None:
    request_for_mutag = replace(request_for_mutag, graphs=None)
    store_trials(load_study("sweep-k"), request_for_mutag.results, ("mutag",), 1)
    paths = make_figure("topk", request_for_mutag, tmp_path)
    assert {row["interval"] for row in csv_rows(paths[2])} == {""}
    with Image.open(paths[0]) as image:
        assert "on MUTAG, 1 trial; dotted: the plain backbone" in str(image.info["Description"])


def test_values_stand_with_their_bars_above_the_setting(request_for_mutag: Request) -> None:
    request = replace(request_for_mutag, graphs=None)
    study = load_study("sweep-k").select(["mutag"])
    store_trials(study, request.results, ("mutag",), 3)
    rows = sweep.rows(request, study)
    (panel,) = sweep.draw(rows, Sheet()).axes
    values = sorted({float(row["value"]) for row in rows if row["value"] != ""})
    assert panel.get_xlabel() == "number of high nodes k"
    assert list(panel.get_xticks()) == values
    drawn = [line for line in panel.get_lines() if "PANDA" in str(line.get_label())]
    bars = [one for one in panel.collections if len(one.get_segments()) == len(values)]  # type: ignore[attr-defined]
    assert len(drawn) == len(bars) == len({row["backbone"] for row in rows})
    for backbone, line, bar in zip(("gcn", "gin"), drawn, bars, strict=True):
        case = sorted(
            (row for row in rows if row["backbone"] == backbone and row["value"] != ""),
            key=lambda row: float(row["value"]),
        )
        means = [float(row["accuracy"]) for row in case]
        assert list(line.get_ydata()) == pytest.approx(means)  # type: ignore[arg-type]
        found = [(low[1], high[1]) for low, high in bar.get_segments()]  # type: ignore[attr-defined]
        wide = [float(row["interval"]) for row in case]
        assert [low for low, _ in found] == pytest.approx(
            [mean - half for mean, half in zip(means, wide, strict=True)]
        )
        assert [high for _, high in found] == pytest.approx(
            [mean + half for mean, half in zip(means, wide, strict=True)]
        )
