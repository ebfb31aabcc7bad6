"""Panels: how many stand in a row, what hides what, and files of every format."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from panda_gnn.errors import InputError
from panda_gnn.reports.drawing.panels import (
    CsvRow,
    Panel,
    blank_panels,
    draw_panels,
    pairs_in_rows,
    panel_columns,
    write_figure,
)
from panda_gnn.reports.drawing.style import (
    CAPTION_POINTS,
    PANEL_HEIGHT,
    SERIES_STYLES,
    TEMPLATES,
    Sheet,
)


def rows(**trials: int) -> list[CsvRow]:
    return [
        {"series": name, "x": 10.0**place, "y": place, "standard_error": 0.1, "trials": count}
        for name, count in trials.items()
        for place in range(3)
    ]


def heights(line: Line2D) -> set[float]:
    return set(np.asarray(line.get_ydata(), dtype=float).tolist())


def test_a_caption_has_room_below_the_panels() -> None:
    caption = "A sentence that is long enough to take several lines of a column. " * 8
    with blank_panels(2, Sheet(caption=caption)) as (figure, axes):
        figure.draw_without_rendering()
        (text,) = figure.texts
        top = text.get_window_extent().y1
        assert top < min(panel.get_tightbbox().y0 for panel in axes)  # type: ignore[union-attr]
        assert top > 0.1 * figure.bbox.height


def test_a_row_of_panels_is_lower_than_one_panel_and_captions_add_their_lines() -> None:
    heights = {}
    for count, columns in ((1, 1), (2, 2), (2, 1), (4, 2)):
        with blank_panels(count, Sheet(), columns=columns) as (figure, _):
            heights[count, columns] = figure.get_figheight() - 0.45
    assert heights[2, 2] < heights[1, 1]
    assert heights[2, 1] == pytest.approx(2 * heights[1, 1])
    assert heights[4, 2] == pytest.approx(2 * heights[2, 2])
    assert heights[1, 1] == pytest.approx(PANEL_HEIGHT)
    with blank_panels(1, Sheet(caption="one\ntwo")) as (figure, _):
        added = figure.get_figheight() - 0.45 - PANEL_HEIGHT
        assert added == pytest.approx((2 * 1.35 * CAPTION_POINTS + 4) / 72)
        figure.draw_without_rendering()
        (text,) = figure.texts
        assert 0 < text.get_window_extent().x0 < text.get_window_extent().x1 < figure.bbox.width


def test_a_wide_figure_has_twice_as_many_columns_of_its_legend() -> None:
    names = list(SERIES_STYLES)[:6]
    panel = Panel("one", rows(**dict.fromkeys(names, 3)), "x", "y")
    shown = [draw_panels([panel] * count, Sheet()).legends[0] for count in (1, 3)]
    assert [legend._ncols for legend in shown] == [3, 6]  # type: ignore[attr-defined]
    nine = Panel("one", rows(**dict.fromkeys(list(SERIES_STYLES)[:9], 3)), "x", "y")
    assert draw_panels([nine] * 3, Sheet()).legends[0]._ncols == 5  # type: ignore[attr-defined]


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


def test_lines_bands_and_levels_are_where_the_rows_are() -> None:
    panel = Panel(
        "one",
        rows(none=3),
        "x",
        "y",
        y_limits=(-1, 4),
        chance=0.5,
        ticks=True,
        references={"none": (2.0, 0.25, "published")},
        error="standard_error",
    )
    axes = draw_panels([panel], Sheet()).axes[0]
    line, level, *caps, chance = axes.get_lines()
    assert np.asarray(line.get_xydata()).tolist() == [[1.0, 0.0], [10.0, 1.0], [100.0, 2.0]]
    assert heights(level) == {2.0}
    assert level.get_label() == "published"
    assert heights(chance) == {0.5}
    assert axes.get_ylim() == (-1, 4)
    assert list(axes.get_xticks()) == [1.0, 10.0, 100.0]
    band, bar = axes.collections
    vertices = np.asarray(band.get_paths()[0].vertices).round(6)
    edge = {(x, y) for x, y in vertices.tolist()}
    assert {(10.0, 0.9), (10.0, 1.1), (100.0, 1.9), (100.0, 2.1)} <= edge
    assert isinstance(bar, LineCollection)
    (low, high), *_ = bar.get_segments()  # the interval of the level, right of the lines
    assert (low[1], high[1]) == (1.75, 2.25)
    assert low[0] == high[0] > 100
    assert all(heights(cap) <= {1.75, 2.25} for cap in caps)


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([20.0, 60.0], ["20", "50"]),
        ([0.2, 3.0], ["0.2", "0.5", "1", "2"]),
        ([1.0, 2000.0], None),
        ([0.001, 2.0], None),
    ],
)
def test_logarithmic_axes_have_ticks_that_can_be_read(
    values: list[float], ticks: list[str] | None
) -> None:
    rows: list[CsvRow] = [
        {"series": "none", "x": x, "y": 1.0, "standard_error": 0.0, "trials": 3} for x in values
    ]
    axes = draw_panels(
        [Panel("one", rows, "x", "y", x_logarithmic=True, ticks=False)], Sheet()
    ).axes[0]
    assert axes.get_xscale() == "log"
    labels = [label.get_text() for label in axes.get_xticklabels()]
    assert not any(label.get_text() for label in axes.get_xticklabels(minor=True))
    if ticks is None:
        assert any("10^" in label for label in labels)
    else:
        assert labels == ticks


def test_labels_and_titles() -> None:
    panels = [Panel("one", rows(none=count), "x", "y", y_label="upwards") for count in (1, 2, 3, 9)]
    axes = draw_panels(panels, Sheet(), columns=2, y_labels_once=True).axes
    assert [one.get_ylabel() for one in axes] == ["upwards", "", "upwards", ""]
    assert [one.get_title() for one in axes] == ["one\n(1 trial)", "one\n(2 trials)", "one", "one"]
    every = draw_panels(panels, Sheet(), columns=2).axes
    assert [one.get_ylabel() for one in every] == ["upwards"] * 4
    mixed = Panel("one", rows(none=1, panda=2, fosr=3), "x", "y")
    assert draw_panels([mixed], Sheet()).axes[0].get_title() == "one\n(hollow: 1 or 2 trials)"


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


def test_intervals_as_bars_stand_side_by_side_and_the_level_has_its_own_at_the_right() -> None:
    table = [{**row, "x": place % 3} for place, row in enumerate(rows(none=3, panda=3))]
    panel = Panel("one", table, "x", "y", bars=True, references={"panda": (1.0, 0.5, "plain")})
    figure = draw_panels([panel], Sheet())
    axes = figure.axes[0]
    drawn = [bars for bars in axes.collections if isinstance(bars, LineCollection)]
    bars = [collection.get_segments() for collection in drawn]
    assert [len(segments) for segments in bars] == [3, 3, 1]
    first, second, level = ([float(low[0]) for low, _ in segments] for segments in bars)
    assert all(left < right for left, right in zip(first, second, strict=True))
    middles = [(left + right) / 2 for left, right in zip(first, second, strict=True)]
    assert middles == pytest.approx([0, 1, 2])
    assert level[0] > max(second)
    assert [tuple(end) for end in bars[2][0]] == [(level[0], 0.5), (level[0], 1.5)]
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["no rewiring", "PANDA", "plain"]


@pytest.mark.parametrize(("span", "ticks"), [(7, [1, 2, 5]), (50, [1, 3, 10, 30])])
def test_a_short_logarithmic_axis_has_ticks_with_room_between_them(
    span: int, ticks: list[float]
) -> None:
    table = [{**row, "x": span ** (place / 2)} for place, row in enumerate(rows(none=3))]
    panel = Panel("one", table, "x", "y", ticks=False, x_logarithmic=True)
    axis = draw_panels([panel], Sheet()).axes[0]
    assert list(axis.get_xticks()) == ticks
    assert [text.get_text() for text in axis.get_xticklabels()] == [f"{tick:g}" for tick in ticks]
    assert not any(text.get_text() for text in axis.get_xticklabels(minor=True))
