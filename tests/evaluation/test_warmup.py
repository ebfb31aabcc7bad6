"""Kernels are compiled by tiny trials, once, before trials start."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from panda_gnn.evaluation import warmup
from panda_gnn.evaluation.methods import configure
from panda_gnn.evaluation.warmup import Kind, compile_before, compile_kind, is_ready, kind_of


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(warmup, "kernel_folder", lambda function: tmp_path)
    return tmp_path


def test_the_kind_of_a_config() -> None:
    assert kind_of(configure("mutag", "gin", "fosr")) == Kind("gin", "fosr")
    config = configure("mutag", "gcn", "panda", {"centrality": "degree"})
    assert kind_of(config) == Kind("gcn", "panda", "degree")


@pytest.mark.parametrize("method", ["none", "panda", "fosr"])
def test_a_tiny_trial_compiles_what_is_missing(method: str) -> None:
    compile_kind(Kind("gcn", method))
    assert compile_kind(Kind("gcn", method)) == 0


def test_a_kind_is_compiled_once_and_until_the_package_changes(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    compiled: list[Kind] = []

    def note(kind: Kind) -> float:
        compiled.append(kind)
        if kind.method == "fosr":
            raise ValueError("no")
        return 2.0

    monkeypatch.setattr(warmup, "compile_kind", note)
    kinds = [Kind("gcn", "none"), Kind("gcn", "panda", "degree"), Kind("gcn", "none")]
    with ThreadPoolExecutor(1) as executor:
        assert compile_before(kinds, executor) == {}
        assert "compiled the kernels of none, panda in" in capsys.readouterr().err
        assert compile_before([*kinds, Kind("gcn", "fosr")], executor).keys() == {
            Kind("gcn", "fosr")
        }
        assert compiled == [*kinds[:2], Kind("gcn", "fosr")]
        assert capsys.readouterr().err == ""
    assert is_ready(kinds[0])
    assert not is_ready(Kind("gcn", "fosr"))
    monkeypatch.setattr(warmup, "_stamp", lambda: "another version")
    assert not is_ready(kinds[0])


@pytest.mark.usefixtures("folder")
def test_another_worker_begins_with_the_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are those of the same method on the degree, and nobody asked for these to work."""
    compiled: list[Kind] = []

    def note(kind: Kind) -> float:
        compiled.append(kind)
        if kind.centrality == "degree":
            raise ValueError("no")
        return 0.0

    monkeypatch.setattr(warmup, "compile_kind", note)
    kinds = [Kind("gcn", "panda", "betweenness"), Kind("gcn", "panda", "load")]
    with ThreadPoolExecutor(1) as executor:
        assert compile_before(kinds, executor) == {}
    assert compiled == [*kinds, Kind("gcn", "panda", "degree")]


def test_where_nothing_can_be_kept_nothing_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup, "kernel_folder", lambda function: None)
    monkeypatch.setattr(warmup, "compile_kind", lambda kind: 0.0)
    with ThreadPoolExecutor(1) as executor:
        compile_before([Kind("gcn", "none")], executor)
    assert not is_ready(Kind("gcn", "none"))


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("count", [4, 5])
def test_few_methods_are_named_and_many_counted(
    count: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(warmup, "compile_kind", lambda kind: 0.5)
    methods = ["digl", "fosr", "none", "panda", "sdrf"][:count]
    with ThreadPoolExecutor(1) as executor:
        assert compile_before([Kind("gcn", method) for method in methods], executor) == {}
    named = "digl, fosr, none, panda" if count == 4 else "5 methods"
    assert f"compiled the kernels of {named} in" in capsys.readouterr().err
