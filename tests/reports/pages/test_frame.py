"""Pages in a browser, opened from a file: quiet, alone, narrow, dark, and with linked parts."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from panda_gnn.diagnostics import summarise_dataset
from panda_gnn.diagnostics.dataset_summary import QUANTITIES
from panda_gnn.errors import InputError
from panda_gnn.evaluation.study import load_study
from panda_gnn.reports.diagnose.dataset import dataset_page
from panda_gnn.reports.diagnose.model_choice import ModelChoice
from panda_gnn.reports.diagnose.numbers import diagnose
from panda_gnn.reports.diagnose.page import diagnosis_page
from panda_gnn.reports.pages.frame import make_page, table, write_page
from panda_gnn.reports.report.numbers import study_report
from panda_gnn.reports.report.page import index_page, study_page
from panda_gnn.reports.verdicts import verdicts
from tests.odd_graphs import ODD_GRAPHS
from tests.reports.figures.pretend import store_everything

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

EVIL = "<script>alert(1)</script>"
KINDS = ("main", "index", "graph", "dataset")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The system's Chromium; without one the tests are skipped, and fail where CI is set."""
    path = shutil.which("chromium")
    if path is None:
        why = "pages are tested in Chromium: apt-get install chromium"
        if os.environ.get("CI"):
            pytest.fail(why)
        pytest.skip(why)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One page of every kind; names of nodes and graphs would be code where that was possible."""
    folder = tmp_path_factory.mktemp("pages")
    study = load_study("main").select(["mutag"], ["gcn", "gin"], ["none", "fosr", "panda"])
    store_everything(study, folder, f"out of memory {EVIL}")
    report = study_report(study, folder)
    found = [verdict for verdict in verdicts(folder) if verdict.claim.study == "main"]
    write_page(folder / "main.html", study_page(report, found, "panda report"))
    write_page(folder / "index.html", index_page([report], {"a": EVIL}, [], found, "panda report"))
    names = [EVIL, "a&b", '"', "$title", "é", "x", "y", "z", "w"]
    model = ModelChoice(width=4, high_width=6, num_layers=2, k=2)
    diagnosis = diagnose(ODD_GRAPHS["barbell"], model, title=EVIL, names=names)
    write_page(folder / "graph.html", diagnosis_page(diagnosis, f"panda diagnose {EVIL}"))
    graphs = [*ODD_GRAPHS.values()]
    summary = summarise_dataset(graphs, 3)
    write_page(folder / "dataset.html", dataset_page(summary, graphs, EVIL, EVIL, "panda diagnose"))
    return folder


@contextmanager
def opened(
    browser: Browser, path: Path, width: int = 1200, scheme: Any = "light"
) -> Iterator[Page]:
    """A page; afterwards, nothing may have been asked for, logged or raised."""
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    wrong: list[str] = []
    page = context.new_page()
    page.set_default_timeout(5000)
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: wrong.append(dialog.message))
    page.on("request", lambda asked: wrong.append(asked.url))
    page.goto(path.as_uri())
    yield page
    context.close()
    assert wrong == [path.as_uri()]  # the page itself, and nothing else


@pytest.mark.parametrize("kind", KINDS)
def test_every_page_is_quiet_narrow_and_dark(kind: str, browser: Browser, pages: Path) -> None:
    grounds = []
    for width, scheme in ((375, "light"), (375, "dark"), (1600, "dark")):
        with opened(browser, pages / f"{kind}.html", width, scheme) as page:
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            grounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
            assert page.evaluate("document.querySelectorAll('body script').length") == 2
            assert page.evaluate("document.querySelectorAll('table').length") >= 1
    assert grounds[0] != grounds[1] == grounds[2]


def test_a_table_sorts_and_filters(browser: Browser, pages: Path) -> None:
    with opened(browser, pages / "main.html") as page:
        lines = "[...document.querySelectorAll('#lines tbody tr:not([hidden])')]"
        means = f"{lines}.map(row => parseFloat(row.cells[4].textContent))"
        measured = page.locator("#lines th").nth(4)
        measured.get_by_role("button").press("Enter")
        values = page.evaluate(means)
        assert values == sorted(values)
        assert measured.get_attribute("aria-sort") == "ascending"
        measured.get_by_role("button").click()
        assert page.evaluate(means) == values[::-1]
        page.fill("#filter", "panda gin")
        assert page.evaluate(f"{lines}.map(row => row.cells[2].textContent)") == ["panda"]
        assert page.locator("#plot svg").count() == 1
        page.fill("#filter", "")
        page.select_option("#backbone", "gcn")
        assert set(page.evaluate(f"{lines}.map(row => row.cells[1].textContent)")) == {"gcn"}


def test_rules_and_intervals_switch_numbers(browser: Browser, pages: Path) -> None:
    with opened(browser, pages / "main.html") as page:
        cell = page.locator("#lines tbody tr", has_text="fosr").first.locator("td").nth(7)
        corrected = cell.text_content()
        page.get_by_label("naive").check()
        assert cell.text_content() != corrected
        assert "naive" in (page.text_content("#said") or "")
        page.get_by_label("last", exact=True).check()
        assert "the last epoch" in (page.text_content("#reading") or "")
        row = page.locator("#plot g[tabindex]").first
        row.focus()
        assert "seed 3" in (page.text_content("#tip") or "")
        assert page.locator("#plot .dot").count() == 4 * 4
        assert page.locator("#curves path").count() == 1
        command = page.locator("#lines tbody tr").first.locator("details code")
        assert (command.text_content() or "").startswith("panda study run main --datasets mutag")
        assert "out of memory" in page.inner_text("main")
        assert page.locator("#claims tbody tr").count() > 3


def test_maps_and_tables_mark_each_other(browser: Browser, pages: Path) -> None:
    with opened(browser, pages / "graph.html") as page:
        assert page.locator(".maps canvas[tabindex]").count() == 4
        marks = """wanted => [...document.querySelectorAll('.map canvas + canvas')].every(top => {
            const empty = document.createElement('canvas');
            [empty.width, empty.height] = [top.width, top.height];
            return (top.toDataURL() !== empty.toDataURL()) === wanted; })"""
        page.wait_for_function(marks, arg=False)
        page.locator(".nodes tbody tr").nth(2).click()
        page.wait_for_function(marks, arg=True)
        page.locator(".maps canvas[tabindex]").first.focus()
        page.keyboard.press("ArrowRight")
        chosen = page.locator(".nodes tr[aria-selected=true] td").first.text_content()
        assert chosen
        assert f"Node {chosen}" in (page.text_content(".info") or "")
        page.keyboard.press("e")
        assert page.locator(".edges tr[aria-selected=true]").count() == 1
        page.keyboard.press("Escape")
        page.mouse.move(5, 5)
        assert page.locator("tr[aria-selected=true]").count() == 0
        page.wait_for_function(marks, arg=False)


def test_measure_scale_k_and_rewiring_switch(browser: Browser, pages: Path) -> None:
    with opened(browser, pages / "graph.html") as page:
        high = page.locator(".nodes tbody tr td:nth-child(2)")
        assert sum(cell == "yes" for cell in high.all_text_contents()) == 2
        page.fill("input.k", "5")
        assert sum(cell == "yes" for cell in high.all_text_contents()) == 5
        drawn = "document.querySelector('.map canvas').toDataURL()"
        pictures = [page.evaluate(drawn)]
        for change in (
            lambda: page.select_option("select.scale-of >> nth=0", "rank"),
            lambda: page.select_option("select.measure >> nth=0", "node:degree"),
            lambda: page.locator("fieldset input").nth(1).check(),
        ):
            change()
            page.evaluate("new Promise(requestAnimationFrame)")
            pictures.append(page.evaluate(drawn))
        assert len(set(pictures)) == 4
        page.locator(".edges th button", has_text="new").click()
        assert page.locator(".edges tbody tr td:nth-child(2)").first.text_content() == "yes"


def test_graphs_of_a_dataset_open(browser: Browser, pages: Path) -> None:
    with opened(browser, pages / "dataset.html") as page:
        assert page.locator("#histograms svg").count() == len(QUANTITIES)
        page.locator("#histograms .column").first.click()
        shown = page.locator("#graphs tbody tr:not([hidden])").count()
        assert 0 < shown < len(ODD_GRAPHS)
        page.locator("button[data-graph]").last.click()
        assert page.locator("#opened canvas[tabindex]").count() == 2
        assert EVIL in (page.text_content("#opened h2") or "")


def test_nothing_that_is_named_is_code(pages: Path) -> None:
    for kind in KINDS:
        text = (pages / f"{kind}.html").read_text("utf-8")
        assert EVIL not in text
        assert text.count("<script") == 2
    page = make_page(EVIL, table((EVIL,), [[EVIL]], label=EVIL), {"<!--": float("nan")})
    assert EVIL not in page
    assert '{"\\u003c!--":null}' in page


def test_a_page_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written to"):
        write_page(tmp_path / "file" / "page.html", "")


def test_a_page_takes_the_place_of_a_page_and_of_nothing_else(tmp_path: Path) -> None:
    page, notes = tmp_path / "page.html", tmp_path / "notes.html"
    for title in ("one", "two"):
        write_page(page, make_page(title, "", {}))
    assert "two" in page.read_text()
    notes.write_text("mine")
    with pytest.raises(InputError, match="is no page of panda's: choose another place"):
        write_page(notes, make_page("one", "", {}))
    assert notes.read_text() == "mine"
