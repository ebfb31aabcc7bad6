"""Figures and pages are what they were when somebody last looked at them.

What a figure draws, and what a page and a terminal say, is kept in tests/reports/kept as text.
Where a change is meant, ``PANDA_KEEP=1 pytest tests/reports/test_reports.py`` writes it anew: look
at the difference, and at the picture, before it is committed.
"""

from __future__ import annotations

import csv
import json
import math
import os
import re
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_hex
from rich.console import Console
from torch import Tensor
from torch_geometric.data import Data

from panda_gnn.diagnostics import summarise_dataset
from panda_gnn.evaluation.study import load_study
from panda_gnn.reports.coverage import Coverage
from panda_gnn.reports.diagnose import maps
from panda_gnn.reports.diagnose.dataset import dataset_page, print_summary
from panda_gnn.reports.diagnose.model_choice import ModelChoice
from panda_gnn.reports.diagnose.numbers import diagnose
from panda_gnn.reports.diagnose.page import diagnosis_page
from panda_gnn.reports.diagnose.terminal import print_diagnosis
from panda_gnn.reports.drawing import graph_pictures
from panda_gnn.reports.drawing.panels import CsvRow
from panda_gnn.reports.drawing.style import Sheet
from panda_gnn.reports.figures import FIGURES
from panda_gnn.reports.pages.frame import make_page
from panda_gnn.reports.report.numbers import study_report
from panda_gnn.reports.report.page import index_page, study_page
from panda_gnn.reports.table_formats import FORMATS
from panda_gnn.reports.tables import build_table
from panda_gnn.reports.verdicts import verdicts
from panda_gnn.rewiring import FoSR, VirtualNode
from tests.odd_graphs import ODD_GRAPHS
from tests.reports.figures.pretend import store_everything

KEPT = Path(__file__).parent / "kept"
SMALL = ModelChoice(width=8, high_width=12, num_layers=3, k=2)


def assert_kept(name: str, text: str) -> None:
    path = KEPT / name
    if os.environ.get("PANDA_KEEP"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def rounded(value: Any) -> Any:
    """Numbers with three digits: another processor changes the last ones of sixteen."""
    if isinstance(value, float | np.floating):
        return float(f"{float(value):.3g}") + 0.0
    if isinstance(value, np.ndarray | list | tuple):
        return [rounded(one) for one in value]
    return value.item() if isinstance(value, np.generic) else value


def with_three_digits(text: str) -> str:
    """The text with its fractions rounded; those of nothing but noise are noughts."""

    def round_one(found: re.Match[str]) -> str:
        value = float(found[0])
        return f"{0.0 if abs(value) < 1e-6 else value:.3g}"

    return re.sub(r"-?\d+(\.\d+(e-?\d+)?|e-?\d+)", round_one, text)


def of_panel(panel: Any) -> dict[str, Any]:
    legend = panel.get_legend()
    return {
        "title": panel.get_title(),
        "labels": [panel.get_xlabel(), panel.get_ylabel()],
        "scales": [panel.get_xscale(), panel.get_yscale()],
        "limits": [rounded(panel.get_xlim()), rounded(panel.get_ylim())],
        "ticks": [
            [rounded(axis.get_ticklocs()), [text.get_text() for text in axis.get_ticklabels()]]
            for axis in (panel.xaxis, panel.yaxis)
        ],
        "grid": [bool(line.get_visible()) for line in panel.get_ygridlines()[:1]],
        "visible": bool(panel.axison),
        "aspect": str(panel.get_aspect()),
        "texts": [[text.get_text(), rounded(text.get_position())] for text in panel.texts],
        "legend": None if legend is None else [text.get_text() for text in legend.get_texts()],
        "lines": [
            {
                "label": str(line.get_label()),
                "at": rounded(np.asarray(line.get_xydata(), dtype=float)),
                "colour": to_hex(line.get_color()),
                "stroke": [str(line.get_linestyle()), rounded(line.get_linewidth())],
                "marker": [
                    str(line.get_marker()),
                    rounded(float(line.get_markersize())),
                    to_hex(line.get_markerfacecolor()),
                    to_hex(line.get_markeredgecolor()),
                    rounded(float(line.get_markeredgewidth())),
                ],
                "order": line.get_zorder(),
            }
            for line in panel.get_lines()
        ],
        "collections": [of_collection(one) for one in panel.collections],
    }


def of_collection(one: Any) -> dict[str, Any]:
    if isinstance(one, LineCollection):
        at = [rounded(segment) for segment in one.get_segments()]
    elif isinstance(one, PathCollection):
        at = rounded(np.asarray(one.get_offsets()))
    else:
        at = [rounded(path.vertices) for path in one.get_paths()]
    colours = one.get_edgecolor() if isinstance(one, LineCollection) else one.get_facecolor()
    shown = {to_hex(tuple(colour), keep_alpha=True) for colour in np.asarray(colours)}
    return {
        "kind": type(one).__name__,
        "label": str(one.get_label()),
        "at": at,
        "colours": sorted(shown),
        "widths": sorted({rounded(float(width)) for width in one.get_linewidth()}),
        "sizes": sorted({rounded(float(size)) for size in getattr(one, "get_sizes", list)()}),
        "order": one.get_zorder(),
    }


def described(figure: Any) -> str:
    content = {
        "size": rounded(figure.get_size_inches()),
        "title": figure.get_suptitle(),
        "texts": [[text.get_text(), rounded(text.get_position())] for text in figure.texts],
        "legends": [
            [legend._ncols, [text.get_text() for text in legend.get_texts()]]
            for legend in figure.legends
        ],
        "panels": [of_panel(panel) for panel in figure.axes],
    }
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return re.sub(r'(\{"(?:title|label|kind)":)', r"\n\1", text) + "\n"


def rows_of(path: Path) -> list[CsvRow]:
    def value(text: str) -> str | float | int:
        if re.fullmatch(r"-?\d+", text):
            return int(text)
        return float(text) if re.fullmatch(r"-?[\d.]+(e-?\d+)?", text) else text

    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    texts = ("value", "neighbours")
    return [
        {name: text if name in texts else value(text) for name, text in row.items()} for row in rows
    ]


@pytest.mark.parametrize("path", sorted(KEPT.glob("*.csv")), ids=lambda path: path.stem)
def test_figures(path: Path) -> None:
    kind = FIGURES[path.stem]
    drawn = kind.figure.draw(rows_of(path), Sheet(caption=f"What {path.stem} shows."))
    assert_kept(f"figure-{path.stem}.txt", described(drawn))


def test_every_figure_is_kept() -> None:
    kept = {FIGURES[path.stem].figure for path in KEPT.glob("*.csv")}
    assert kept == {kind.figure for kind in FIGURES.values()}


@pytest.fixture
def _on_a_ring(monkeypatch: pytest.MonkeyPatch) -> None:
    """Places of nodes that no library computes."""

    def ring(data: Data) -> Tensor:
        angle = torch.arange(int(data.num_nodes or 0)) * (2 * math.pi / 12)
        return torch.stack([angle.cos(), angle.sin()], dim=1)

    monkeypatch.setattr(graph_pictures, "layout", ring)
    monkeypatch.setattr(maps, "layout", ring)


@pytest.mark.usefixtures("_on_a_ring")
def test_pictures_of_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    saved: list[Any] = []
    monkeypatch.setattr(graph_pictures, "_save_picture", lambda figure, path: saved.append(figure))
    graph = ODD_GRAPHS["barbell"]
    scores = {f"measure {i}": torch.arange(9.0) * i for i in range(1, 5)}
    graph_pictures.plot_centrality(graph, scores, "it.png", "four measures")
    graph_pictures.plot_rewiring(graph, FoSR(2)(graph), "it.png", "two new edges")
    rewired = {"fosr": FoSR(2)(graph), "virtual-node": VirtualNode()(graph)}
    graph_pictures.plot_rewirings(graph, rewired, "it.png", "two methods")
    assert_kept("pictures.txt", "\n".join(map(described, saved)))


def said(page: str) -> str:
    """What a page says, one element on a line, without the style and the scripts."""
    unseen = r"<style>.*?</style>|<script>.*?</script>|sha256-[^']*|(?<=panda-gnn )[\d.]+"
    text = re.sub(unseen, "", page, flags=re.DOTALL)
    return with_three_digits(re.sub(r"(?<=>)(?=<)|(?<=[\]}],)", "\n", text)) + "\n"


def printed(show: Any, *arguments: Any) -> str:
    texts = []
    for width in (90, 120):
        console = Console(width=width, record=True, file=StringIO())
        show(*arguments, console)
        texts.append(console.export_text())
    return with_three_digits("\n".join(texts))


@pytest.mark.usefixtures("_on_a_ring")
@pytest.mark.parametrize("name", ["barbell", "two components", "no edges", "one node"])
def test_the_report_on_a_graph(name: str) -> None:
    found = diagnose(ODD_GRAPHS[name], SMALL, title=name)
    file_name = name.replace(" ", "-")
    assert_kept(f"graph-{file_name}.html", said(diagnosis_page(found, "panda diagnose it")))
    assert_kept(f"graph-{file_name}.txt", printed(print_diagnosis, found))


@pytest.mark.usefixtures("_on_a_ring")
def test_the_report_on_a_dataset() -> None:
    graphs = [ODD_GRAPHS[name] for name in ("path", "barbell", "star", "two components")]
    summary = summarise_dataset(graphs, 3)
    page = dataset_page(summary, graphs, "four graphs", "four", "panda diagnose four")
    assert_kept("dataset.html", said(page))
    assert_kept("dataset.txt", printed(print_summary, summary, "four graphs"))


def test_pages_of_studies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = Path("rows")
    folder.mkdir()
    study = load_study("controls").select(["mutag"], ["gcn", "gin"], ["none", "flag", "panda"])
    store = store_everything(study, folder, "out of memory")
    report = study_report(study, folder)
    found = verdicts(folder)[:2]
    assert_kept("study.html", said(study_page(report, found, "panda report")))
    covered = [Coverage("main", "a table", 116, 45, 34)]
    page = index_page([report], {"other": "no study"}, covered, found, "panda report")
    assert_kept("index.html", said(page))
    assert_kept("bare-index.html", said(index_page([], {}, [], [], "")))
    assert "panda-gnn" in make_page("title", "", None)
    table = build_table(study, store.read())
    for name, write in FORMATS.items():
        assert_kept(f"table-{name}.txt", with_three_digits(write(table)))
