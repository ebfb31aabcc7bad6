"""The report on one graph: its numbers, its page, and odd graphs."""

from __future__ import annotations

from html.parser import HTMLParser
from io import StringIO

import pytest
import torch
from rich.console import Console
from torch_geometric.data import Data

from panda_gnn.diagnostics import hop_distances
from panda_gnn.errors import InputError
from panda_gnn.reports.diagnose import ModelChoice, diagnose
from panda_gnn.reports.diagnose_page import diagnosis_page
from panda_gnn.reports.diagnose_terminal import print_diagnosis
from panda_gnn.reports.drawing import ColourScale, number
from panda_gnn.reports.findings import grids, sentences
from panda_gnn.reports.layout import layout
from panda_gnn.reports.untrained import MODELS, printed_name, untrained_model
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
    assert page.tags.count("svg") == 4
    assert page.addresses == []
    assert "panda diagnose it" in page.words
    assert "untrained (random weights, seed 0)" in page.words
    console = Console(width=120, record=True, file=StringIO())
    print_diagnosis(found, console)
    text = console.export_text()
    for sentence in sentences(found):
        assert sentence[:60] in text


def test_what_the_barbell_is_told() -> None:
    found = diagnose(ODD_GRAPHS["barbell"], SMALL, title="barbell", names=list("abcdefghi"))
    assert found.num_high == 2
    said = " ".join(sentences(found))
    assert "Bridges: 2 of 14 edges" in said
    assert "d – e (-0.5)" in said
    nodes, edges, *_ = grids(found)
    assert [row[0] for row in nodes.rows[:3]] == ["e", "d", "f"]
    assert [row[0] for row in edges.rows[:2]] == ["d – e", "e – f"]
    assert [row[-1] for row in nodes.rows[:3]] == ["6", "6", "4"]
    names = [remedy.name for remedy in found.remedies]
    assert names[2] == "PANDA, 2 of the nodes 6 wide"
    assert found.remedies[-1].total_resistance < found.remedies[0].total_resistance


def test_plain_model_has_a_bound_and_no_wide_nodes() -> None:
    choice = ModelChoice("gcn", width=4, high_width=6, num_layers=2, k=2)
    found = diagnose(ODD_GRAPHS["grid"], choice, title="grid")
    assert found.bound is not None
    assert bool((found.measured.mean() <= found.bound[:3]).all())
    nodes, _, layers, *_ = grids(found)
    assert {row[-1] for row in nodes.rows} == {"4"}
    assert layers.columns[-1] == "bound"
    assert "would widen" in diagnosis_page(found, "")


def test_out_of_reach() -> None:
    """On a path of 6 nodes with 2 + 1 layers, pairs 4 and 5 hops apart never meet."""
    found = diagnose(ODD_GRAPHS["path"], SMALL, title="path")
    assert found.out_of_reach == pytest.approx(3 / 15)
    assert "20% of the connected pairs are more than 3 hops apart" in " ".join(sentences(found))


def test_many_features_are_sampled() -> None:
    data = ODD_GRAPHS["grid"].clone()
    data.x = torch.rand(12, 40)
    found = diagnose(data, SMALL, title="grid")
    assert found.norm == "entrywise"
    assert not found.measured.exact
    assert "entrywise" in diagnosis_page(found, "")


def test_large_graphs_are_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("panda_gnn.reports.diagnose_page.DRAWN_NODES", 5)
    page = diagnosis_page(diagnose(ODD_GRAPHS["path"], SMALL, title="path"), "")
    assert "The graph has 6 nodes; graphs of up to 5 are drawn." in page
    assert "<svg" not in page


def test_names_cannot_break_the_page() -> None:
    names = ["<script>alert(1)</script>", "a&b", '"', "$title", "é", "x"]
    found = diagnose(ODD_GRAPHS["path"], SMALL, title="<b>$model</b>", names=names)
    page = diagnosis_page(found, "panda diagnose '<i>'")
    assert "<script" not in page
    assert "<b>" not in page
    assert "<b>$model</b>" in Page(page).words


def test_joined_components_have_no_comparable_resistance() -> None:
    found = diagnose(ODD_GRAPHS["two components"], SMALL, title="two")
    *_, rewired = found.remedies
    assert rewired.spectral_gap > 0
    assert rewired.total_resistance != rewired.total_resistance


def test_a_graph_needs_nodes() -> None:
    empty = Data(x=torch.zeros(0, 1), edge_index=torch.zeros(2, 0, dtype=torch.long), num_nodes=0)
    with pytest.raises(InputError, match="nothing to diagnose"):
        diagnose(empty, SMALL, title="nothing")


def test_layout_keeps_distances() -> None:
    path = layout(ODD_GRAPHS["path"])
    torch.testing.assert_close(
        torch.cdist(path, path),
        hop_distances(ODD_GRAPHS["path"], torch.arange(6)),
        atol=0.05,
        rtol=0,
    )
    assert torch.equal(path, layout(ODD_GRAPHS["path"]))
    for name in ("cycle", "grid", "barbell"):
        position = layout(ODD_GRAPHS[name])
        source, target = ODD_GRAPHS[name].edge_index
        lengths = (position[source] - position[target]).norm(dim=1)
        assert 0.5 < float(lengths.min()) <= float(lengths.max()) < 1.6


def test_layout_keeps_components_apart() -> None:
    position = layout(ODD_GRAPHS["two components"])
    assert float(torch.cdist(position[:3], position[3:]).min()) > 1
    lone = layout(ODD_GRAPHS["no edges"])
    assert float(torch.cdist(lone, lone).fill_diagonal_(9).min()) > 1


def test_numbers_for_people() -> None:
    cases = {
        0.0: "0",
        17.0: "17",
        0.0686: "0.0686",
        1234.56: "1235",
        2e-5: "2.0e-05",
        5e7: "5.0e+07",
    }
    for value, expected in cases.items():
        assert number(value) == expected
    assert number(float("nan")) == number(None) == "–"


def test_colour_scales() -> None:
    scale = ColourScale.of(torch.tensor([1.0, 3.0, torch.nan]))
    assert (scale.low, scale.high, scale.logarithmic) == (1, 3, False)
    assert scale(1.0) == "#FFF7CF"
    assert scale(float("nan")) == "#D9D9D9"
    assert ColourScale.of(torch.tensor([1.0, 1000.0])).logarithmic
    assert ColourScale.around_zero(torch.tensor([-2.0, 1.0])).high == 2
    assert "everywhere 0" in ColourScale.of(torch.zeros(3)).legend("x")


def test_untrained_models() -> None:
    state = torch.random.get_rng_state()
    for name in MODELS:
        first, second = (untrained_model(name, 3, 2, width=4, high_width=6) for _ in range(2))
        assert not first.training
        for a, b in zip(first.parameters(), second.parameters(), strict=True):
            assert torch.equal(a, b)
    assert torch.equal(torch.random.get_rng_state(), state)
    assert [printed_name(name) for name in ("gcn", "rgin", "panda-rgcn")] == [
        "GCN",
        "R-GIN",
        "PANDA-R-GCN",
    ]
    with pytest.raises(InputError, match="unknown model 'gat'"):
        untrained_model("gat", 3, 2)
