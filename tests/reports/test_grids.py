"""Small tables, in the terminal and on a page."""

from __future__ import annotations

import re
from io import StringIO

from rich.console import Console

from panda_gnn.reports.grids import Grid, as_html, as_text, print_lead

GRID = Grid(
    "Nodes <in> the way",
    "What & why.",
    ("node", "felt", "width"),
    [("a<b", "1", "64"), ("c", "100", "–"), ("d", "10", "0")],
)


def printed(*things: object) -> str:
    text = StringIO()
    for thing in things:
        Console(file=text, width=80).print(thing)
    return text.getvalue()


def cells(page: str) -> list[list[str]]:
    """The cells of the body with their styles."""
    body = page.partition("<tbody>")[2].partition("</tbody>")[0]
    return [re.findall(r"<td.*?</td>", row) for row in re.findall(r"<tr>.*?</tr>", body)]


def test_every_row_is_in_the_terminal() -> None:
    lines = printed(as_text(GRID)).splitlines()
    assert lines[:2] == ["Nodes <in> the way", "What & why."]
    assert [line.split() for line in lines if line.split()[:1] in (["a<b"], ["c"], ["d"])] == [
        ["a<b", "1", "64"],
        ["c", "100", "–"],
        ["d", "10", "0"],
    ]


def test_every_row_is_on_the_page() -> None:
    page = as_html(GRID)
    assert page.startswith('<section class="short"><h2>Nodes &lt;in&gt; the way</h2>')
    assert "<p>What &amp; why.</p>" in page
    assert re.findall(r"<th .*?>(.*?)</th>", page) == ["node", "felt", "width"]
    assert cells(page) == [
        ["<td>a&lt;b</td>", "<td>1</td>", "<td>64</td>"],
        ["<td>c</td>", "<td>100</td>", "<td>–</td>"],
        ["<td>d</td>", "<td>10</td>", "<td>0</td>"],
    ]


def test_shades_grow_with_the_logarithm() -> None:
    """From 1 to 100, the ends are 0 and 0.45, and 10 is in the middle; 64 is at 0.9 of it."""
    page = as_html(GRID, shaded=1)
    assert page.startswith('<section class="shaded">')
    shade = ' style="background:rgba(230,159,0,{})"'.format
    assert cells(page) == [
        ["<td>a&lt;b</td>", f"<td{shade('0.00')}>1</td>", f"<td{shade('0.41')}>64</td>"],
        ["<td>c</td>", f"<td{shade('0.45')}>100</td>", '<td class="nothing">–</td>'],
        ["<td>d</td>", f"<td{shade('0.23')}>10</td>", '<td class="nothing">0</td>'],
    ]
    same = as_html(Grid("t", "a", ("x", "y"), [("a", "5"), ("b", "5")]), shaded=1)
    assert [row[1] for row in cells(same)] == [f"<td{shade('0.23')}>5</td>"] * 2


def test_words_at_the_end_may_wrap() -> None:
    grid = Grid("t", "a", tuple("abcdef"), [tuple("123456")], ends_in_words=True)
    page = as_html(grid)
    assert page.startswith('<section class="long">')
    assert '<th scope="col" class="text">f</th>' in page
    assert '<th scope="col">e</th>' in page
    assert cells(page)[0][4:] == ["<td>5</td>", '<td class="wrap">6</td>']
    short = grid.without_last()
    assert (short.columns, list(short.rows)) == (tuple("abcde"), [tuple("12345")])
    assert as_html(short).startswith('<section class="short">')


def test_how_a_report_begins() -> None:
    text = StringIO()
    print_lead(Console(file=text, width=80), "Title", "Lead", ["One.", "Two."])
    assert text.getvalue() == "Title\nLead\n• One.\n• Two.\n\n"
