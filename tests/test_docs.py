"""The tables in the documents are those of the committed rows, their code runs, and no placeholder
was left."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: page.name)
def test_tables_are_up_to_date(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    updated = runpy.run_path(str(ROOT / "docs" / "update_tables.py"))["updated"]
    assert updated(text) == text, "run make tables"


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: page.name)
def test_links_lead_somewhere_and_nothing_waits_to_be_filled_in(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", text)
    broken = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert broken == []
    assert re.findall(r"^[A-Z]+_[A-Z_]+$|TODO|FIXME", text, re.MULTILINE) == []


@pytest.mark.parametrize("name", ["use-in-your-model", "explain"])
def test_the_code_of_a_page_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PANDA_DATA_ROOT", str(tmp_path))
    text = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) > 2
    namespace: dict[str, object] = {"__name__": name}
    for block in blocks:
        exec(compile(block, f"{name}.md", "exec"), namespace)


def test_the_readme_repeats_what_the_tables_say() -> None:
    differences = re.findall(r"[+-][\d.]+ ± [\d.]+", DOCUMENTS[0].read_text(encoding="utf-8"))
    tables = (ROOT / "docs" / "reproducibility.md").read_text(encoding="utf-8")
    assert differences
    assert [value for value in differences if value not in tables] == []
