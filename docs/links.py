"""Checks every link of the built site, that no page asks the network, and prints its size.

    python docs/links.py docs/_build/html

A link must lead to a file of the site, and its fragment to an element of that page. Addresses on
the network are allowed where a reader may click on them, and nowhere else: no script, style, font
or picture may come from there.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: Elements that load what they name, and the attributes that name it.
LOADS = {"script": "src", "img": "src", "source": "src", "iframe": "src", "link": "href"}


class Page(HTMLParser):
    """The links, loads and anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take down what an element has."""
        values = {name: value for name, value in attrs if value}
        self.anchors.update(values[name] for name in ("id", "name") if name in values)
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if tag in LOADS and LOADS[tag] in values:
            self.loads.append(values[LOADS[tag]])


def problems(folder: Path) -> list[str]:
    """What is wrong with the links of the site in a folder, a sentence each."""
    pages = {path: Page(path.read_text("utf-8")) for path in sorted(folder.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        here = path.relative_to(folder)
        for address in page.loads:
            parts = urlsplit(address)
            if parts.netloc or parts.scheme not in ("", "data"):
                found.append(f"{here} loads {address} from the network")
            elif parts.path and not (path.parent / unquote(parts.path)).exists():
                found.append(f"{here} loads {address}, which is not there")
        for address in page.links:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            place = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if place.is_dir():
                place /= "index.html"
            if not place.is_file():
                found.append(f"{here} links to {address}, which is not there")
            elif (
                parts.fragment
                and place in pages
                and unquote(parts.fragment) not in pages[place].anchors
            ):
                found.append(f"{here} links to {address}, but there is no such place")
    return found


def main(folder: Path) -> int:
    """Print what is wrong, and the size of the site; the exit code."""
    wrong = problems(folder.resolve())
    for sentence in wrong:
        print(sentence, file=sys.stderr)
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    count = len(list(folder.rglob("*.html")))
    print(f"{count} pages, {sum(sizes) / 1e6:.1f} MB, {len(wrong)} bad links")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
