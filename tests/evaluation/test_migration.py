from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from panda_gnn.cli import main
from panda_gnn.datasets import DATASETS
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.methods import METHODS
from panda_gnn.evaluation.migration import migrate
from panda_gnn.evaluation.origin import origin_of
from panda_gnn.evaluation.store import Store
from panda_gnn.evaluation.trial import run_trial

TRIAL = Config("mutag", max_epochs=1)


def old(row: dict[str, Any], **changes: Any) -> bytes:
    """The line of a row as it was before rows named their data."""
    new = ("parts", "data", "processor", "checksum")
    kept = {name: value for name, value in row.items() if name not in new}
    return json.dumps({**kept, **changes}, separators=(",", ":")).encode() + b"\n"


@pytest.fixture
def row(shared_root: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setenv("PANDA_DATA_ROOT", str(shared_root))
    monkeypatch.delenv("PANDA_DATA_MIRROR", raising=False)
    return dict(run_trial(TRIAL, 0))


def test_old_rows_get_what_new_ones_have(row: dict[str, Any], tmp_path: Path) -> None:
    store = Store(tmp_path / "own.jsonl")
    store.path.write_bytes(old(row))
    assert store.read().rows == ()
    assert "panda study migrate" in store.read().problems[0]
    assert main(["study", "migrate", "--results", str(tmp_path)]) == 0
    (migrated,) = store.read().rows
    assert migrated == {**row, "processor": None}
    assert list(migrated) == list(row)
    assert origin_of(migrated).data == DATASETS["mutag"].fingerprint
    before = store.path.read_bytes()
    assert migrate(store).count == 0
    assert store.path.read_bytes() == before


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"split": "0" * 16}, "its split is not that of seed 0 on MUTAG"),
        ({"code": "1"}, "it is of version 1 of the code, which is not installed"),
        ({"key": "0" * 16}, "its config does not belong to its key"),
    ],
)
def test_rows_that_cannot_be_of_these_data_are_left_as_they_are(
    row: dict[str, Any],
    changes: dict[str, Any],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "own.jsonl"
    path.write_bytes(old(row, **changes))
    before = path.read_bytes()
    assert main(["study", "migrate", "--results", str(tmp_path)]) == 1
    assert f"line 1: {message}, left as it is" in capsys.readouterr().err
    assert path.read_bytes() == before


def test_rows_of_a_method_that_has_changed_since_are_left_as_they_are(
    row: dict[str, Any], tmp_path: Path
) -> None:
    store = Store(tmp_path / "own.jsonl")
    store.path.write_bytes(old(row))
    with METHODS.replaced({"none": replace(METHODS["none"], version=2)}):
        assert "its like is none-2 today: run it again" in migrate(store).problems[0]
    assert migrate(store).count == 1


def test_a_folder_without_rows_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["study", "migrate", "--results", str(tmp_path)]) == 2
    assert "a folder without rows" in capsys.readouterr().err
