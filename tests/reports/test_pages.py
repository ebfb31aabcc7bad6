"""Pages that need nothing but themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from panda_gnn.errors import InputError
from panda_gnn.reports.grids import Grid, as_html
from panda_gnn.reports.pages import html_page, write_page


def test_what_is_missing_leaves_no_empty_box(tmp_path: Path) -> None:
    grid = Grid("t", "about <it>", ("a", "b"), [("1", "2")])
    page = html_page(
        title="a <b>", lead="l", sentences=["one", "two"], command="panda x y", wide=[as_html(grid)]
    )
    assert "<title>a &lt;b&gt; – panda x</title>" in page
    assert page.count("<li>") == 2
    assert "<dl>" not in page
    assert 'class="maps"' not in page
    assert "about &lt;it&gt;" in page
    write_page(tmp_path / "deep" / "page.html", page)
    assert (tmp_path / "deep" / "page.html").read_text("utf-8") == page
    with pytest.raises(InputError, match="cannot be written"):
        write_page(tmp_path / "deep" / "page.html" / "x.html", page)
