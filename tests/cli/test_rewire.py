"""``panda rewire`` on MUTAG, as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from torch_geometric.data import Data

from panda_gnn.cli import main, rewire
from panda_gnn.cli.rewire import check_pairs
from panda_gnn.errors import InputError
from panda_gnn.rewiring import REWIRINGS
from tests.marks import thorough

#: Methods that every run of the suite tries here; each has tests of its own.
ALWAYS = ("digl", "fosr")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")


def table(words: list[str], root: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, list[str]]:
    """The cells of what the command prints, by the name of the line."""
    assert main(["rewire", "mutag", *words, "--root", str(root)]) == 0
    cells = {}
    for line in capsys.readouterr().out.splitlines():
        *name, before, after, change = line.split() if len(line.split()) > 3 else ["", "", "", ""]
        cells[" ".join(name)] = [before, after, change]
    return cells


def test_what_changed_and_how_long_it_took(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed = table(["--method", "fosr", "--iterations", "10"], root, capsys)
    assert printed["edges of all graphs"] == ["3721", "5601", "+1880"]
    for name in ("spectral gap, mean", "total resistance, mean", "balanced Forman curvature, mean"):
        before, after, change = map(float, printed[name])
        assert change == pytest.approx(after - before, abs=2e-4)
    assert float(printed["spectral gap, mean"][2]) > 0
    assert float(printed["total resistance, mean"][2]) < 0
    assert any(words[-1] == "s" for words in printed.values())


@pytest.mark.parametrize("method", [*ALWAYS, *thorough(*(n for n in REWIRINGS if n not in ALWAYS))])
def test_every_method_runs(method: str, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed = table(["--method", method, "--quick"], root, capsys)
    before, after, change = (float(cell) for cell in printed["edges of all graphs"])
    assert before == 3721
    assert change == after - before
    assert "spectral gap, mean" not in printed


def test_options_reach_the_method(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "--method",
        "sdrf",
        "--iterations",
        "2",
        "--tau",
        "5",
        "--removal-bound",
        "9",
        "--quick",
    ]
    assert table(words, root, capsys)["edges of all graphs"][2] == "+376"
    words = ["--method", "borf", "--batches", "1", "--added", "0", "--removed", "2", "--quick"]
    assert table(words, root, capsys)["edges of all graphs"][2] == "-376"


def test_a_directed_result_is_measured_too(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--method", "borf", "--variant", "released", "--batches", "1"]
    assert float(table(words, root, capsys)["edges of all graphs"][2]) > 0


@pytest.mark.parametrize("method", ["borf", "virtual-node"])
def test_one_graph_is_drawn(root: Path, tmp_path: Path, method: str) -> None:
    picture = tmp_path / "graph.png"
    words = ["--method", method, "--quick", "--graph", "3", "--plot", str(picture)]
    assert main(["rewire", "mutag", *words, "--root", str(root)]) == 0
    assert picture.read_bytes()[1:4] == b"PNG"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["nothing", "--method", "fosr"], "unknown dataset 'nothing'"),
        (["mutag", "--method", "x"], "unknown method 'x': choose one of digl, fa, sdrf"),
        (["mutag", "--method", "fosr", "--iterations", "-1"], "iterations must be a whole number"),
        (
            ["mutag", "--method", "fosr", "--rounds", "1"],
            "fosr has no option --rounds: it has --it",
        ),
        (["mutag", "--method", "fa", "--seed", "1"], "fa has no option --seed: it has none"),
        (["mutag", "--method", "fa", "--graph", "188"], "--graph is 188, it must be in 0..187"),
        (
            ["mutag", "--method", "fa", "--threads", "0"],
            "--threads must be a whole number, 1 or more, not 0",
        ),
        (["mutag", "--method", "fa", "--plot", "graph.foo"], "the name must end in one of"),
        (["mutag", "--method", "fa", "--plot", "/nowhere/graph.png"], "cannot be saved as"),
    ],
)
def test_bad_requests_end_with_one_sentence(
    words: list[str], sentence: str, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rewire", *words, "--root", str(root)]) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert len(error.splitlines()) == 1


def test_too_many_pairs_are_refused() -> None:
    graphs = [Data(num_nodes=30), Data(num_nodes=11)]
    with pytest.raises(InputError, match="choose another method"):
        check_pairs(graphs, most=1000)
    check_pairs(graphs, most=1021)


def test_what_waits_is_said_beside_the_numbers(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    words = ["rewire", "mutag", "--method", "fosr", "--quick", "--json", "--root", str(root)]
    assert main(words) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)
    assert "compiling, once per installation" in said.err


def test_pairs_are_counted_before_anything_is_rewired(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = []
    monkeypatch.setattr(rewire, "check_pairs", lambda graphs: counted.append(len(graphs)))
    for method in ("fa", "fosr"):
        assert main(["rewire", "mutag", "--method", method, "--quick", "--root", str(root)]) == 0
    assert counted == [188]
