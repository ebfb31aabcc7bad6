"""The molecule with its high nodes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from panda_gnn.reports.figures import Request, make_figure
from tests.reports.figures.pretend import csv_rows


def test_molecule(request_for_mutag: Request, tmp_path: Path) -> None:
    paths = make_figure("molecule", replace(request_for_mutag, datasets=(), graphs=None), tmp_path)
    assert paths[0].name == "molecule.png"
    widths = [row["width"] for row in csv_rows(paths[2])]
    assert (widths.count("112"), widths.count("64")) == (10, 7)
