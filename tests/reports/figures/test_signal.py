"""The figure of signal propagation."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from panda_gnn.reports.drawing.panels import CsvRow, select
from panda_gnn.reports.drawing.style import Sheet
from panda_gnn.reports.figures import Request, signal
from tests.reports.figures.pretend import pretend_values, store_measurements


def test_rows_of_every_graph(request_for_mutag: Request) -> None:
    request = replace(request_for_mutag, graphs=30, trials=1)
    study = request.study("signal")
    store_measurements(study, request.results, 1)
    rows = signal.rows(request, study)
    plain = select(rows, backbone="gcn", series="none")
    assert len(plain) == 30
    assert max(float(row["normalised_resistance"]) for row in plain) == 1
    falling = [{**row, "heard": -float(row["total_resistance"])} for row in plain]
    assert signal.correlation(falling) < -0.99
    assert signal.correlation([{**row, "heard": 1.0} for row in plain]) == 0
    assert signal.correlation([{**row, "total_resistance": 2.0} for row in plain]) == 0
    panels = [axes for axes in signal.draw(rows, Sheet()).axes if axes.get_visible()]
    assert {axes.get_xscale() for axes in panels} == {"log"}
    assert {axes.get_ylim()[0] for axes in panels} == {0}
    assert {row["series"] for row in select(rows, backbone="gin")} == {
        "none",
        "digl",
        "sdrf",
        "fosr",
        "borf",
        "gtr",
        "all-wide",
        "panda",
    }


def test_resistances_are_shares_of_the_largest_however_small(
    request_for_mutag: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Graphs of one edge have a total resistance of 1, and a denser world has less."""
    study = request_for_mutag.study("signal")
    values = {
        "graph": [[4, 7, 9]],
        "total_resistance": [[0.25, 0.5, 0.0]],
        "heard": [[1.0, 2.0, 3.0], [3.0, 6.0, 3.0]],
        "signal": [[0.0, 0.0, 1.0], [0.0, 2.0, 1.0]],
    }
    monkeypatch.setattr(Request, "values", lambda self, study: [(study.cells[0], values)])
    rows = signal.rows(request_for_mutag, study)
    assert [row["graph"] for row in rows] == [4, 7, 9]
    assert [row["normalised_resistance"] for row in rows] == [0.5, 1.0, 0.0]
    assert [row["heard"] for row in rows] == [2.0, 4.0, 3.0]
    assert [row["signal"] for row in rows] == [0.0, 1.0, 1.0]


def test_correlation_in_closed_form() -> None:
    rows: list[CsvRow] = [
        {"total_resistance": x, "heard": y, "signal": -x}
        for x, y in ((1.0, 2.0), (2.0, 1.0), (3.0, 4.0), (6.0, 3.0))
    ]
    # deviations -2, -1, 0, 3 and -0.5, -1.5, 1.5, 0.5: 4 / sqrt(14 * 5)
    assert signal.correlation(rows) == pytest.approx(4 / math.sqrt(70), rel=1e-12)
    assert signal.correlation(rows, "signal") == pytest.approx(-1, rel=1e-12)


def test_interval_of_a_correlation() -> None:
    """artanh 0.5 = 0.5493; with 103 pairs the error is 1/10: tanh(0.5493 -+ 0.196)."""
    assert signal.correlation_interval(0.5, 103) == pytest.approx((0.3393, 0.6323), abs=1e-4)
    assert signal.correlation_interval(0.5, 3) == (-1, 1)
    assert signal.correlation_interval(0.0, 4) == pytest.approx((-0.9611, 0.9611), abs=1e-4)
    assert signal.correlation_interval(1.0, 10)[1] == pytest.approx(1)


def test_bins_by_hand() -> None:
    """Ten graphs in eight bins: two of two graphs, then six of one, by rising resistance."""
    heard = [5.0, 1.0, 4.0, 2.0, 8.0, 7.0, 3.0, 9.0, 6.0, 0.0]
    rows: list[CsvRow] = [
        {"normalised_resistance": (9 - i) / 9, "heard": value, "trials": 3}
        for i, value in enumerate(heard)
    ]
    bins = signal._binned("none", rows)
    assert [row["heard"] for row in bins] == pytest.approx([3.0, 6.0, 7.0, 8.0, 2.0, 4.0, 1.0, 5.0])
    assert [row["resistance"] for row in bins] == pytest.approx(
        [0.5 / 9, 2.5 / 9, 4 / 9, 5 / 9, 6 / 9, 7 / 9, 8 / 9, 1.0]
    )
    # of two values a and b the standard error is |a - b| / 2
    assert [row["standard_error"] for row in bins] == pytest.approx([3.0, 3.0] + [0.0] * 6)


def test_the_signal_of_a_graph_is_the_mean_over_trials(request_for_mutag: Request) -> None:
    study = request_for_mutag.study("signal")
    store_measurements(study, request_for_mutag.results, 2)
    cell = study.cells[0]
    config = cell.candidates[0]
    trials = [pretend_values("signal", config, seed) for seed in range(2)]
    rows = signal.rows(request_for_mutag, study)[:3]
    for name in ("heard", "signal"):
        means = [(a + b) / 2 for a, b in zip(trials[0][name], trials[1][name], strict=True)]
        assert [row[name] for row in rows] == pytest.approx(means, rel=1e-12)
    assert [row["normalised_resistance"] for row in rows] == pytest.approx(
        [(3 * graph + 1) / (3 * 125 + 1) for graph in (0, 62, 125)]
    )
