"""``panda centrality`` on MUTAG, as a user types it."""

from __future__ import annotations

from pathlib import Path

import pytest

from panda_gnn.centrality import CENTRALITIES
from panda_gnn.cli import main


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")


def lines(capsys: pytest.CaptureFixture[str]) -> dict[str, list[str]]:
    """The lines of what was printed, by their first word."""
    words = [line.split() for line in capsys.readouterr().out.splitlines()]
    return {line[0]: line[1:] for line in words if line}


def test_every_measure_has_a_line_with_its_time(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["centrality", "mutag", "--root", str(root)]) == 0
    printed = lines(capsys)
    assert set(CENTRALITIES) < set(printed)
    assert float(printed["betweenness"][0]) >= 0
    assert printed["load"][:2] == ["with", "betweenness"]
    assert printed["188"][:2] == ["graphs,", "3371"]


def test_libraries_are_set_beside_it(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["centrality", "mutag", "--root", str(root), "--measure", "betweenness,load"]
    assert main([*words, "--against", "igraph,networkx", "--reference-graphs", "5"]) == 0
    printed = capsys.readouterr().out
    assert "networkx on 5 graphs drawn by cost (seed 0), its times extrapolated to all" in (
        " ".join(printed.split())
    )
    (line,) = [line.split() for line in printed.splitlines() if "betweenness " in line[:13]]
    assert len(line) == 6
    assert float(line[3]) <= 1e-9
    assert float(line[5]) <= 1e-9


def test_samples_come_with_their_error(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["centrality", "mutag", "--root", str(root), "--samples", "10", "--measure", "load"]
    assert main(words) == 0
    printed = capsys.readouterr().out
    assert "largest error" in printed


@pytest.mark.parametrize("measures", ["all", "load"])
def test_one_graph_is_drawn(root: Path, tmp_path: Path, measures: str) -> None:
    picture = tmp_path / "graph.png"
    words = ["centrality", "mutag", "--root", str(root), "--measure", measures, "--graph", "3"]
    assert main([*words, "--plot", str(picture)]) == 0
    assert picture.read_bytes()[1:4] == b"PNG"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["nothing"], "nothing"),
        (["mutag", "--measure", "fame"], "unknown centrality 'fame': choose one of degree"),
        (["mutag", "--against", "matlab"], "unknown library 'matlab': choose one of igraph, net"),
        (["mutag", "--graph", "188"], "--graph is 188, it must be in 0..187"),
        (["mutag", "--samples", "1"], "--samples must be a whole number, 2 or more, not 1"),
        (["mutag", "--samples", "9", "--measure", "degree"], "sampled 'degree': choose one of"),
        (["mutag", "--threads", "0"], "--threads must be a whole number, 1 or more, not 0"),
        (["mutag", "--plot", "graph.foo", "--measure", "load"], "the name must end in one of"),
        (["mutag", "--plot", "/nowhere/graph.png", "--measure", "load"], "cannot be saved as"),
    ],
)
def test_bad_requests_end_with_one_sentence(
    words: list[str], sentence: str, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["centrality", *words, "--root", str(root)]) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert len(error.splitlines()) == 1
