"""The figure of the Dirichlet energy."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from panda_gnn.errors import InputError
from panda_gnn.reports.figures import Request, energy, figure_study, make_figure
from tests.reports.figures.pretend import csv_rows, pretend_values, store_measurements


def test_energy(request_for_mutag: Request, tmp_path: Path) -> None:
    request = replace(request_for_mutag, graphs=20)
    study = figure_study("energy", request)
    assert study is not None
    store_measurements(study, request.results, 2)
    rows = csv_rows(make_figure("energy", request, tmp_path)[2])
    assert {row["layer"] for row in rows} == {"0", "1", "2", "3", "4", "5"}
    assert len(rows) == 10 * 6
    assert all(0 <= float(row["relative_energy"]) <= 2 for row in rows)
    with pytest.raises(InputError, match="at least 10"):
        figure_study("energy", request_for_mutag)


def test_one_trial_has_no_error(request_for_mutag: Request, tmp_path: Path) -> None:
    request = replace(request_for_mutag, graphs=20, trials=1)
    study = figure_study("energy", request)
    assert study is not None
    store_measurements(study, request.results, 1)
    rows = csv_rows(make_figure("energy", request, tmp_path)[2])
    assert {row["energy_error"] for row in rows} == {"0"}


def test_both_energies_have_their_mean_and_standard_error(request_for_mutag: Request) -> None:
    """Of two trials a and b the mean is (a + b) / 2 and its standard error |a - b| / 2."""
    request = replace(request_for_mutag, graphs=20)
    study = request.study("energy")
    store_measurements(study, request.results, 2)
    rows = energy.rows(request, study)[:6]
    trials = [pretend_values("energy", study.cells[0].candidates[0], seed) for seed in range(2)]
    for name, error in (("energy", "energy_error"), ("relative_energy", "relative_error")):
        for row, a, b in zip(rows, *(values[name] for values in trials), strict=True):
            assert row[name] == pytest.approx((a + b) / 2, rel=1e-6)
            assert row[error] == pytest.approx(abs(a - b) / 2, rel=1e-4)
