"""Tables in documents, between two comments, that a benchmark writes anew."""

from __future__ import annotations

from pathlib import Path

from panda_gnn.errors import InputError


def write_between(page: Path, name: str, table: str) -> None:
    """Put a table between the comments ``<!-- name -->`` and ``<!-- end of name -->`` of a page."""
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, found, after = page.read_text("utf-8").partition(begin)
    rest = after.partition(end)
    if not (found and rest[1]):
        raise InputError(f"{page} does not have both comments '{begin}' and '{end}'")
    page.write_text(f"{before}{begin}\n\n{table}\n\n{end}{rest[2]}", "utf-8")
