"""``panda report``: pages from any folder of rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from panda_gnn import cli
from panda_gnn.evaluation.study import load_study
from tests.reports.figures.pretend import store_trials


def test_pages_of_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = load_study("panda-vs-rgcn")
    store_trials(study, tmp_path, (study.datasets[0],), 2)
    folder = tmp_path / "pages"
    words = ["report", "--results", str(tmp_path), "--output", str(folder)]
    assert cli.main(words) == 0
    assert capsys.readouterr().out == f"{folder / 'index.html'}\n"
    assert sorted(path.name for path in folder.iterdir()) == ["index.html", "panda-vs-rgcn.html"]
    assert "panda-vs-rgcn.html" in (folder / "index.html").read_text()
    assert f"panda report --output {folder}" in (folder / "index.html").read_text()


def test_nothing_to_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["report", "--results", str(tmp_path)]) == 2
    assert "a folder without rows of a study" in capsys.readouterr().err
