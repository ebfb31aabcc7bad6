"""Advice in the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from panda_gnn.evaluation.advice.advice import Advice
from panda_gnn.reports.advise.text import advice_sentences, budget_in_words, scores_grid
from panda_gnn.reports.diagnose.dataset import summary_sentences
from panda_gnn.reports.grids import as_text, print_lead, print_list


def print_advice(advice: Advice, console: Console) -> None:
    """Print what to try and what not, the scores, and what the graphs look like."""
    print_lead(console, advice.title, budget_in_words(advice), advice_sentences(advice))
    if advice.evidence.merits:
        console.print(as_text(scores_grid(advice).without_last()))
    console.print(Text("The graphs", style="bold"))
    print_list(console, summary_sentences(advice.summary))
