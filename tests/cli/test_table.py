"""``panda table``."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from panda_gnn.cli import main
from panda_gnn.evaluation.bundled import study_names
from panda_gnn.evaluation.measurements import MEASURES
from panda_gnn.evaluation.store import Store
from panda_gnn.evaluation.study import load_study
from tests.evaluation.pretend import pretend_trial


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Five pretended trials of every cell of the controls on MUTAG, and half a line."""
    store = Store(tmp_path / "controls.jsonl")
    for cell in load_study("controls").select(["mutag"], ["gcn"]).cells:
        for seed in range(5):
            store.append(
                {**pretend_trial(cell.candidates[0], seed), "code": MEASURES["score"].code}
            )
    with store.path.open("a") as file:
        file.write('{"key": "ha')
    return tmp_path


def test_the_controls_beside_panda(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (results / "controls.jsonl").read_bytes()
    words = ["table", "controls", "--datasets", "mutag", "--results", str(results)]
    assert main([*words, "--selection", "last"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "mutag, gcn, selection last" in shown
    assert "panda minus" in shown
    assert "What does the extra width add to PANDA? (panda minus equal-width)" in shown
    assert "mutag, gin: missing" in shown
    assert f"line {len(before.splitlines())}: damaged" in shown
    assert (results / "controls.jsonl").read_bytes() == before


def test_coverage_of_the_paper(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["table", "--coverage", "--results", str(results)]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["main", "116", "2", "0"] in lines
    assert ["all", "395", "2", "0"] in lines
    assert main(["table"]) == 2
    assert "NAME is missing" in capsys.readouterr().err


def test_the_claims_of_the_paper(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["table", "--claims", "--results", str(tmp_path)]
    assert main([*words, "--format", "markdown"]) == 0
    line = (
        "| gcn panda | mutag | gcn none | +13.60 |  |  | open | better | "
        "`panda table main --datasets mutag` |"
    )
    assert line in capsys.readouterr().out.splitlines()
    assert main(words) == 0
    assert "open" in " ".join(capsys.readouterr().out.split())
    assert main([*words, "--format", "csv"]) == 2
    assert "--format is 'csv'" in capsys.readouterr().err


DRAWN = [
    "energy",
    "hub",
    "sensitivity-method",
    "sensitivity-width",
    "short-range",
    "signal",
    "transfer",
    "tree-neighbors",
]


@pytest.mark.parametrize("name", sorted(set(study_names()) - set(DRAWN)))
def test_every_study_has_a_table_even_without_a_row(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["table", name, "--results", str(tmp_path)]) == 0
    assert "missing" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_a_method_is_shown_with_what_it_is_compared_with(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["table", "controls", "--datasets", "mutag", "--backbones", "gcn", "--methods", "flag"]
    assert main([*words, "--format", "csv", "--results", str(results)]) == 0
    lines = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [line["line"] for line in lines] == ["panda", "flag"]
    assert lines[1]["difference_n"] == "5"


def test_csv(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["table", "controls", "--datasets", "mutag", "--backbones", "gcn"]
    assert main([*words, "--format", "csv", "--results", str(results)]) == 0
    lines = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(lines) == len(load_study("controls").methods)
    assert {line["n"] for line in lines} == {"5"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nothing"], "unknown study 'nothing': choose one of"),
        (["energy"], "the study 'energy' has no table: panda figure draws its rows"),
        (["main", "--format", "word"], "unknown format 'word': choose one of terminal, markdown"),
        (["main", "--selection", "best"], "unknown selection 'best': choose one of best-val"),
        (["main", "--datasets", "cora"], "'cora' of the study 'main': choose one of reddit-binary"),
    ],
)
def test_wrong_names_are_one_sentence(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["table", *words]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
