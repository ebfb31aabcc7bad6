"""``panda train`` and ``panda compare``."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

import pytest

from panda_gnn.cli import main
from panda_gnn.cli.training import add_training_arguments, make_config
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.methods import complete
from panda_gnn.evaluation.tasks.long_range import PRESETS
from panda_gnn.evaluation.warmup import Kind

QUICK = ["--trials", "2", "--max-epochs", "2"]


@pytest.fixture(autouse=True)
def _root(shared_root: Path, monkeypatch: pytest.MonkeyPatch, staying: None) -> None:
    monkeypatch.setenv("PANDA_DATA_ROOT", str(shared_root))
    monkeypatch.delenv("PANDA_DATA_MIRROR", raising=False)
    monkeypatch.setenv("COLUMNS", "120")


def seeds_in(shown: str) -> list[str]:
    """The first column of the rows of a table."""
    return [line.split("│")[1].strip() for line in shown.splitlines() if "│" in line]


def test_train_prints_every_trial(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also: what the trials need is compiled before they start."""
    needed: list[Kind] = []

    def note(kinds: Iterable[Kind], *others: object) -> None:
        needed.extend(kinds)

    monkeypatch.setattr("panda_gnn.evaluation.warmup.compile_before", note)
    words = ["train", "--dataset", "mutag", "--backbone", "gcn", "--method", "panda"]
    words += ["--k", "10", "--width", "64", "--high-width", "112", "--centrality", "betweenness"]
    words += ["--max-epochs", "2", "--results", str(tmp_path)]
    assert main([*words, "--seed", "5", "--trials", "2"]) == 0
    shown = capsys.readouterr().out
    assert [(kind.method, kind.backbone) for kind in needed] == [("panda", "gcn")]
    assert "k=10" in shown
    assert "test accuracy (best-val)" in shown
    assert "n = 2" in shown
    assert seeds_in(shown) == ["5", "6"]
    assert main([*words, "--seed", "6", "--trials", "1"]) == 0
    assert seeds_in(capsys.readouterr().out) == ["6"]


def test_compare_sets_methods_beside_the_backbone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "--methods", "panda,mlp", "--backbone", "gin", *QUICK]) == 0
    shown = capsys.readouterr().out
    for expected in (
        " none ",
        " panda ",
        " mlp ",
        "mutag, gin, selection best-val",
        "77.700 ± 0.360",
    ):
        assert expected in shown


def test_compare_keeps_rows_only_where_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["compare", "--methods", "mlp", "--trials", "1", "--max-epochs", "1", "--workers", "1"]
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []
    assert main([*words, "--results", "rows"]) == 0
    out, error = capsys.readouterr()
    assert out == shown
    assert "ran 2 trials; 0 are left; rows are in rows/compare-mutag-gcn.jsonl" in error
    assert main([*words, "--results", "rows", "--trials", "2", "--seed", "3"]) == 0
    assert "ran 4 trials" in capsys.readouterr().err
    assert main([*words, "--results", "rows", "--trials", "2", "--seed", "3"]) == 0
    assert "ran 0 trials" in capsys.readouterr().err


def test_the_defaults_are_those_of_the_task_and_options_come_first() -> None:
    def config(*words: str) -> Config:
        parser = argparse.ArgumentParser()
        add_training_arguments(parser, trials=1)
        return make_config(parser.parse_args(words), "none")

    assert config("--dataset", "cora") == complete(Config("cora", num_layers=3))
    peptides = config("--dataset", "peptides-func")
    training = dict(PRESETS["dwivedi"].training)
    assert training.items() <= peptides.to_dict().items()
    other = config("--dataset", "peptides-func", "--set", "preset=toenshoff", "--width", "20")
    training = {**PRESETS["toenshoff"].training, "width": 20}
    assert training.items() <= other.to_dict().items()
    assert config("--dataset", "mutag") == Config("mutag")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--k", "-1"], "--k must be a whole number, zero or more, not -1"),
        (["--high-width", "32"], "high_width is 32, it must be at least width (64)"),
        (["--dataset", "mutug"], "unknown dataset 'mutug': choose one of"),
        (["--backbone", "gatt"], "unknown backbone 'gatt': choose one of gcn, gin, gine, rgcn"),
        (["--method", "magic"], "unknown method 'magic': choose one of none"),
        (["--centrality", "beauty"], "unknown centrality 'beauty': choose one of degree"),
        (["--selector", "best"], "unknown selector 'best': choose one of topk"),
        (["--selection", "luck"], "unknown selection 'luck': choose one of best-val, last"),
        (["--trials", "0"], "--trials must be a whole number, 1 or more, not 0"),
        (["--workers", "0"], "--workers must be a whole number, 1 or more, not 0"),
        (["--width", "0"], "--width must be a whole number, 1 or more, not 0"),
        (
            ["--set", "depth=3"],
            "unknown setting 'depth' of method panda: choose one of k, high_width",
        ),
        (["--set", "k=x"], "settings.panda.k must be a whole number, not 'x'"),
        (["--set", "k=NaN"], "settings.k must be a text, a finite number, true or false, not nan"),
        (["--set", "k=[1]"], "settings.k must be a text, a finite number, true or false, not [1]"),
        (["--seed", "9" * 4000], "zero or more, not a number of very many digits"),
        (["--seed", "9" * 5000], "--seed must be a whole number, zero or more, not '999"),
        (["--memory", "nan"], "--memory must be a number above 0, not nan"),
        (["--set", "depth"], "--set depth is not of the form NAME=VALUE"),
    ],
)
def test_wrong_options_are_one_sentence(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", *words]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("command", ["train", "compare", "search", "figure"])
def test_every_command_that_runs_trials_can_run_failed_ones_again(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    shown = capsys.readouterr().out
    assert "--retry-failed" in shown
    assert "--trial-seconds" in shown
