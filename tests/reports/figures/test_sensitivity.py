"""The figures of untrained models: their files, their captions, and what they need."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from PIL import Image

from panda_gnn.errors import InputError
from panda_gnn.reports.drawing.style import SERIES_STYLES, Sheet
from panda_gnn.reports.figures import Request, figure_study, make_figure, sensitivity
from panda_gnn.reports.figures.request import mean_and_error
from tests.marks import thorough
from tests.reports.figures.pretend import csv_rows, pretend_values, store_measurements


@pytest.mark.parametrize("name", [*thorough("sensitivity-width", "sensitivity-method"), "signal"])
def test_untrained_figures(name: str, request_for_mutag: Request, tmp_path: Path) -> None:
    study = figure_study(name, request_for_mutag)
    assert study is not None
    store_measurements(study, request_for_mutag.results, 2)
    assert figure_study(name, request_for_mutag) is None
    paths = make_figure(name, request_for_mutag, tmp_path)
    assert [path.name for path in paths] == [
        f"{name}-mutag.{end}" for end in ("png", "svg", "csv", "txt")
    ]
    with Image.open(paths[0]) as image:
        assert image.width == round(Sheet().column * 300)
        caption = str(image.info["Description"])
    assert "3 of 188 graphs of MUTAG" in caption
    assert "2 random initialisations" in caption
    assert caption.endswith("$ panda figure NAME")
    assert paths[3].read_text().split() == caption.split()
    rows = csv_rows(paths[2])
    assert {row["series"] for row in rows} <= set(SERIES_STYLES)
    again = make_figure(name, request_for_mutag, tmp_path / "again")
    for first, second in zip(paths, again, strict=True):
        assert first.read_bytes() == second.read_bytes()


def test_rows_that_are_missing_are_measured_first(
    request_for_mutag: Request, tmp_path: Path
) -> None:
    study = figure_study("sensitivity-width", request_for_mutag)
    assert study is not None
    store_measurements(study, request_for_mutag.results, 1)
    assert figure_study("sensitivity-width", request_for_mutag) == study
    with pytest.raises(InputError, match=r"lacks 7 of the rows .* run panda figure NAME"):
        make_figure("sensitivity-width", request_for_mutag, tmp_path)


def test_the_series_of_the_paper(request_for_mutag: Request, tmp_path: Path) -> None:
    study = figure_study("sensitivity-width", request_for_mutag)
    assert study is not None
    store_measurements(study, request_for_mutag.results, 2)
    rows = csv_rows(make_figure("sensitivity-width", request_for_mutag, tmp_path)[2])
    widths = ["p=16", "p=32", "p=64", "p=128"]
    assert list(dict.fromkeys(row["series"] for row in rows)) == [
        *widths,
        "panda-plain",
        "residual",
        "panda",
    ]
    assert {(row["trials"], row["graphs"]) for row in rows} == {("2", "3")}


def test_bands_are_standard_errors_of_the_mean(request_for_mutag: Request) -> None:
    """Of two trials a and b the mean is (a + b) / 2 and its standard error |a - b| / 2."""
    study = request_for_mutag.study("sensitivity-width")
    store_measurements(study, request_for_mutag.results, 2)
    rows = sensitivity.rows(request_for_mutag, study)
    config = study.cells[0].candidates[0]
    first, second = (
        pretend_values("sensitivity", config, seed)["sensitivity"] for seed in range(2)
    )
    for row, a, b in zip(rows, first, second, strict=False):
        assert row["sensitivity"] == pytest.approx((a + b) / 2, rel=1e-12)
        assert row["standard_error"] == pytest.approx(abs(a - b) / 2, rel=1e-12)
    assert [row["layer"] for row in rows[: len(first)]] == list(range(1, len(first) + 1))


def test_the_standard_error_of_more_trials_and_of_one() -> None:
    trials = [[0.0, 5.0], [2.0, 5.0], [4.0, 5.0], [3.0, 5.0], [6.0, 5.0]]
    means, errors = mean_and_error(trials, torch.float64)
    assert means == [3.0, 5.0]
    assert errors == pytest.approx([(20 / 4) ** 0.5 / 5**0.5, 0.0], rel=1e-12)
    means, errors = mean_and_error(trials[:2], torch.float64)
    assert means == [1.0, 5.0]
    assert errors == pytest.approx([1.0, 0.0])
    assert mean_and_error(trials[:1], torch.float64) == ([0.0, 5.0], [0.0, 0.0])
