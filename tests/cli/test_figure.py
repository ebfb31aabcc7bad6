"""``panda figure``: files, the command in the caption, and mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from panda_gnn import cli
from panda_gnn.reports.figures import FIGURES, signal


@pytest.fixture(autouse=True)
def place(monkeypatch: pytest.MonkeyPatch, shared_root: Path, tmp_path: Path) -> None:
    monkeypatch.setitem(cli.COMMANDS, "figure", "draw a figure of the paper")
    monkeypatch.setenv("PANDA_DATA_ROOT", str(shared_root))
    monkeypatch.chdir(tmp_path)


def test_writes_three_files(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signal, "BACKBONES", ("gcn",))
    monkeypatch.setattr("panda_gnn.reports.figures.contestants.REWIRINGS", ())
    words = ["figure", "signal", "--dataset", "mutag", "--trials", "1", "--graphs", "2"]
    assert cli.main([*words, "--out", "here"]) == 0
    printed = capsys.readouterr().out.split()
    assert printed == [f"here/signal-mutag.{ending}" for ending in ("png", "svg", "csv")]
    with Image.open(printed[0]) as image:
        assert "$ panda " + " ".join(words) in str(image.info["Description"])


def test_help_lists_all_figures(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["figure", "--help"])
    out = capsys.readouterr().out
    for name in FIGURES:
        assert f"  {name} " in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nothing"], "unknown figure 'nothing': choose one of resistance"),
        (["signal", "--dataset", "nothing"], "unknown dataset 'nothing'"),
        (["signal", "--trials", "0"], "--trials is 0, it must be at least 1"),
        (["signal", "--graphs", "0"], "--graphs is 0, it must be at least 1"),
        (["transfer", "--dataset", "mutag"], "the figure 'transfer' has its own data"),
        (["topk", "--dataset", "mutag"], "run panda study run sweep-k --datasets mutag first"),
    ],
)
def test_mistakes_get_one_sentence(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["figure", *words]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
