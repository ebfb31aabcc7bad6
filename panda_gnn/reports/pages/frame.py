"""What all pages share: one file each, with its style, its scripts and its data inside.

A page asks nobody for anything and says so in a content security policy: only the scripts of this
package, known by their hashes, are executed. Data are a block of JSON in which no ``<`` is left,
and scripts write them as text, so nothing that a file, a node or a study is called is ever code.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import math
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from panda_gnn import __version__
from panda_gnn.errors import InputError

PACKAGE = "panda_gnn.reports.pages"

TEMPLATE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<main id="content">
{body}
<footer>{footer}</footer>
</main>
<p id="said" class="unseen" role="status" aria-live="polite"></p>
<script type="application/json" id="data">{data}</script>
<script>{script}</script>
</body>
</html>
"""


def make_page(
    title: str, body: str, data: Any, scripts: Sequence[str] = (), command: str = ""
) -> str:
    """A whole page.

    Args:
        title: Its title, as text.
        body: What it shows, as HTML.
        data: What its scripts read: numbers, texts, lists and mappings.
        scripts: Files of this package beside ``page.js``, which every page has.
        command: The command line that makes it again.
    """
    script = "\n".join(_asset(name) for name in ("page.js", *scripts))
    known = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{known}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    made = f"Made with <code>{html.escape(command)}</code> by " if command else "Made by "
    return TEMPLATE.format(
        policy=policy,
        title=html.escape(title),
        style=_asset("page.css"),
        body=body,
        footer=f"{made}panda-gnn {html.escape(__version__)}.",
        data=_json(data),
        script=script,
    )


#: What the footer of every page says.
MARK = "panda-gnn"


def write_page(path: Path, text: str) -> None:
    """Write a page and the folders above it, or say why that cannot be; a file that is no page of
    panda's stays as it is."""
    try:
        if path.exists() and MARK not in path.read_text(encoding="utf-8", errors="replace"):
            raise InputError(f"'{path}' is no page of panda's: choose another place with --output")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"the page cannot be written to '{path}' ({error.strerror})") from error


def table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    label: str,
    name: str = "",
    filters: bool = True,
) -> str:
    """A table whose columns sort at a click and, if it ``filters``, with a field for words."""
    head = "".join(f'<th scope="col">{html.escape(column)}</th>' for column in columns)
    body = "".join(
        f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    named = f' id="{html.escape(name)}"' if name else ""
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{html.escape(label)}">'
        f'<table{named} class="sorts" data-filter="{"yes" if filters else "no"}">'
        f'<caption class="unseen">{html.escape(label)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def items(texts: Sequence[str]) -> str:
    """A list of sentences."""
    return "".join(f"<li>{html.escape(text)}</li>" for text in texts)


def _asset(name: str) -> str:
    return files(PACKAGE).joinpath(name).read_text("utf-8")


def _json(data: Any) -> str:
    """JSON inside of a page: numbers that are none become ``null``, and no ``<`` is left."""
    text = json.dumps(_finite(data), allow_nan=False, separators=(",", ":"), ensure_ascii=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _finite(data: Any) -> Any:
    if isinstance(data, float):
        return float(f"{data:.6g}") if math.isfinite(data) else None
    if isinstance(data, dict):
        return {str(name): _finite(value) for name, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return data
