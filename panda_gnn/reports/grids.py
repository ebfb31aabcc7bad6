"""Small tables of a report: the same in the terminal and on a page."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from rich.console import Group, RenderableType
from rich.text import Text

from panda_gnn.reports.drawing.scale import ColourScale
from panda_gnn.reports.table_formats import text_table


@dataclass(frozen=True)
class Grid:
    """A small table: a title, a sentence about it, its columns and rows; the last column may hold
    words rather than numbers."""

    title: str
    about: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    ends_in_words: bool = False


def as_text(grid: Grid) -> RenderableType:
    """The table for the terminal."""
    table = text_table(grid.columns, ([Text(cell) for cell in row] for row in grid.rows))
    return Group(Text(grid.title, style="bold"), Text(grid.about, style="dim"), table)


def as_html(grid: Grid, shaded: int | None = None) -> str:
    """The table for a page; from column ``shaded`` on, cells are the darker the larger their
    number."""
    words = len(grid.columns) - 1 if grid.ends_in_words else None
    head = "".join(
        f'<th scope="col"{_kind("text", place == words)}>{html.escape(column)}</th>'
        for place, column in enumerate(grid.columns)
    )
    scale = _logarithms(grid, shaded) if shaded is not None else None
    rows = []
    for row in grid.rows:
        cells = []
        for place, cell in enumerate(row):
            style = _kind("wrap", place == words)
            if scale is not None and shaded is not None and place >= shaded:
                value = _logarithm(cell)
                colour = f' style="background:{scale(value)}"'
                style = ' class="nothing"' if math.isnan(value) else colour
            cells.append(f"<td{style}>{html.escape(cell)}</td>")
        rows.append(f"<tr>{''.join(cells)}</tr>")
    kind = "shaded" if shaded is not None else "long" if len(grid.columns) > 5 else "short"
    return (
        f'<section class="{kind}"><h2>{html.escape(grid.title)}</h2>'
        f"<p>{html.escape(grid.about)}</p>"
        f'<div class="scroll" tabindex="0" role="region" aria-label="{html.escape(grid.title)}">'
        f"<table><thead><tr>{head}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div></section>"
    )


def _kind(name: str, applies: bool) -> str:
    return f' class="{name}"' if applies else ""


def _logarithm(cell: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        return math.nan
    return math.log10(value) if value > 0 else math.nan


def _logarithms(grid: Grid, shaded: int) -> ColourScale:
    values = torch.tensor([_logarithm(cell) for row in grid.rows for cell in row[shaded:]])
    scale = ColourScale.of(values)
    return ColourScale(scale.low, scale.high, ("#FFFFFF", "#FDEBC0", "#F7C873"))
