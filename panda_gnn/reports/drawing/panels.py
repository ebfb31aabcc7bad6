"""Panels of lines with bands, and how a figure is written: PNG, SVG and the CSV behind them."""

from __future__ import annotations

import csv
import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from panda_gnn.errors import InputError, require
from panda_gnn.reports.drawing.style import (
    CAPTION_POINTS,
    COLUMN_WIDTH,
    GREY,
    PANEL_HEIGHT,
    SERIES_STYLES,
    STYLE,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: A line of the CSV behind a figure.
CsvRow = Mapping[str, str | int | float]


@dataclass(frozen=True)
class Panel:
    """A panel of lines: which columns of which rows it shows, and its axes.

    Attributes:
        title: What is written above it.
        rows: The rows; ``series`` says which line each belongs to.
        x: The column that is drawn along.
        y: The column that is drawn upwards.
        error: The column of half the width of the band; an empty cell is none.
        x_label: What is written below; the name of the column if empty.
        y_label: What is written at the side; the name of the column if empty.
        ticks: Whether every value of x, and no other, has a tick.
        logarithmic: Whether y is.
        y_limits: The ends of y; ``None`` where the lines decide.
        percent: Whether y ends at 0 and 100 at the latest, however wide the bands are.
        references: A level, and its label, that is drawn dotted in the colour of a series.
        chance: A level that is drawn dotted in grey.
    """

    title: str
    rows: Sequence[CsvRow]
    x: str
    y: str
    error: str = "standard_error"
    x_label: str = ""
    y_label: str = ""
    ticks: bool = True
    logarithmic: bool = False
    y_limits: tuple[float | None, float | None] | None = None
    percent: bool = False
    references: Mapping[str, tuple[float, str]] = field(default_factory=dict)
    chance: float | None = None


def draw_panels(
    panels: Sequence[Panel],
    caption: str,
    *,
    columns: int | None = None,
    y_labels_once: bool = False,
    legend_columns: int = 3,
) -> Figure:
    """Draw all panels above their caption and below one legend.

    Args:
        panels: The panels, row by row.
        caption: What is written below.
        columns: Panels in a row, two in the width of a paper's column; if omitted, one to three
            panels that are wider than that.
        y_labels_once: Whether only the first panel of a row says what is drawn upwards.
        legend_columns: Series in a row of the legend.
    """
    width = {2: 1.0, 4: 2.1}.get(columns or 0, 1.0)
    if columns is None:
        columns = 3 if len(panels) > 4 else min(2, len(panels))
        width = max(1.0, columns / 1.5)
    size = width * COLUMN_WIDTH
    with blank_panels(len(panels), caption, columns=columns, width=size) as (figure, axes):
        for number, panel in enumerate(panels):
            _draw_panel(panel, axes[number])
            if not y_labels_once or number % columns == 0:
                axes[number].set_ylabel(panel.y_label or panel.y)
        shared_legend(figure, axes, legend_columns)
        return figure


def _draw_panel(panel: Panel, axes: Axes) -> None:
    for series in distinct(panel.rows, "series"):
        line = select(panel.rows, series=series)
        _draw_line(
            axes,
            series,
            [float(row[panel.x]) for row in line],
            [float(row[panel.y]) for row in line],
            [float(row[panel.error] or 0.0) for row in line],
        )
        if series in panel.references:
            level, label = panel.references[series]
            colour = SERIES_STYLES[series].colour
            axes.axhline(level, color=colour, linestyle=":", linewidth=1.0, label=label)
    if panel.chance is not None:
        axes.axhline(panel.chance, color=GREY, linewidth=0.6, linestyle=":")
    if panel.logarithmic:
        axes.set_yscale("log")
    if panel.y_limits is not None:
        axes.set_ylim(*panel.y_limits)
    if panel.percent:
        percent_axis(axes)
    if panel.ticks:
        axes.set_xticks(sorted({float(row[panel.x]) for row in panel.rows}))
    axes.set_title(panel.title)
    axes.set_xlabel(panel.x_label or panel.x)


def distinct(rows: Sequence[CsvRow], column: str) -> list[str]:
    """The values of a column, each once, in the order of the rows."""
    return list(dict.fromkeys(str(row[column]) for row in rows))


def select(rows: Sequence[CsvRow], **values: str) -> list[CsvRow]:
    """The rows with these values."""
    return [row for row in rows if all(row[key] == value for key, value in values.items())]


@contextmanager
def blank_panels(
    count: int, caption: str, *, columns: int = 2, width: float = COLUMN_WIDTH
) -> Iterator[tuple[Figure, list[Axes]]]:
    """An empty figure with ``count`` panels above its caption, in the style of all figures."""
    matplotlib = require("matplotlib", "plot")
    module = require("matplotlib.figure", "plot")
    columns = min(columns, count)
    rows = math.ceil(count / columns)
    letters = int(width * 72 / (CAPTION_POINTS * 0.545))
    lines = [line for part in caption.split("\n") for line in textwrap.wrap(part, letters)]
    below = (len(lines) * CAPTION_POINTS * 1.35 + 4) / 72
    height = 0.45 + rows * PANEL_HEIGHT * (0.85 if columns > 1 else 1.0)
    with matplotlib.rc_context(STYLE):
        figure = module.Figure(figsize=(width, height + below), layout="constrained")
        share = below / (height + below)
        figure.get_layout_engine().set(rect=(0, share, 1, 1 - share), w_pad=0.03, h_pad=0.03)
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
) -> None:
    """One series with a band of one standard error, or whatever ``error`` is."""
    line = SERIES_STYLES[name]
    axes.plot(
        x,
        y,
        line.dashes,
        color=line.colour,
        marker=line.marker,
        label=line.label,
        markeredgecolor="white" if line.marker not in "12" else None,
        markeredgewidth=0.3 if line.marker not in "12" else 1.0,
        markersize=6 if line.marker == "*" else None,
    )
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
            handles.setdefault(label, handle)
    figure.legend(
        list(handles.values()),
        list(handles),
        loc="outside upper center",
        ncols=min(columns, len(handles)),
    )


def write_figure(
    figure: Figure, rows: Sequence[CsvRow], folder: Path, name: str, caption: str
) -> list[Path]:
    """Write ``name.png``, ``name.svg`` and ``name.csv``; the same input gives the same bytes."""
    matplotlib = require("matplotlib", "plot")
    paths = [folder / f"{name}.{ending}" for ending in ("png", "svg", "csv")]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with matplotlib.rc_context(STYLE):
            figure.savefig(
                paths[0], dpi=300, metadata={"Description": caption, "Software": "panda-gnn"}
            )
            figure.savefig(paths[1], metadata={"Description": caption, "Date": None})
        write_csv(rows, paths[2])
    except OSError as error:
        raise InputError(
            f"the figure cannot be written to '{folder}' ({error.strerror})"
        ) from error
    return paths


def write_csv(rows: Sequence[CsvRow], path: Path) -> None:
    """Write rows, numbers with six digits."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(rows[0])
        for row in rows:
            writer.writerow(
                f"{value:.6g}" if isinstance(value, float) else value for value in row.values()
            )
