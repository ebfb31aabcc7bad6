"""``panda diagnose`` on a dataset, on files, and on mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from panda_gnn import cli


@pytest.fixture(autouse=True)
def place(monkeypatch: pytest.MonkeyPatch, shared_root: Path, tmp_path: Path) -> None:
    monkeypatch.setitem(cli.COMMANDS, "diagnose", "see where a graph squashes")
    monkeypatch.setenv("PANDA_DATA_ROOT", str(shared_root))
    monkeypatch.chdir(tmp_path)


def test_a_graph_of_a_dataset(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["diagnose", "mutag", "--graph", "17", "--model", "panda-gcn", "--width", "8"]
    assert cli.main(words) == 0
    out = capsys.readouterr().out
    assert "MUTAG, graph 17" in out
    assert "untrained (random weights, seed 0)" in out
    assert out.rstrip().endswith("diagnose-mutag-17.html")
    page = Path("diagnose-mutag-17.html").read_text()
    assert "panda diagnose mutag --graph 17 --model panda-gcn --width 8" in page
    assert "https:" not in page


def test_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    Path("my graph.txt").write_text("ann ben\nben cat\n")
    words = ["diagnose", "my graph.txt", "--model", "gin", "--k", "1", "--layers", "2"]
    assert cli.main([*words, "--output", "deep/er/page.html"]) == 0
    assert "ben" in capsys.readouterr().out
    page = Path("deep/er/page.html").read_text()
    assert "panda diagnose &#x27;my graph.txt&#x27; --model gin --k 1 --layers 2" in page


def test_a_whole_dataset(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["diagnose", "mutag", "--graphs", "3", "--layers", "2"]) == 0
    out = capsys.readouterr().out
    assert "3 of 188 graphs, for a model of 3 message-passing layers" in out
    assert out.rstrip().endswith("diagnose-mutag.html")
    page = Path("diagnose-mutag.html").read_text()
    assert "panda diagnose mutag --graphs 3 --model panda-gcn --layers 2" in page
    assert '"rows":[[0,' in page


def test_print_only() -> None:
    Path("graph.txt").write_text("0 1\n")
    assert cli.main(["diagnose", "graph.txt", "--no-html"]) == 0
    assert list(Path().glob("*.html")) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nothing"], "'nothing' is neither a dataset (reddit-binary, "),
        (["missing.txt"], "there is no file 'missing.txt'"),
        (["bad.txt"], "'bad.txt', line 2: expected 'node node'"),
        (["bad.txt", "--graph", "1"], "--graph chooses a graph of a dataset"),
        (["mutag", "--graph", "188"], "--graph is 188, but mutag has the graphs 0 to 187"),
        (["mutag", "--graphs", "2", "--graph", "1"], "--graphs is for a whole dataset"),
        (["mutag", "--model", "gat"], "unknown model 'gat': choose one of gcn, gin"),
        (["mutag", "--centrality", "fame"], "unknown centrality 'fame'"),
        (["good.txt", "--graphs", "2"], "--graphs is for a whole dataset of several graphs"),
        (["good.txt", "--rewiring", "magic"], "unknown rewiring 'magic'"),
        (["mutag", "--width", "0"], "--width must be a whole number, 1 or more, not 0"),
        (["mutag", "--layers", "0"], "--layers must be a whole number, 1 or more, not 0"),
        (["mutag", "--k", "-1"], "--k must be a whole number, zero or more, not -1"),
        (["mutag", "--high-width", "8"], "--high-width is 8, it must be at least --width (64)"),
        (["good.txt", "--html", "good.txt/x.html"], "cannot be written to 'good.txt/x.html'"),
    ],
)
def test_mistakes_get_one_sentence(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("bad.txt").write_text("0 1\n1 2 3 4\n")
    Path("good.txt").write_text("0 1\n")
    assert cli.main(["diagnose", *words]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
