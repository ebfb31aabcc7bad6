"""Reports as pages."""

from __future__ import annotations

from panda_gnn.reports.grids import Grid, as_html
from panda_gnn.reports.pages.document import html_page


def test_what_is_missing_leaves_no_empty_box() -> None:
    grid = Grid("t", "about <it>", ("a", "b"), [("1", "2")])
    page = html_page(
        title="a <b>", lead="l", sentences=["one", "two"], command="panda x y", wide=[as_html(grid)]
    )
    assert "<title>a &lt;b&gt; – panda x</title>" in page
    assert page.count("<li>") == 2
    assert "<dl" not in page
    assert 'class="grid three"' not in page
    assert "about &lt;it&gt;" in page
