"""Panels: how many stand in a row, what hides what, and files of every format."""

from __future__ import annotations

from pathlib import Path

import pytest

from panda_gnn.errors import InputError
from panda_gnn.reports.drawing.panels import (
    CsvRow,
    Panel,
    draw_panels,
    pairs_in_rows,
    panel_columns,
    write_figure,
)
from panda_gnn.reports.drawing.style import TEMPLATES, Sheet


def rows(**trials: int) -> list[CsvRow]:
    return [
        {"series": name, "x": 10.0**place, "y": place, "standard_error": 0.1, "trials": count}
        for name, count in trials.items()
        for place in range(3)
    ]


def test_no_place_stays_empty_where_that_can_be() -> None:
    assert [panel_columns(count) for count in (1, 2, 3, 4, 6)] == [1, 2, 3, 2, 3]
    assert [pairs_in_rows(count) for count in (2, 4, 6, 8, 12)] == [2, 2, 2, 4, 4]


def test_widths_are_those_of_the_template() -> None:
    panel = Panel("one", rows(none=3), "x", "y")
    for sheet in TEMPLATES.values():
        assert draw_panels([panel], sheet).get_figwidth() == sheet.column
        assert draw_panels([panel] * 3, sheet).get_figwidth() == sheet.text


def test_few_trials_are_marked_and_the_reference_stays_visible() -> None:
    panel = Panel("one", rows(none=3, panda=2), "x", "y", x_logarithmic=True)
    axes = draw_panels([panel], Sheet()).axes[0]
    plain, panda = axes.get_lines()
    assert axes.get_title() == "one\n(hollow: 2 trials)"
    assert (panda.get_markerfacecolor(), plain.get_markerfacecolor()) == ("white", "#000000")
    assert plain.get_zorder() > panda.get_zorder()
    assert plain.get_linewidth() < panda.get_linewidth()
    assert axes.get_xscale() == "log"
    enough = draw_panels([Panel("one", rows(none=3), "x", "y")], Sheet())
    assert enough.axes[0].get_title() == "one"


def test_files_of_every_format(tmp_path: Path) -> None:
    table = rows(none=3)
    caption = "What is seen.\n$ panda figure"
    figure = draw_panels([Panel("one", table, "x", "y")], Sheet())
    assert [text.get_text() for text in figure.texts] == []
    paths = write_figure(figure, table, tmp_path, "it", caption, ("pdf", "png"))
    assert [path.name for path in paths] == ["it.pdf", "it.png", "it.csv", "it.txt"]
    assert paths[3].read_text() == caption + "\n"
    pdf = paths[0].read_bytes()
    assert b"/FontFile2" in pdf  # a whole TrueType font, not /Type3
    assert b"/Type3" not in pdf
    with_caption = draw_panels([Panel("one", table, "x", "y")], Sheet(caption=caption))
    assert [text.get_text() for text in with_caption.texts] == [caption]
    with pytest.raises(InputError, match="unknown format 'gif': choose one of png, svg, pdf"):
        write_figure(figure, table, tmp_path, "it", caption, ("gif",))
