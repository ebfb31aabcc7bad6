"""The report on one graph as a page, and in the terminal."""

from __future__ import annotations

import inspect
from html.parser import HTMLParser
from io import StringIO

import pytest
from rich.console import Console

from panda_gnn.reports.diagnose.maps import DRAWN_NODES
from panda_gnn.reports.diagnose.model_choice import ModelChoice
from panda_gnn.reports.diagnose.numbers import diagnose
from panda_gnn.reports.diagnose.page import diagnosis_page
from panda_gnn.reports.diagnose.terminal import print_diagnosis
from panda_gnn.reports.diagnose.text import graph_numbers, grids, sentences
from tests.odd_graphs import ODD_GRAPHS

SMALL = ModelChoice(width=4, high_width=6, num_layers=2, k=2)


class Page(HTMLParser):
    """Checks that every tag is closed where it should be, and collects text and addresses."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words = ""
        self.addresses: list[str] = []
        self.tags: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


@pytest.mark.parametrize("name", ODD_GRAPHS)
def test_every_graph_gets_a_report(name: str) -> None:
    found = diagnose(ODD_GRAPHS[name], SMALL, title=name)
    page = Page(diagnosis_page(found, "panda diagnose it"))
    assert page.tags.count("script") == 2
    assert page.addresses == ["#content"]
    assert "panda diagnose it" in page.words
    assert "untrained (random weights, seed 0)" in page.words
    console = Console(width=120, record=True, file=StringIO())
    print_diagnosis(found, console)
    text = console.export_text()
    for sentence in sentences(found):
        assert sentence[:60] in text


def test_tables_stand_side_by_side_where_there_is_room() -> None:
    found = diagnose(ODD_GRAPHS["path"], SMALL, title="path")
    shown = {}
    for width in (99, 100):
        console = Console(width=width, record=True, file=StringIO())
        print_diagnosis(found, console)
        shown[width] = console.export_text()
    titles = [grid.title for grid in grids(found)]
    nodes, edges, layers, distances, remedies = titles
    for width, text in shown.items():
        for title in ("The graph", *titles):
            assert text.count(title) == 1
        lines = text.splitlines()
        (first,) = (number for number, line in enumerate(lines) if "The graph" in line)
        assert (nodes in lines[first]) == (width == 100)
        assert graph_numbers(found)[0][0] in lines[first + 1] + lines[first + 2]
        places = [text.index(title) for title in ("The graph", layers, distances, remedies)]
        assert places == sorted(places)
    narrow = [shown[99].index(title) for title in ("The graph", layers, nodes, edges, distances)]
    assert narrow == sorted(narrow)
    columns = [
        {line.index(title) for line in shown[100].splitlines() if title in line}
        for title in ("The graph", layers, nodes, edges)
    ]
    assert columns[0] == columns[1] != columns[2] == columns[3]


def test_large_graphs_are_not_drawn() -> None:
    page = diagnosis_page(diagnose(ODD_GRAPHS["path"], SMALL, title="path"), "", drawn_nodes=5)
    assert "The graph has 6 nodes; graphs of up to 5 are drawn." in page
    assert '"graph":null' in page
    usual = inspect.signature(diagnosis_page).parameters["drawn_nodes"].default
    assert usual == DRAWN_NODES == 2000  # as docs/diagnostics.md says


def test_names_cannot_break_the_page() -> None:
    names = ["<script>alert(1)</script>", "a&b", '"', "$title", "é", "x"]
    found = diagnose(ODD_GRAPHS["path"], SMALL, title="<b>$model</b>", names=names)
    page = diagnosis_page(found, "panda diagnose '<i>'")
    assert page.count("<script") == 2
    assert "<b>" not in page
    assert "<b>$model</b>" in Page(page).words
