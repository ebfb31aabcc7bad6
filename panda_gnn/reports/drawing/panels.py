"""Panels of lines with bands, and how a figure is written: pictures, CSV and caption."""

from __future__ import annotations

import csv
import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from panda_gnn.errors import InputError, choose, require
from panda_gnn.reports.drawing.style import (
    CAPTION_POINTS,
    GREY,
    PANEL_HEIGHT,
    PICTURES,
    SERIES_STYLES,
    STYLE,
    Sheet,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Figure
else:  # an extra, which is loaded when something is drawn
    Figure = Any

#: A line of the CSV behind a figure.
CsvRow = Mapping[str, str | int | float]

#: Means of fewer trials are marked in the picture.
FEW_TRIALS = 3

#: How the bar of an interval looks.
BAR: Mapping[str, Any] = {"elinewidth": 0.8, "capsize": 1.5, "capthick": 0.8, "zorder": 1}

#: The series that others are compared with, drawn thinly on top so that none of them hides it.
REFERENCE = "none"


@dataclass(frozen=True)
class Panel:
    """A panel of lines: which columns of which rows it shows, and its axes.

    Attributes:
        title: What is written above it.
        rows: The rows; ``series`` says which line each belongs to.
        x: The column that is drawn along.
        y: The column that is drawn upwards.
        error: The column of half the width of the band; an empty cell is none.
        bars: Whether bars stand in for bands, so that wide intervals do not cover each other.
        x_label: What is written below; the name of the column if empty.
        y_label: What is written at the side; the name of the column if empty.
        ticks: Whether every value of x, and no other, has a tick.
        logarithmic: Whether y is.
        x_logarithmic: Whether x is, where all its values are above 0.
        y_limits: The ends of y; ``None`` where the lines decide.
        percent: Whether y ends at 0 and 100 at the latest, however wide the bands are.
        references: A level, half the width of its interval and its label, by the series in whose
            colour it is drawn dotted, with the interval as a bar at the right.
        chance: A level that is drawn dotted in grey.
    """

    title: str
    rows: Sequence[CsvRow]
    x: str
    y: str
    error: str = "standard_error"
    bars: bool = False
    x_label: str = ""
    y_label: str = ""
    ticks: bool = True
    logarithmic: bool = False
    x_logarithmic: bool = False
    y_limits: tuple[float | None, float | None] | None = None
    percent: bool = False
    references: Mapping[str, tuple[float, float, str]] = field(default_factory=dict)
    chance: float | None = None


def draw_panels(
    panels: Sequence[Panel],
    sheet: Sheet,
    *,
    columns: int | None = None,
    y_labels_once: bool = False,
    legend_columns: int = 3,
) -> Figure:
    """Draw all panels below one legend.

    Args:
        panels: The panels, row by row.
        sheet: What they are drawn on.
        columns: Panels in a row; one to three if omitted, so that few places stay empty.
        y_labels_once: Whether only the first panel of a row says what is drawn upwards.
        legend_columns: Series in a row of the legend, on a column of text.
    """
    count = len(panels)
    columns = columns or panel_columns(count)
    with blank_panels(count, sheet, columns=columns) as (figure, axes):
        for number, panel in enumerate(panels):
            _draw_panel(panel, axes[number])
            if not y_labels_once or number % columns == 0:
                axes[number].set_ylabel(panel.y_label or panel.y)
        shared_legend(figure, axes, legend_columns)
        return figure


def panel_columns(count: int) -> int:
    """Panels in a row, so that few places stay empty."""
    return min(2 if count in (2, 4) else 3, count)


def pairs_in_rows(count: int) -> int:
    """Panels in a row where they come in pairs: two pairs where that fills all rows."""
    return 4 if count > 4 and count % 4 == 0 else 2


def _draw_panel(panel: Panel, axes: Axes) -> None:
    few = set_title(axes, panel.title, panel.rows)
    names = distinct(panel.rows, "series")
    places = [float(row[panel.x]) for row in panel.rows]
    step = 0.02 * (max(places) - min(places)) or 0.02
    for number, series in enumerate(names):
        line = select(panel.rows, series=series)
        aside = step * (number - (len(names) - 1) / 2) if panel.bars else 0.0
        _draw_line(
            axes,
            series,
            [float(row[panel.x]) + aside for row in line],
            [float(row[panel.y]) for row in line],
            [float(row[panel.error] or 0.0) for row in line],
            hollow=series in few,
            bars=panel.bars,
        )
        if series in panel.references:
            level, half, label = panel.references[series]
            colour = SERIES_STYLES[series].colour
            axes.axhline(level, color=colour, linestyle=":", linewidth=1.0, label=label)
            if half:
                right = max(places) + step * (4 + number)
                bar = axes.errorbar(right, level, half, color=colour, fmt="none", **BAR)
                bar.lines[2][0].set_linestyle(":")
    if panel.chance is not None:
        axes.axhline(panel.chance, color=GREY, linewidth=0.6, linestyle=":")
    if panel.logarithmic:
        axes.set_yscale("log")
    if panel.x_logarithmic and all(float(row[panel.x]) > 0 for row in panel.rows):
        _logarithmic_x(axes)
    if panel.y_limits is not None:
        axes.set_ylim(*panel.y_limits)
    if panel.percent:
        percent_axis(axes)
    if panel.ticks:
        axes.set_xticks(sorted({float(row[panel.x]) for row in panel.rows}))
    axes.set_xlabel(panel.x_label or panel.x)


def set_title(axes: Axes, title: str, rows: Sequence[CsvRow]) -> set[str]:
    """Write the title, with a line where means are of few trials; returns the series that are."""
    counts = {int(row["trials"]) for row in rows if "trials" in row}
    few = sorted(count for count in counts if count < FEW_TRIALS)
    if few:
        text = " or ".join(str(count) for count in few) + (" trial" if few == [1] else " trials")
        title += f"\n(hollow: {text})" if max(counts) >= FEW_TRIALS else f"\n({text})"
    axes.set_title(title)
    return {str(row["series"]) for row in rows if "series" in row and int(row["trials"]) in few}


def _logarithmic_x(axes: Axes) -> None:
    """A logarithmic axis whose ticks can be read where it has less than two powers of ten."""
    ticker = require("matplotlib.ticker", "plot")
    axes.set_xscale("log")
    axes.xaxis.set_minor_formatter(ticker.NullFormatter())
    low, high = axes.get_xlim()
    if high < 100 * low:
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        steps = (1, 2, 5) if high < 20 * low else (1, 3)
        ticks = [step * 10.0**power for power in powers for step in steps]
        ticks = [tick for tick in ticks if low <= tick <= high]
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])


def distinct(rows: Sequence[CsvRow], column: str) -> list[str]:
    """The values of a column, each once, in the order of the rows."""
    return list(dict.fromkeys(str(row[column]) for row in rows))


def select(rows: Sequence[CsvRow], **values: str) -> list[CsvRow]:
    """The rows with these values."""
    return [row for row in rows if all(row[key] == value for key, value in values.items())]


@contextmanager
def blank_panels(
    count: int, sheet: Sheet, *, columns: int | None = None
) -> Iterator[tuple[Figure, list[Axes]]]:
    """An empty figure with ``count`` panels in the style of all figures, above the sheet's caption.

    It is as wide as a column of text, or as the whole text from three panels in a row on.
    """
    matplotlib = require("matplotlib", "plot")
    module = require("matplotlib.figure", "plot")
    columns = min(columns or panel_columns(count), count)
    width = sheet.column if columns < 3 else sheet.text
    rows = math.ceil(count / columns)
    letters = int(width * 72 / (CAPTION_POINTS * 0.545))
    lines = [line for part in sheet.caption.split("\n") for line in textwrap.wrap(part, letters)]
    below = (len(lines) * CAPTION_POINTS * 1.35 + 4) / 72 if lines else 0.0
    height = 0.45 + rows * PANEL_HEIGHT * (0.85 if columns > 1 else 1.0)
    with matplotlib.rc_context(STYLE):
        figure = module.Figure(figsize=(width, height + below), layout="constrained")
        share = below / (height + below)
        figure.get_layout_engine().set(
            rect=(0, share, 1, 1 - share), w_pad=0.04, h_pad=0.04, wspace=0.03
        )
        if lines:
            figure.text(
                0.015,
                2 / 72 / (height + below),
                "\n".join(lines),
                fontsize=CAPTION_POINTS,
                color="#404040",
                va="bottom",
                linespacing=1.3,
            )
        axes = list(figure.subplots(rows, columns, squeeze=False).flat)
        for empty in axes[count:]:
            empty.remove()
        yield figure, axes[:count]


def _draw_line(
    axes: Axes,
    name: str,
    x: Sequence[float],
    y: Sequence[float],
    error: Sequence[float],
    *,
    hollow: bool,
    bars: bool,
) -> None:
    """One series with bands, or bars, of one standard error or whatever ``error`` is."""
    line = SERIES_STYLES[name]
    on_top = name == REFERENCE
    strokes = line.marker in "12"
    axes.plot(
        x,
        y,
        line.dashes,
        color=line.colour,
        marker=line.marker,
        label=line.label,
        linewidth=0.7 if on_top else None,
        zorder=3 if on_top else 2,
        markerfacecolor="white" if hollow and not strokes else None,
        markeredgecolor=line.colour if hollow or strokes else "white",
        markeredgewidth=1.0 if strokes else 0.6 if hollow else 0.3,
        markersize=6 if line.marker == "*" else 2.6 if on_top else None,
    )
    if bars:
        axes.errorbar(x, y, error, color=line.colour, fmt="none", **BAR)
        return
    low = [value - wide for value, wide in zip(y, error, strict=True)]
    high = [value + wide for value, wide in zip(y, error, strict=True)]
    axes.fill_between(x, low, high, color=line.colour, alpha=0.15, linewidth=0)


def percent_axis(panel: Axes) -> None:
    """Keep wide intervals from showing accuracies that cannot be."""
    low, high = panel.get_ylim()
    panel.set_ylim(max(0.0, low), min(100.0, high))


def shared_legend(figure: Figure, axes: Sequence[Axes], columns: int = 3) -> None:
    """One legend above all panels, each label once."""
    handles: dict[str, Any] = {}
    for panel in axes:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            # of a point with bars the point alone
            handles.setdefault(label, handle[0] if isinstance(handle, tuple) else handle)
    if figure.get_figwidth() > 5:
        columns *= 2
    rows = max(1, math.ceil(len(handles) / columns))
    figure.legend(
        list(handles.values()),
        list(handles),
        loc="outside upper center",
        ncols=math.ceil(len(handles) / rows),
    )


def write_figure(
    figure: Figure,
    rows: Sequence[CsvRow],
    folder: Path,
    name: str,
    caption: str,
    formats: Sequence[str] = ("png", "svg"),
) -> list[Path]:
    """Write a picture in each format, ``name.csv`` and the caption in ``name.txt``.

    The same input gives the same bytes. Pictures carry the caption as their description.
    """
    matplotlib = require("matplotlib", "plot")
    metadata: dict[str, dict[str, Any]] = {
        "png": {"Description": caption, "Software": "panda-gnn"},
        "svg": {"Description": caption, "Date": None},
        "pdf": {"Subject": caption, "CreationDate": None, "Creator": "panda-gnn"},
    }
    pictures = [folder / f"{name}.{choose('format', ending, PICTURES)}" for ending in formats]
    table, text = folder / f"{name}.csv", folder / f"{name}.txt"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with matplotlib.rc_context(STYLE):
            for path, ending in zip(pictures, formats, strict=True):
                figure.savefig(path, dpi=300, metadata=metadata[ending])
        write_csv(rows, table)
        wrapped = (textwrap.fill(part, 99, break_on_hyphens=False) for part in caption.split("\n"))
        text.write_text("\n".join(wrapped) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"the figure cannot be written to '{folder}' ({error.strerror})"
        ) from error
    return [*pictures, table, text]


def write_csv(rows: Sequence[CsvRow], path: Path) -> None:
    """Write rows, numbers with six digits."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(rows[0])
        for row in rows:
            writer.writerow(
                f"{value:.6g}" if isinstance(value, float) else value for value in row.values()
            )
