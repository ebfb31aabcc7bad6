"""``panda advise`` from files to advice."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from panda_gnn import cli
from panda_gnn.cli import advise, diagnose
from panda_gnn.cli.execution import Execution
from panda_gnn.datasets.causes import labelled_graphs, write_csv_folder
from panda_gnn.evaluation.advice import plan, quick
from tests.evaluation.test_run import InThisProcess


def test_thirty_graphs_are_too_few(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_csv_folder(labelled_graphs("size", num_graphs=30), tmp_path / "few")
    monkeypatch.chdir(tmp_path)
    depths: list[int] = []
    summarise = diagnose.summarise_with_bar

    def noted(dataset: Any, depth: int) -> Any:
        depths.append(depth)
        return summarise(dataset, depth)

    monkeypatch.setattr(advise, "summarise_with_bar", noted)
    assert cli.main(["advise", "few/", "--layers", "3", "--output", "deep/few.html"]) == 0
    assert depths == [4]  # a model of 3 hidden layers passes messages 4 times
    out = capsys.readouterr().out
    assert "Too few graphs to tell: with 30 of them" in out
    assert out.rstrip().endswith("deep/few.html")
    page = Path("deep/few.html").read_text(encoding="utf-8")
    assert "panda advise few/ --layers 3" in page
    assert "https:" not in page


def test_from_graphs_to_advice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two networks, two splits, one epoch: the forests tell, and all of it is there."""
    write_csv_folder(labelled_graphs("size", num_graphs=100), tmp_path / "size")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Execution, "_open_executor", lambda self: InThisProcess(1))
    monkeypatch.setattr(plan, "fit_budget", lambda *given: plan.Budget(2, 1))
    monkeypatch.setattr(plan, "NETWORKS", ("none", "deeper"))
    monkeypatch.setattr(quick, "TREES", 5)
    monkeypatch.setattr(plan, "QUICK_SPLITS", 2)
    assert cli.main(["advise", "size/", "--json", "--layers", "1", "--workers", "1"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["rows"] == 100
    assert found["budget"] == {"trials": 2, "epochs": 1}
    assert {"majority", "size alone", "none", "deeper"} <= set(found["validation"])
    assert all(len(scores) == 2 for scores in found["validation"].values())
    assert found["validation"]["size alone"]["0"] == 1.0
    assert found["findings"][0]["kind"] == "cause"
    assert found["sentences"][0].startswith("The label follows the size")
    assert found["graphs"]["nodes"]["least"] == 10


def test_options_decide_the_budget_before_the_time_does(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Any, ...]] = []

    def fit_budget(*given: Any) -> plan.Budget:
        asked.append(given[1:])
        return plan.Budget(5, 70)

    monkeypatch.setattr(plan, "fit_budget", fit_budget)
    monkeypatch.setattr("os.cpu_count", lambda: 6)
    usual: dict[str, Any] = {
        "trials": None,
        "epochs": None,
        "minutes": None,
        "quick": False,
        "workers": None,
    }
    usual |= {"backbone": "gin", "layers": 3}
    for changed, budget in (
        ({}, (5, 70)),
        ({"trials": 2}, (2, 70)),
        ({"epochs": 9, "quick": True}, (5, 9)),
        ({"minutes": 0.5, "quick": True, "workers": 4}, (5, 70)),
        ({"trials": 2, "epochs": 9}, (2, 9)),
    ):
        options = argparse.Namespace(**{**usual, **changed})
        found = advise._budget(None, options)  # type: ignore[arg-type]
        assert (found.trials, found.epochs) == budget
    assert asked == [
        ("gin", 3, 60 * advise.MINUTES, 6),
        ("gin", 3, 60 * advise.MINUTES, 6),
        ("gin", 3, 60 * advise.QUICK_MINUTES, 6),
        ("gin", 3, 30.0, 4),
    ]
    assert advise.QUICK_MINUTES < advise.MINUTES


def test_the_command_that_is_printed_gives_the_same() -> None:
    options = argparse.Namespace(dataset="my graphs/", backbone="gin", layers=2)
    assert advise.command(options, plan.Budget(3, 40)) == (
        "panda advise 'my graphs/' --backbone gin --layers 2 --trials 3 --epochs 40"
    )
    options = argparse.Namespace(dataset="mutag", backbone="gcn", layers=None)
    assert advise.command(options, None) == "panda advise mutag"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["mutagg"], "did you mean mutag?"),
        (["mutag", "--backbone", "gnc"], "unknown backbone 'gnc'"),
        (["mutag", "--minutes", "0"], "--minutes must be a number above 0, not 0"),
    ],
)
def test_mistakes(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["advise", *words]) == 2
    assert message in capsys.readouterr().err
