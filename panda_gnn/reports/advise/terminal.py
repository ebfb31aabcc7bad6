"""Advice in the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from panda_gnn.evaluation.advice.advice import Advice
from panda_gnn.reports.advise.text import advice_sentences, budget_in_words, scores_grid
from panda_gnn.reports.diagnose.dataset import summary_sentences
from panda_gnn.reports.grids import Grid, as_text


def print_advice(advice: Advice, console: Console) -> None:
    """Print what to try and what not, the scores, and what the graphs look like."""
    console.print(Text(advice.title, style="bold"))
    console.print(Text(budget_in_words(advice), style="dim"))
    for sentence in advice_sentences(advice):
        console.print(Text(f"• {sentence}"))
    console.print()
    if advice.evidence.merits:
        grid = scores_grid(advice)
        rows = [row[:-1] for row in grid.rows]
        console.print(as_text(Grid(grid.title, grid.about, grid.columns[:-1], rows)))
    console.print(Text("The graphs", style="bold"))
    for sentence in summary_sentences(advice.summary):
        console.print(Text(f"• {sentence}"))
