"""How series look."""

from __future__ import annotations

from panda_gnn.evaluation.study import load_study
from panda_gnn.reports.drawing.style import SERIES_STYLES
from panda_gnn.reports.figures.request import series


def test_every_figure_has_a_line_for_every_series() -> None:
    """No series is drawn twice the same: colour, marker and dashes together tell them apart."""
    looks = {(line.colour, line.marker, line.dashes) for line in SERIES_STYLES.values()}
    for name in ("energy", "sensitivity-width", "sensitivity-method", "signal"):
        study = load_study(name).select(["mutag"], ["gcn"])
        compared = [series(cell) for cell in study.cells]
        assert set(compared) <= set(SERIES_STYLES)
        methods = [SERIES_STYLES[series] for series in compared]
        assert len({(line.colour, line.marker, line.dashes) for line in methods}) == len(methods)
    assert len(looks) >= 18


def test_no_two_series_of_a_figure_share_a_colour() -> None:
    for name in ("energy", "sensitivity-method", "signal", "hub"):
        named = (lambda cell: cell.line.method) if name == "hub" else series
        compared = {named(cell) for cell in load_study(name).cells}
        assert len({SERIES_STYLES[name].colour for name in compared}) == len(compared)
