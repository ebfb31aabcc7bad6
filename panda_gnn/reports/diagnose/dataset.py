"""The graphs of a whole dataset summed up, in the terminal and as a page."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from panda_gnn.diagnostics.dataset_summary import QUANTITIES, DatasetSummary
from panda_gnn.reports.drawing.svg import number
from panda_gnn.reports.grids import Grid, as_html, as_text
from panda_gnn.reports.pages import html_page


def graphs_in_words(summary: DatasetSummary) -> str:
    """Which graphs were measured, and for which depth."""
    count, all_graphs = len(summary.measured), summary.num_graphs
    which = f"{count} of {all_graphs} graphs" if count < all_graphs else f"{count} graphs"
    if all_graphs == 1:
        which = "1 graph"
    return f"{which}, for a model of {summary.depth} message-passing layers"


def summary_sentences(summary: DatasetSummary) -> list[str]:
    """What to know about the graphs."""
    said = []
    needed, reached = summary.spread("mean distance")[0], summary.spread("range")[0]
    if needed == needed:
        said.append(
            f"Averaging over neighbours {summary.depth} times brings a node what is {reached:.2f} "
            f"hops away on average; a task that needs all nodes alike needs {needed:.2f}."
        )
    far = summary.spread("out of reach")[0]
    if far > 0:
        said.append(
            f"{far:.0%} of the connected pairs are more than {summary.depth} hops apart: out of "
            "reach, whatever the width."
        )
    bridges, gap = summary.spread("bridges")[0], summary.spread("spectral gap")[2]
    if bridges > 0:
        said.append(
            f"{bridges:.0%} of the edges are bridges; half of the graphs have a spectral gap of at "
            f"most {number(gap)}."
        )
    apart = summary.values["components"]
    if bool((apart > 1).any()):
        said.append(
            f"{float((apart > 1).double().mean()):.0%} of the graphs have several components: no "
            "messages pass between them."
        )
    prevalence, intensity = summary.spread("prevalence")[0], summary.spread("intensity")[0]
    if prevalence == prevalence:
        said.append(
            f"{prevalence:.0%} of the pairs gain share in each other's walks with more depth "
            f"(prevalence), by {number(intensity)} a layer (intensity)."
        )
    return said or ["The graphs have no edges: no model can pass a message."]


def summary_grid(summary: DatasetSummary) -> Grid:
    """Every quantity with its spread over the graphs."""
    return Grid(
        "The graphs",
        "Mean, least, median and greatest over the graphs measured.",
        ("quantity", "mean", "least", "median", "greatest", "what it is"),
        [(name, *map(number, summary.spread(name)), about) for name, about in QUANTITIES.items()],
    )


def print_summary(summary: DatasetSummary, title: str, console: Console) -> None:
    """Print the summary."""
    grid = summary_grid(summary)
    console.print(Text(title, style="bold"))
    console.print(Text(graphs_in_words(summary), style="dim"))
    for sentence in summary_sentences(summary):
        console.print(Text(f"• {sentence}"))
    console.print()
    rows = [row[:-1] for row in grid.rows]
    console.print(as_text(Grid(grid.title, grid.about, grid.columns[:-1], rows)))


def summary_page(summary: DatasetSummary, title: str, command: str) -> str:
    """The summary as a page."""
    return html_page(
        title=title,
        lead=graphs_in_words(summary),
        sentences=summary_sentences(summary),
        command=command,
        wide=[as_html(summary_grid(summary))],
    )
