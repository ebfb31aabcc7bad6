"""What comes with the package: where studies and rows are found, checked out and installed."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from panda_gnn.cli import main
from panda_gnn.errors import InputError
from panda_gnn.evaluation import bundled
from panda_gnn.evaluation.bundled import bundled_folder, folder_to_read, stored_rows, study_names
from panda_gnn.evaluation.store import Store

CHECKOUT = Path(__file__).resolve().parents[2]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The rows of the table of node sets as a wheel has them, and an empty folder to work in."""
    package = tmp_path / "panda_gnn"
    (package / "results").mkdir(parents=True)
    (package / "studies").symlink_to(CHECKOUT / "studies")
    rows = (CHECKOUT / "results" / "node.jsonl").read_bytes()
    (package / "results" / "node.jsonl.xz").write_bytes(lzma.compress(rows))
    monkeypatch.setattr(bundled, "files", lambda name: tmp_path / name)
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    return package / "results"


def test_a_checkout_has_them_beside_the_package() -> None:
    assert bundled_folder("studies") == CHECKOUT / "studies"
    assert bundled_folder("results") == CHECKOUT / "results"
    assert "main" in study_names()


def test_an_installed_table_shows_the_rows_that_were_measured(
    installed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = ["table", "node", "--datasets", "texas", "--backbones", "gcn", "--methods", "panda"]
    assert main(table) == 0
    captured = capsys.readouterr()
    assert "these are the rows that come with panda-gnn" in captured.err
    assert main([*table, "--results", str(CHECKOUT / "results")]) == 0
    assert capsys.readouterr().out == captured.out
    assert sorted(path.name for path in installed.iterdir()) == ["node.jsonl.xz"]
    assert list(Path().iterdir()) == []


def test_rows_of_ones_own_are_never_mixed_with_them(
    installed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert folder_to_read(None) == installed
    assert folder_to_read(Path("elsewhere")) == Path("elsewhere")
    Path("results").mkdir()
    assert folder_to_read(None) == Path("results")
    assert main(["study", "status", "node", "--json"]) == 0
    assert '"texas": "0"' in capsys.readouterr().out


def test_nothing_is_written_into_the_package(
    installed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["study", "run", "node", "--results", str(installed)]) == 2
    assert "name a folder of yours" in capsys.readouterr().err
    with pytest.raises(InputError, match="only read"):
        stored_rows(installed, "node").prepare()
    assert sorted(path.name for path in installed.iterdir()) == ["node.jsonl.xz"]


def test_a_file_that_is_not_compressed(tmp_path: Path) -> None:
    (tmp_path / "main.jsonl.xz").write_text("{}")
    with pytest.raises(InputError, match="no compressed file of rows"):
        stored_rows(tmp_path, "main").read()
    assert stored_rows(tmp_path, "node").path == Store(tmp_path / "node.jsonl").path
