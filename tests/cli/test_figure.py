"""``panda figure``: files, the command in the caption, and mistakes."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PIL import Image

from panda_gnn import cli
from panda_gnn.reports.figures import FIGURES
from tests.marks import thorough


@pytest.fixture(autouse=True)
def place(
    monkeypatch: pytest.MonkeyPatch, shared_root: Path, tmp_path: Path, staying: None
) -> None:
    monkeypatch.setitem(cli.COMMANDS, "figure", "draw a figure of the paper")
    monkeypatch.setenv("PANDA_DATA_ROOT", str(shared_root))
    monkeypatch.chdir(tmp_path)


def test_writes_pictures_csv_and_caption(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["figure", "sensitivity-width", "--trials", "1", "--graphs", "2"]
    assert cli.main([*words, "--output", "here", "--workers", "1"]) == 0
    captured = capsys.readouterr()
    assert "ran 7 trials; 0 are left; rows are in results/sensitivity-width.jsonl" in captured.err
    printed = captured.out.split()
    assert printed == [
        f"here/sensitivity-width-mutag.{end}" for end in ("png", "svg", "csv", "txt")
    ]
    with Image.open(printed[0]) as image:
        assert "$ panda " + " ".join(words) in str(image.info["Description"])
    assert cli.main([*words, "--out", "again", "--root", "nowhere"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    for first, second in zip(printed, captured.out.split(), strict=True):
        assert Path(first).read_bytes() == Path(second).read_bytes()


@pytest.mark.parametrize(
    "blow",
    [*thorough(signal.SIGKILL), pytest.param(signal.SIGINT, marks=pytest.mark.faults)],
)
def test_a_figure_goes_on_where_it_was_ended(
    blow: signal.Signals, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["figure", "sensitivity-width", "--trials", "4", "--graphs", "2", "--workers", "1"]
    program = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "from panda_gnn.cli import main; sys.exit(main())"
    )
    store = Path("results/sensitivity-width.jsonl")
    with subprocess.Popen(
        [sys.executable, "-c", program, *words], stderr=subprocess.PIPE, text=True
    ) as driver:
        while driver.poll() is None and not (store.exists() and store.read_text().count("\n") > 1):
            time.sleep(0.02)
        driver.send_signal(blow)
        _, error = driver.communicate(timeout=60)
    if blow == signal.SIGINT:
        assert driver.returncode == 130
        assert "the same command continues" in error
    assert not Path("figures").exists()
    before = store.read_text().count("\n")
    assert 2 <= before < 28
    assert cli.main(words) == 0
    assert f"ran {28 - before} trials; 0 are left" in capsys.readouterr().err
    assert Path("figures/sensitivity-width-mutag.png").exists()


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
        (["signal", "--trials", "0"], "--trials must be a whole number, 1 or more, not 0"),
        (["signal", "--graphs", "0"], "--graphs must be a whole number, 1 or more, not 0"),
        (["signal", "--workers", "0", "--dataset", "mutag"], "--workers must be a whole number"),
        (["energy", "--graphs", "9"], "graphs is 9: training needs at least 10"),
        (
            ["signal", "--dataset", "cora"],
            "unknown dataset 'cora' of the study 'signal': choose one of reddit-binary",
        ),
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
