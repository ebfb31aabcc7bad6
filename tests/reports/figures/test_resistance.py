"""The figure of resistance correlation against accuracy."""

from __future__ import annotations

from pathlib import Path

import pytest

from panda_gnn.errors import InputError
from panda_gnn.evaluation.study import load_study
from panda_gnn.reports.figures import Request, figure_study, make_figure, signal
from tests.reports.figures.pretend import csv_rows, store_measurements, store_trials


def test_resistance_reads_the_store(request_for_mutag: Request, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="panda study run main --datasets mutag"):
        figure_study("resistance", request_for_mutag)
    main = load_study("main").select(["mutag"], ["gcn"], ["none", "fosr", "panda"])
    store_trials(main, request_for_mutag.results, ("mutag",), 2)
    study = figure_study("resistance", request_for_mutag)
    assert study is not None
    settings = [dict(cell.candidates[0].settings) for cell in study.cells]
    assert settings[1] == {"iterations": 10, "graphs": 3, "sources": 10}
    assert settings[2]["k"] == 10
    store_measurements(study, request_for_mutag.results, 2)
    rows = csv_rows(make_figure("resistance", request_for_mutag, tmp_path)[2])
    assert [row["series"] for row in rows] == ["none", "fosr", "panda"]
    assert all(-1 <= float(row["correlation"]) <= 1 for row in rows)
    signals = signal.rows(request_for_mutag, study.select(methods=["fosr"]))
    assert float(rows[1]["correlation"]) == pytest.approx(signal.correlation(signals), abs=1e-5)
