"""A diagnosis in the terminal."""

from __future__ import annotations

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from panda_gnn.reports.diagnose.numbers import Diagnosis
from panda_gnn.reports.diagnose.text import Grid, graph_numbers, grids, model_in_words, sentences

TWO_COLUMNS = 100
"""Terminals of at least this width show small tables side by side."""


def print_diagnosis(found: Diagnosis, console: Console) -> None:
    """Print the report on one page."""
    nodes, edges, layers, distances, remedies = grids(found)
    console.print(Text(found.title, style="bold"))
    console.print(Text(model_in_words(found), style="dim"))
    for sentence in sentences(found):
        console.print(Text(f"• {sentence}"))
    console.print()
    parts = [_numbers(found), _rendered(layers), _rendered(nodes), _rendered(edges)]
    if console.width >= TWO_COLUMNS:
        page = Table.grid(padding=(0, 3))
        page.add_row(Group(*parts[:2]), Group(*parts[2:]))
        console.print(page)
    else:
        console.print(*parts)
    console.print(_rendered(distances))
    console.print(_rendered(remedies))


def _numbers(found: Diagnosis) -> RenderableType:
    table = Table(box=box.SIMPLE_HEAD, show_header=False, padding=(0, 1))
    table.add_column()
    table.add_column(justify="right")
    for name, value in graph_numbers(found):
        table.add_row(name, value)
    return Group(Text("The graph", style="bold"), table)


def _rendered(grid: Grid) -> RenderableType:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1))
    for place, column in enumerate(grid.columns):
        table.add_column(column, justify="left" if place == 0 else "right")
    for row in grid.rows:
        table.add_row(*(Text(cell) for cell in row))
    return Group(Text(grid.title, style="bold"), Text(grid.about, style="dim"), table)
