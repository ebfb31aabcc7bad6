"""A report as a page: sentences, numbers, maps and tables, one below the other."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

from panda_gnn.reports.pages.frame import items, make_page


def html_page(
    *,
    title: str,
    lead: str,
    sentences: Sequence[str],
    command: str,
    numbers: Sequence[tuple[str, str]] = (),
    maps: str = "",
    tables: Sequence[str] = (),
    wide: Sequence[str] = (),
    data: Any = None,
    scripts: Sequence[str] = (),
) -> str:
    """The page.

    Args:
        title: What it is about; text, as all that is not said to be HTML.
        lead: A line below the title.
        sentences: What to know, the most important first.
        command: The command line that makes the page again.
        numbers: Names and values in one row.
        maps: Drawings, as HTML.
        tables: Tables side by side, as HTML.
        wide: Tables one below the other, as HTML.
        data: What scripts read.
        scripts: Scripts of the package that the page needs.
    """
    pairs = "".join(
        f"<div><dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd></div>"
        for name, value in numbers
    )
    parts = [
        f'<header class="top"><h1>{html.escape(title)}</h1>',
        f'<p class="lead">{html.escape(lead)}</p><ul>{items(sentences)}</ul></header>',
        f'<dl class="numbers">{pairs}</dl>' if pairs else "",
        maps,
        f'<div class="grid three">{"".join(tables)}</div>' if tables else "",
        f'<div class="grid">{"".join(wide)}</div>' if wide else "",
    ]
    name = " ".join(command.split()[:2])
    return make_page(f"{title} – {name}", "".join(parts), data, scripts, command)
