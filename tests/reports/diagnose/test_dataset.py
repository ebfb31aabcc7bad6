"""The graphs of a dataset in words, in a table and on a page."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from panda_gnn.diagnostics import summarise_dataset
from panda_gnn.diagnostics.dataset_summary import QUANTITIES
from panda_gnn.reports.diagnose.dataset import (
    dataset_page,
    print_summary,
    summary_grid,
    summary_sentences,
)
from tests.odd_graphs import ODD_GRAPHS, undirected


def test_what_is_said_of_paths_and_parts() -> None:
    graphs = [ODD_GRAPHS["path"], ODD_GRAPHS["two components"]]
    summary = summarise_dataset(graphs, 2)
    said = " ".join(summary_sentences(summary))
    assert "Averaging over neighbours 2 times brings a node what is 0." in said
    assert "32% of the connected pairs are more than 2 hops apart" in said
    assert "50% of the graphs have several components" in said
    bridges = summary.values["bridges"]
    assert f"{float(bridges.mean()):.0%} of the edges are bridges" in said
    assert float(bridges.mean()) != float(bridges.min())
    assert [row[0] for row in summary_grid(summary).rows] == list(QUANTITIES)
    console = Console(width=120, record=True, file=StringIO())
    print_summary(summary, "two", console)
    assert "2 graphs, for a model of 2 message-passing layers" in console.export_text()
    page = dataset_page(summary, graphs, "<two>", "two", "panda diagnose two")
    assert "&lt;two&gt;" in page
    assert "lowest resistance curvature" in page


def test_what_is_said_of_a_single_graph() -> None:
    said = " ".join(summary_sentences(summarise_dataset([ODD_GRAPHS["two components"]], 2)))
    assert "The graph has 2 components: no messages pass between them." in said
    assert "of the edges are bridges; the graph has a spectral gap of 0." in said
    assert "graphs" not in said


def test_some_graphs_keep_their_numbers() -> None:
    names = ("path", "clique", "star", "no edges", "two components")
    graphs = [ODD_GRAPHS[name] for name in names]
    summary = summarise_dataset(graphs, 2, most=3)
    page = dataset_page(summary, graphs, "five", "my data.pt", "panda diagnose")
    assert "panda diagnose 'my data.pt' --graph 4" in page.replace("\\u0027", "'")
    assert '"rows":[[0,6.0,5.0,' in page
    assert '<button type="button" data-graph="2">graph 2</button> (8)' in page
    assert 'data-graph="1"' not in page
    sizes = [
        [str(graphs[index].num_nodes), str(graphs[index].num_edges // 2)] for index in (0, 2, 4)
    ]
    for index, shown in zip((0, 2, 4), sizes, strict=True):
        assert f"<td>{index}</td><td>{'</td><td>'.join(shown)}</td>" in page


def test_graphs_without_edges() -> None:
    summary = summarise_dataset([undirected(1), undirected(3)], 2)
    assert "needs 0.00" in summary_sentences(summary)[0]
