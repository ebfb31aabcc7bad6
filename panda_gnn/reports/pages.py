"""A report as one HTML page that needs nothing but itself: no network, no script."""

from __future__ import annotations

import html
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from string import Template

from panda_gnn import __version__
from panda_gnn.errors import InputError


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
    """
    template = Template(files("panda_gnn.reports").joinpath("page.html").read_text("utf-8"))
    pairs = "".join(
        f"<div><dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd></div>"
        for name, value in numbers
    )
    return template.substitute(
        title=html.escape(title),
        name=html.escape(" ".join(command.split()[:2])),
        lead=html.escape(lead),
        sentences="".join(f"<li>{html.escape(sentence)}</li>" for sentence in sentences),
        numbers=f"<dl>{pairs}</dl>" if pairs else "",
        maps=f'<div class="maps">{maps}</div>' if maps else "",
        tables=f'<div class="tables">{"".join(tables)}</div>' if tables else "",
        wide=f'<div class="wide">{"".join(wide)}</div>' if wide else "",
        command=html.escape(command),
        version=html.escape(__version__),
    )


def write_page(path: Path, page: str) -> None:
    """Write a page, and the folders on the way to it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise InputError(f"the page cannot be written to '{path}' ({error.strerror})") from error
