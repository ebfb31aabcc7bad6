"""Small tables of a report: the same in the terminal and on a page."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rich.console import Console, Group, RenderableType
from rich.text import Text

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

    def without_last(self) -> Grid:
        """The table without its last column, of sentences for which a terminal has no room."""
        return replace(self, columns=self.columns[:-1], rows=[row[:-1] for row in self.rows])


def print_lead(console: Console, title: str, lead: str, sentences: Sequence[str]) -> None:
    """Print how a report begins: its title, a line below it, and what to know."""
    console.print(Text(title, style="bold"))
    console.print(Text(lead, style="dim"))
    print_list(console, sentences)
    console.print()


def print_list(console: Console, sentences: Sequence[str]) -> None:
    """Print sentences, each on a line of its own."""
    for sentence in sentences:
        console.print(Text(f"• {sentence}"))


def as_text(grid: Grid) -> RenderableType:
    """The table for the terminal; where it is too wide, names are wrapped and no number is cut."""
    table = text_table(grid.columns, ([Text(cell) for cell in row] for row in grid.rows))
    table.columns[0].no_wrap = False
    return Group(Text(grid.title, style="bold"), Text(grid.about, style="dim"), table)


def as_html(grid: Grid, shaded: int | None = None) -> str:
    """The table for a page; from column ``shaded`` on, cells have the more colour the larger their
    number, on a logarithmic scale."""
    words = len(grid.columns) - 1 if grid.ends_in_words else None
    head = "".join(
        f'<th scope="col"{_kind("text", place == words)}>{html.escape(column)}</th>'
        for place, column in enumerate(grid.columns)
    )
    values = [_logarithm(cell) for row in grid.rows for cell in row[shaded:]] if shaded else []
    known = [value for value in values if math.isfinite(value)]
    rows = []
    for row in grid.rows:
        cells = []
        for place, cell in enumerate(row):
            style = _kind("wrap", place == words)
            if shaded is not None and place >= shaded:
                value = _logarithm(cell)
                style = ' class="nothing"' if math.isnan(value) else _shade(value, known)
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


def _shade(value: float, known: Sequence[float]) -> str:
    """A transparent colour, which is as readable on a dark page as on a light one."""
    low, high = min(known), max(known)
    share = (value - low) / (high - low) if high > low else 0.5
    return f' style="background:rgba(230,159,0,{0.45 * share:.2f})"'
