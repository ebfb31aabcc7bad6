"""How all figures look, and how they are written: PNG, SVG and the CSV behind them."""

from __future__ import annotations

import csv
import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from panda_gnn.errors import InputError, require

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Cell = str | int | float
Row = Mapping[str, Cell]

COLUMN_WIDTH = 3.3
"""Inches: the width of a column of a two-column paper, at which every figure must be legible."""
PANEL_HEIGHT = 2.0
POINTS = 7.0
"""The size of letters."""
CAPTION_POINTS = 6.0

#: Okabe and Ito's colours, which people of every kind of colour vision can tell apart.
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, VERMILION, PURPLE = "#F0E442", "#0072B2", "#D55E00", "#CC79A7"
GREY = "#767676"

STYLE = {
    "font.size": POINTS,
    "font.family": "DejaVu Sans",
    "axes.titlesize": POINTS,
    "axes.labelsize": POINTS,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#E4E4E4",
    "grid.linewidth": 0.5,
    "xtick.labelsize": POINTS - 0.5,
    "ytick.labelsize": POINTS - 0.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.fontsize": POINTS - 0.5,
    "legend.frameon": False,
    "legend.handlelength": 2.0,
    "legend.columnspacing": 1.0,
    "lines.linewidth": 1.2,
    "lines.markersize": 3.5,
    "svg.hashsalt": "panda-gnn",
    "svg.fonttype": "path",
}


@dataclass(frozen=True)
class Line:
    """How one series looks: told apart by colour, marker and dashes, never by colour alone."""

    label: str
    colour: str
    marker: str
    dashes: str = "-"


#: Every series of every figure, by its name in the CSV.
LINES: Mapping[str, Line] = {
    "none": Line("no rewiring", BLACK, "o"),
    "residual": Line("with residual", GREY, "o", "--"),
    "digl": Line("DIGL", YELLOW, "v", "-."),
    "sdrf": Line("SDRF", GREEN, "^", "--"),
    "fosr": Line("FoSR", ORANGE, "s", "--"),
    "borf": Line("BORF", PURPLE, "D", "-."),
    "gtr": Line("GTR", SKY, "P", ":"),
    "ct-layer": Line("CT-Layer", GREY, "X", ":"),
    "last-fa": Line("FA, last layer", GREY, "1", ":"),
    "every-fa": Line("FA, every layer", GREY, "2", "--"),
    "all-wide": Line("all nodes wide", BLUE, "d", ":"),
    "panda": Line("PANDA", VERMILION, "*"),
    "equal-width": Line("two kinds, one width", PURPLE, "h", ":"),
    "panda-plain": Line("PANDA, no residual", VERMILION, "*", "--"),
    "p=16": Line("p = 16", "#A6CEE8", "v"),
    "p=32": Line("p = 32", SKY, "^"),
    "p=64": Line("p = 64", BLUE, "o"),
    "p=128": Line("p = 128", "#003F63", "s"),
    "p=256": Line("p = 256", BLACK, "D"),
    "gcn": Line("GCN", BLACK, "o"),
    "gin": Line("GIN", BLUE, "s"),
    "panda-gcn": Line("PANDA-GCN", VERMILION, "*"),
    "panda-gin": Line("PANDA-GIN", BLUE, "P"),
}


@contextmanager
def panels(
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


def draw_line(
    axes: Axes,
    name: str,
    x: Sequence[float],
    y: Sequence[float],
    error: Sequence[float] | None = None,
) -> None:
    """One series with a band of one standard error, or whatever ``error`` is."""
    line = LINES[name]
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
    if error is not None:
        low = [value - wide for value, wide in zip(y, error, strict=True)]
        high = [value + wide for value, wide in zip(y, error, strict=True)]
        axes.fill_between(x, low, high, color=line.colour, alpha=0.15, linewidth=0)


def accuracy_axis(panel: Axes) -> None:
    """Keep wide intervals from showing accuracies that cannot be."""
    low, high = panel.get_ylim()
    panel.set_ylim(max(0.0, low), min(100.0, high))


def shared_legend(figure: Figure, axes: Sequence[Axes], columns: int = 3) -> None:
    """One legend above all panels, each label once."""
    found: dict[str, Any] = {}
    for panel in axes:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    figure.legend(
        list(found.values()),
        list(found),
        loc="outside upper center",
        ncols=min(columns, len(found)),
    )


def write(figure: Figure, rows: Sequence[Row], folder: Path, name: str, caption: str) -> list[Path]:
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


def write_csv(rows: Sequence[Row], path: Path) -> None:
    """Write rows, numbers with six digits."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(rows[0])
        for row in rows:
            writer.writerow(
                f"{value:.6g}" if isinstance(value, float) else value for value in row.values()
            )
