"""``panda search``, with pretended trials."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from panda_gnn.cli import main
from panda_gnn.cli.execution import Execution
from panda_gnn.errors import InputError
from panda_gnn.evaluation.measure import Measure
from panda_gnn.evaluation.measurements import MEASURES
from panda_gnn.evaluation.run import Outcome
from panda_gnn.evaluation.store import Store
from panda_gnn.evaluation.study import Study
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


def test_ten_of_many_combinations_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["search", "--space", "k=1,2,3,4,5,6", "--space", "centrality=degree,load"]
    assert main([*words, "--trials", "1", "--workers", "1"]) == 0
    out = capsys.readouterr().out
    assert "12 combinations, the best" in out
    assert sum("degree" in line or "load" in line for line in out.splitlines()) == 10 + 1  # of TOML


def test_the_name_of_own_data_is_a_key_of_toml(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder has a slash in its name, which a bare key must not have."""
    (tmp_path / "mine").mkdir()
    for number in range(12):
        edges = "".join(f"{node},{node + 1}\n" for node in range(3 + number % 3))
        (tmp_path / "mine" / f"g{number}.csv").write_text(f"source,target\n{edges}")
    labels = "".join(f"g{number},{number % 2}\n" for number in range(12))
    (tmp_path / "mine" / "labels.csv").write_text(f"graph,label\n{labels}")
    words = ["search", "--dataset", "mine/", "--space", "k=1,3", "--workers", "1"]
    assert main([*words, "--trials", "1"]) == 0
    assert '[settings.panda.gcn]\n"mine/" = { k = ' in capsys.readouterr().out


def test_what_every_study_of_a_search_did_is_added_up(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    did = Outcome(ran=2, adopted=3, left=4, failures=["no memory"], failed_before=5)
    monkeypatch.setattr(Execution, "run", lambda self, study, *, trials: did)
    said: list[Outcome] = []
    monkeypatch.setattr(
        "panda_gnn.cli.search.report", lambda name, outcome, store: said.append(outcome)
    )
    words = ["search", "--sampler", "tpe", "--samples", "3", "--trials", "1", "--space", "k=1,3,5"]
    main(words)
    capsys.readouterr()
    (total,) = said
    times = total.ran // 2
    assert times > 1
    assert total == Outcome(
        ran=2 * times,
        adopted=3 * times,
        left=4 * times,
        failures=["no memory"] * times,
        failed_before=5 * times,
    )


def test_optuna_searches_too(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["search", "--sampler", "tpe", "--samples", "5", "--trials", "1", "--workers", "1"]
    assert main(words) == 0
    out, error = capsys.readouterr()
    assert "5 combinations" in out
    assert "ran 5 trials" in error


def test_failures_are_printed_when_the_workers_are_lost(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    outcomes = iter([Outcome(failures=["panda on gcn, mutag, seed 0: no memory"])])

    def run(self: Execution, study: Study, *, trials: int) -> Outcome:
        for outcome in outcomes:
            return outcome
        raise InputError("no worker is left")

    monkeypatch.setattr(Execution, "run", run)
    assert main(["search", "--sampler", "random", "--samples", "2", "--workers", "1"]) == 2
    error = capsys.readouterr().err
    assert "seed 0: no memory" in error
    assert "no worker is left" in error


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (["search", "--sampler", "tpe"], "optuna"),
        (["train", "--track", "tensorboard", "--results", "rows"], "tensorboard"),
        (["train", "--track", "wandb", "--results", "rows"], "wandb"),
    ],
)
def test_a_missing_extra_leaves_no_file_behind(
    words: list[str],
    extra: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, extra, None)
    assert main(words) == 2
    assert f"this needs the package '{extra}'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


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


def test_a_plain_backbone_is_searched_too(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["search", "--dataset", "mutag", "--method", "none", "--space", "width=16,32"]
    assert main([*words, "--trials", "1", "--workers", "1"]) == 0
    assert "[settings.none.gcn]\nmutag = { width = " in capsys.readouterr().out
