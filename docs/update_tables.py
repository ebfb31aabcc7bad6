"""Write the tables in the documents anew from the rows under results/: ``make tables``.

A table in a page begins with the fence of its command, ``$ panda table ...``, and ends with the
comment ``<!-- end of table -->``; what stands between them is what the command prints.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

from panda_gnn.cli import main
from panda_gnn.cli.names import write_names

DOCS = Path(__file__).resolve().parent
RESULTS = DOCS.parent / "results"
END = "<!-- end of table -->"
TABLE = re.compile(rf"(```\n\$ panda (table [^\n]*)\n```\n).*?{END}", re.DOTALL)


def updated(page: str) -> str:
    """The page with every table as it is today."""
    return TABLE.sub(lambda found: f"{found[1]}\n{_printed(found[2])}\n\n{END}", page)


def _printed(command: str) -> str:
    """What a command prints, without its title, its headings one deeper."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        status = main([*shlex.split(command), "--results", str(RESULTS)])
    if status:
        raise SystemExit(status)
    lines = printed.getvalue().strip().splitlines()
    body = "\n".join(line for line in lines if not line.startswith("## "))
    return re.sub(r"^### ", "#### ", body, flags=re.MULTILINE).strip()


if __name__ == "__main__":
    write_names()
    for path in (DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md"))):
        before = path.read_text(encoding="utf-8")
        after = updated(before)
        if after != before:
            path.write_text(after, encoding="utf-8")
            print(f"{path.relative_to(DOCS.parent)} has new tables")
