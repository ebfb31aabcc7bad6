"""The tables in the documents are those of the committed rows, their code runs, and no placeholder
was left."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
from pathlib import Path
from typing import Any

import pytest

from panda_gnn.cli import main
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.store import Store
from panda_gnn.evaluation.trial import run_trial
from tests.evaluation.test_plugins import forgotten

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


@pytest.mark.parametrize(
    ("page", "section"), [("README.md", "What came out so far"), ("docs/reproducibility.md", None)]
)
def test_numbers_in_words_stand_in_a_table_or_behind_a_figure(
    page: str, section: str | None
) -> None:
    """Of every sentence about results: its numbers are those of the tables written from rows, of
    the figures it links to, or of the paper."""
    text = (ROOT / page).read_text(encoding="utf-8")
    if section is not None:
        text = text.partition(f"## {section}\n")[2].partition("\n## ")[0]
        assert text
    tables = re.compile(r"```\n\$ panda table[^\n]*\n```\n.*?<!-- end of table -->", re.DOTALL)
    written = [match[0] for match in tables.finditer(text)]
    written += [path.read_text("utf-8") for path in sorted((ROOT / "docs/tables").glob("*.md"))]
    written.append((ROOT / "panda_gnn/paper.toml").read_text(encoding="utf-8"))
    words = re.sub(r"^```.*?^```", "", tables.sub("", text), flags=re.DOTALL | re.MULTILINE)
    known = _rounded("\n".join(written))
    unknown = []
    for line in words.splitlines():
        links = re.findall(r"\]\((?:docs/)?(figures/[^)]+)\.png\)", line)
        behind = [ROOT / "docs" / f"{link}.{kind}" for link in links for kind in ("csv", "txt")]
        drawn = _rounded("\n".join(path.read_text(encoding="utf-8") for path in behind))
        for number in re.findall(r"(?<![\w.])\d+\.\d+(?![\w.])", line):
            if number not in known and number not in drawn:
                unknown.append((number, line[:60]))
    assert unknown == []


def _rounded(text: str) -> set[str]:
    """The numbers of a text and their hundredfold, without their sign, to one up to four digits."""
    values = {float(number) for number in re.findall(r"\d+\.?\d*(?:e[-+]?\d+)?", text)}
    return {
        f"{scale * value:.{digits}f}"
        for value in values
        for scale in (1, 100)
        for digits in range(1, 5)
    }


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: page.name)
def test_links_lead_somewhere_and_nothing_waits_to_be_filled_in(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", text)
    broken = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert broken == []
    assert re.findall(r"^[A-Z]+_[A-Z_]+$|TODO|FIXME", text, re.MULTILINE) == []


@pytest.mark.parametrize("name", ["use-in-your-model", "explain", "roles"])
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


def test_the_loop_of_the_readme_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PANDA_DATA_ROOT", str(tmp_path))
    text = DOCUMENTS[0].read_text(encoding="utf-8")
    (loop,) = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert "range(100)" in loop
    exec(compile(loop.replace("range(100)", "range(1)"), "README.md", "exec"), {})
    assert re.match(r"test accuracy [01]\.\d+", capsys.readouterr().out)


def test_the_readme_repeats_what_the_tables_say() -> None:
    differences = re.findall(r"[+-][\d.]+ ± [\d.]+", DOCUMENTS[0].read_text(encoding="utf-8"))
    tables = (ROOT / "docs" / "reproducibility.md").read_text(encoding="utf-8")
    assert differences
    assert [value for value in differences if value not in tables] == []


def test_the_page_about_own_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its plugin and its study are run as they stand there, on two workers, and then its code."""
    monkeypatch.setenv("PANDA_DATA_ROOT", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "your-own-data.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\S*)(?: (\S+))?\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    for _, name, content in blocks:
        if name:
            Path(name).write_text(content, encoding="utf-8")
    assert len([line for line in Path("plugin.py").read_text().splitlines() if line]) <= 25
    assert len(Path("wheels.toml").read_text().splitlines()) <= 10
    with forgotten():
        commands = [content.split("\n") for kind, _, content in blocks if kind == "console"]
        assert commands[0][0] == "panda study run wheels.toml --workers 2"
        for command in commands[0][:2]:
            assert main(command.split()[1:]) == 0, capsys.readouterr().err
        printed = capsys.readouterr().out
        shown = [" ".join(line.split()) for line in printed.splitlines()]
        (table,) = (content for kind, _, content in blocks if kind == "text")
        assert [" ".join(line.split()) for line in table.splitlines() if line] == [
            line for line in shown[shown.index(table.splitlines()[0]) :] if line and "─" not in line
        ]
        rows = Store(Path("results/wheels.jsonl")).read().rows
        assert len(rows) == 2 * 3 * 3
        assert all(row["parts"]["plugin plugin"] for row in rows)
        again = run_trial(Config.from_dict(rows[0]["config"]), rows[0]["seed"])
        assert again["scores"] == rows[0]["scores"]
    namespace: dict[str, object] = {"__name__": "page"}
    for kind, name, content in blocks:
        if kind == "python" and not name:
            exec(compile(content, "your-own-data.md", "exec"), namespace)


def test_a_lock_has_every_pin_but_torch_and_the_hash_that_pip_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = runpy.run_path(str(ROOT / "docs" / "lock.py"))
    wanted = lock["pins"]((ROOT / "constraints.txt").read_text("utf-8"))
    assert any(pin.startswith("torch-geometric==") for pin in wanted)
    assert not any(pin.startswith("torch==") for pin in wanted)

    def pip(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        packages = [
            {
                "metadata": {"name": name, "version": version},
                "download_info": {"archive_info": {"hashes": {"sha256": f"of-{name}"}}},
            }
            for name, _, version in (
                word.partition(";")[0].strip().partition("==") for word in command if "==" in word
            )
        ]
        place = Path(command[command.index("--report") + 1])
        place.write_text(json.dumps({"install": packages}))
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(subprocess, "run", pip)
    pinned = tmp_path / "constraints.txt"
    pinned.write_text("# exact\nb==2\ntorch==3\nA==1 ; python_version < '3.13'\n")
    lock["main"](pinned, tmp_path / "out.lock")
    lines = (tmp_path / "out.lock").read_text().splitlines()
    assert lines == ["A==1 --hash=sha256:of-A", "b==2 --hash=sha256:of-b"]
