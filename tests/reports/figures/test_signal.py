"""The figure of signal propagation."""

from __future__ import annotations

from dataclasses import replace

from panda_gnn.reports.drawing.panels import select
from panda_gnn.reports.figures import Request, signal
from tests.reports.figures.pretend import store_measurements


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
