"""``panda search``, with pretended trials."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from panda_gnn.cli import main
from panda_gnn.evaluation.measure import Measure
from panda_gnn.evaluation.measurements import MEASURES
from panda_gnn.evaluation.store import Store
from tests.evaluation.pretend import CODE, pretend_trial


@pytest.fixture(autouse=True)
def _pretend(
    tmp_path: Path, shared_root: Path, monkeypatch: pytest.MonkeyPatch, staying: None
) -> Iterator[None]:
    monkeypatch.setenv("PANDA_DATA_ROOT", str(shared_root))
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)
    with MEASURES.replaced({"score": Measure("score", pretend_trial, CODE)}):
        yield


def test_a_grid_is_searched_and_continues(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["search", "--space", "k=1,3", "--space", "centrality=degree,load", "--workers", "1"]
    assert main([*words, "--trials", "2"]) == 0
    out, error = capsys.readouterr()
    assert "ran 8 trials" in error
    assert "validation" in out
    assert "test" not in out
    assert "[settings.panda.gcn]\nmutag = { " in out
    assert main([*words, "--trials", "3"]) == 0
    assert "ran 4 trials" in capsys.readouterr().err
    assert len(Store(tmp_path / "results" / "search-mutag-gcn-panda.jsonl").read().rows) == 12


def test_optuna_searches_too(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["search", "--sampler", "tpe", "--samples", "5", "--trials", "1", "--workers", "1"]
    assert main(words) == 0
    out, error = capsys.readouterr()
    assert "5 combinations" in out
    assert "ran 5 trials" in error


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--dataset", "mutagg"], "unknown dataset 'mutagg': choose one of"),
        (["--method", "pand"], "unknown method 'pand': choose one of"),
        (["--backbone", "gatt"], "unknown backbone 'gatt': choose one of"),
        (["--sampler", "luck"], "unknown sampler 'luck': choose one of grid, tpe, random"),
        (["--space", "centrality=fame"], "unknown centrality 'fame': choose one of"),
        (["--space", "depth=1"], "unknown setting 'depth'"),
        (["--space", "k"], "--space is 'k', it must be like k=1,3,5"),
        (["--trials", "0"], "--trials must be a whole number, 1 or more, not 0"),
        (["--samples", "0"], "--samples must be a whole number, 1 or more, not 0"),
        (["--method", "none"], "no setting with a known search space"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_writes_nothing(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["search", *words]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
