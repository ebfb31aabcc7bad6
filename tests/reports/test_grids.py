"""Small tables: nothing is cut in a narrow terminal, and shades that any page can carry."""

from __future__ import annotations

import re

from rich.console import Console

from panda_gnn.reports.grids import Grid, as_html, as_text

GRID = Grid(
    "What would change",
    "Numbers.",
    ("change", "edges", "total resistance", "spectral gap", "all pairs", "far pairs"),
    [("PANDA without high nodes: GCN with its residual", "19", "316", "0.0686", "0.951", "0.0202")],
)


def test_a_narrow_terminal_wraps_names_and_cuts_no_number() -> None:
    for width in (80, 120):
        console = Console(width=width)
        with console.capture() as captured:
            console.print(as_text(GRID))
        text = captured.get()
        assert "…" not in text
        assert all(cell in text for cell in GRID.rows[0][1:])
        assert "residual" in text


def test_shades_grow_with_the_logarithm_and_leave_zero_without() -> None:
    grid = Grid("Shades", "", ("hops", "one", "two"), [("0", "0.01", "0.1"), ("1", "1", "0")])
    page = as_html(grid, shaded=1)
    assert re.findall(r"rgba\(230,159,0,([\d.]+)\)", page) == ["0.00", "0.23", "0.45"]
    assert '<td class="nothing">0</td>' in page
    assert "<td>1</td>" in page  # the first column has no shade
    assert "style" not in as_html(grid)
