"""Advice as a page."""

from __future__ import annotations

from panda_gnn.evaluation.advice.advice import Advice
from panda_gnn.reports.advise.text import advice_sentences, budget_in_words, scores_grid
from panda_gnn.reports.diagnose.dataset import summary_grid, summary_sentences
from panda_gnn.reports.grids import as_html
from panda_gnn.reports.pages.document import html_page


def advice_page(advice: Advice, command: str) -> str:
    """The page: what to try and what not, the scores behind it, and what the graphs look like."""
    scores = [as_html(scores_grid(advice))] if advice.evidence.merits else []
    return html_page(
        title=advice.title,
        lead=budget_in_words(advice),
        sentences=[*advice_sentences(advice), *summary_sentences(advice.summary)],
        command=command,
        wide=[*scores, as_html(summary_grid(advice.summary))],
    )
