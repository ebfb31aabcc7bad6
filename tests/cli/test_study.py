"""``panda study``, with real trials of two epochs."""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from panda_gnn.cli import main
from panda_gnn.cli.options import seconds
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.store import INCIDENTAL, Store, line_of
from panda_gnn.evaluation.trial import run_trial
from tests.marks import thorough

OWN_STUDY = """
title = "Two epochs of everything"
trials = 2
datasets = ["mutag"]
backbones = ["gcn"]
methods = ["none", "panda", "flag"]

[published]
table = "main"

[training]
max_epochs = 2
"""


@pytest.fixture(autouse=True)
def _surroundings(
    shared_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, staying: None
) -> None:
    monkeypatch.setenv("PANDA_DATA_ROOT", str(shared_root))
    monkeypatch.delenv("PANDA_DATA_MIRROR", raising=False)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.toml").write_text(OWN_STUDY)


def written(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"own.toml"}


def test_a_study_from_start_to_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = ["study", "run", "own.toml", "--workers", "1", "--results", "rows"]
    assert main([*run, "--methods", "none,panda"]) == 0
    assert "ran 4 trials; 0 are left" in capsys.readouterr().err
    assert main([*run, "--trials", "3", "--budget", "1h"]) == 0
    assert "ran 5 trials; 0 are left" in capsys.readouterr().err

    rows = Store(tmp_path / "rows" / "own.jsonl").read().rows
    assert Counter(row["config"]["method"] for row in rows) == {"none": 3, "panda": 3, "flag": 3}
    by_seed = {(row["seed"], row["split"]) for row in rows}
    assert len(by_seed) == 3
    here = run_trial(Config("mutag", method="panda", max_epochs=2), 1)
    there = next(row for row in rows if row["key"] == here["key"] and row["seed"] == 1)
    for name in set(here) - set(INCIDENTAL):
        assert there[name] == here[name]

    verify = ["study", "verify", "own.toml", "--sample", "2", "--workers", "1", "--results", "rows"]
    assert main(verify) == 0
    captured = capsys.readouterr()
    assert "2 rows came out the same bit for bit" in captured.out
    assert captured.err.count(" s\n") == 2, "one line per trial"

    with (tmp_path / "rows" / "own.jsonl").open("a") as file:
        file.write(line_of({"key": "old", "seed": 0, "code": "0"}).decode() + '{"key": "ha')
    assert main([*run, "--trials", "3"]) == 0
    error = capsys.readouterr().err
    assert "the last line of rows/own.jsonl was damaged and is now in" in error
    assert "1 rows in rows/own.jsonl are of another version" in error
    assert "ran 0 trials; 0 are left" in error

    assert main(["study", "status", "own.toml", "--results", "rows"]) == 0
    shown = capsys.readouterr().out
    assert "gcn panda" in shown
    assert "3" in shown
    assert main(["table", "own.toml", "--results", "rows"]) == 0
    shown = capsys.readouterr().out
    assert "selection best-val" in shown
    assert "85.750 ± 1.396" in shown
    assert "missing" not in shown

    power = ["study", "power", "own.toml", "--results", "rows"]
    assert main([*power, "--difference", "2.5"]) == 0
    shown = capsys.readouterr().out
    assert "trials to see a difference of 2.5 in 80 % of cases" in shown
    assert "flag" in shown
    assert main([*power, "--difference", "0"]) == 2
    assert "--difference must be a number above 0, not 0.0" in capsys.readouterr().err
    assert main(["study", "power", "own.toml", "--results", "nothing"]) == 2
    assert "no two finished trials of two methods on shared splits" in capsys.readouterr().err


def test_a_trial_that_cannot_learn_is_shown_as_failed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "own.toml").write_text(OWN_STUDY + "learning_rate = 1e30\n")
    run = ["study", "run", "own.toml", "--workers", "1", "--methods", "none", "--trials", "1"]
    assert main(run) == 1
    assert "none on gcn, mutag, seed 0: FloatingPointError" in capsys.readouterr().err
    assert main(["study", "status", "own.toml"]) == 0
    assert "failed: none on gcn, mutag, seed 0: FloatingPointError" in capsys.readouterr().out
    assert main(run) == 0
    assert "1 trial failed in an earlier run, not tried again" in capsys.readouterr().err


def test_status_of_all_studies(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "status"]) == 0
    shown = capsys.readouterr().out
    assert "main" in shown
    assert "sweep-high-width" in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["mian"], "unknown study 'mian': choose one of centrality-gcn"),
        (
            ["main", "--datasets", "mutagg"],
            "'mutagg' of the study 'main': choose one of reddit-binary",
        ),
        (["main", "--methods", "pand"], "'pand' of the study 'main': choose one of none, last-fa"),
        (["main", "--backbones", "gat"], "'gat' of the study 'main': choose one of gcn, gin"),
        (["main", "--methods", ","], "no method is selected: choose one of none"),
        (["main", "--trials", "0"], "--trials must be a whole number, 1 or more, not 0"),
        (["main", "--workers", "0"], "--workers must be a whole number, 1 or more, not 0"),
        (["main", "--executor", "cloud"], "unknown executor 'cloud': choose one of local, ray"),
        (["main", "--track", "mlflow"], "unknown tracker 'mlflow': choose one of none"),
        (
            ["main", "--budget", "soon"],
            "--budget must be a time such as 90s, 30m or 1h30m, not 'soon'",
        ),
        (["main", "--trial-seconds", "-1"], "--trial-seconds must be a number above 0, not -1"),
        (["main", "--results", "own.toml/x"], "results folder 'own.toml/x' cannot be written"),
        (["runtime-forward", "--workers", "2"], "--workers must be 1 here"),
        (["panda-vs-rgcn", "--backbones", "gcn", "--methods", "none"], "no cell with all of these"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_writes_nothing(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["study", "run", *words]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert written(tmp_path) == set()


def test_a_wrong_centrality_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "own.toml").write_text(OWN_STUDY + "[settings.panda]\ncentrality = 'fame'\n")
    assert main(["study", "run", "own.toml"]) == 2
    assert "unknown centrality 'fame': choose one of degree" in capsys.readouterr().err
    assert written(tmp_path) == set()


@pytest.mark.parametrize(
    "name", [pytest.param("SIGINT", marks=pytest.mark.faults), *thorough("SIGTERM")]
)
def test_a_signal_to_end_says_how_to_continue(tmp_path: Path, name: str) -> None:
    (tmp_path / "own.toml").write_text(OWN_STUDY.replace("max_epochs = 2", "max_epochs = 100000"))
    program = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "from panda_gnn.cli import main; sys.exit(main())"
    )
    words = ["study", "run", "own.toml", "--workers", "1", "--trials", "50"]
    with subprocess.Popen(
        [sys.executable, "-c", program, *words], stderr=subprocess.PIPE, text=True
    ) as driver:
        while driver.poll() is None and not (tmp_path / "results" / "own.jsonl.claims").exists():
            time.sleep(0.1)
        driver.send_signal(getattr(signal, name))
        _, error = driver.communicate(timeout=30)
    assert driver.returncode == 130
    assert "the same command continues" in error
    assert "Traceback" not in error


@pytest.mark.parametrize(
    ("text", "expected"), [("90s", 90), ("30m", 1800), ("1h30m", 5400), ("2h", 7200)]
)
def test_times(text: str, expected: int) -> None:
    assert seconds(text) == expected


@pytest.mark.parametrize("text", ["", "30", "m", "1x", "-5m", "0s", "9" * 5000 + "h"])
def test_wrong_times(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="must be a time such as"):
        seconds(text)
