"""A diagnosis in the terminal."""

from __future__ import annotations

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from panda_gnn.reports.diagnose.numbers import Diagnosis
from panda_gnn.reports.diagnose.text import graph_numbers, grids, model_in_words, sentences
from panda_gnn.reports.grids import as_text, print_lead
from panda_gnn.reports.table_formats import text_table

TWO_COLUMNS = 100
"""Terminals of at least this width show small tables side by side."""


def print_diagnosis(diagnosis: Diagnosis, console: Console) -> None:
    """Print the report on one page."""
    nodes, edges, layers, distances, remedies = grids(diagnosis)
    print_lead(console, diagnosis.title, model_in_words(diagnosis), sentences(diagnosis))
    parts = [_numbers(diagnosis), as_text(layers), as_text(nodes), as_text(edges)]
    if console.width >= TWO_COLUMNS:
        page = Table.grid(padding=(0, 3))
        page.add_row(Group(*parts[:2]), Group(*parts[2:]))
        console.print(page)
    else:
        console.print(*parts)
    console.print(as_text(distances))
    console.print(as_text(remedies))


def _numbers(diagnosis: Diagnosis) -> RenderableType:
    table = text_table(("", ""), graph_numbers(diagnosis), show_header=False)
    return Group(Text("The graph", style="bold"), table)
