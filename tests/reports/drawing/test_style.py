"""How series look."""

from __future__ import annotations

from panda_gnn.evaluation.study import load_study
from panda_gnn.reports.drawing.style import SERIES_STYLES, TEMPLATES, Sheet
from panda_gnn.reports.figures.request import series


def test_widths_of_venues() -> None:
    """Inches of a column and of the text, as the style files have them."""
    assert {name: (sheet.column, sheet.text) for name, sheet in TEMPLATES.items()} == {
        "icml": (3.25, 6.75),
        "neurips": (5.5, 5.5),
        "iclr": (5.5, 5.5),
        "acl": (3.03, 6.3),
        "ieee": (3.5, 7.16),
        "acm": (3.33, 7.0),
        "lncs": (4.8, 4.8),
    }
    assert Sheet() == TEMPLATES["icml"]


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
