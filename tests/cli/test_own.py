"""Own data and plugins on the command line, and a model that is used afterwards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from panda_gnn.cli import main
from panda_gnn.cli.execution import LONGEST_NAME, file_name
from panda_gnn.datasets import resolve
from panda_gnn.estimators import PandaNodeClassifier, load_estimator
from tests.datasets.test_resolver import csv_folder, graphs, write
from tests.estimators.test_nodes import two_cliques
from tests.evaluation.test_plugins import _forget, written  # noqa: F401

QUICK = ["--max-epochs", "2", "--trials", "1", "--workers", "1"]


def test_train_save_and_predict(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    staying: None,
) -> None:
    write(tmp_path, csv_folder())
    monkeypatch.chdir(tmp_path)
    words = ["train", "--dataset", "g", "--k", "1", "--split", "cv4", "--save", "model", *QUICK]
    assert main([*words, "--json", "--results", "rows"]) == 0
    printed = capsys.readouterr()
    assert "g?split=cv4: 12 graphs" in printed.err
    assert "the model is in model" in printed.err
    assert "g?split=cv4 gcn panda seed 0: validation" in printed.err
    assert "ran 1 trial;" in printed.err
    content = json.loads(printed.out)
    assert content["config"]["dataset"] == "g?split=cv4"
    assert len(content["rows"]) == 1
    assert [path.name for path in Path("rows").glob("*.jsonl")] == ["train-g_split=cv4-gcn.jsonl"]
    write(tmp_path, {"new.csv": "a,b\nb,c\nc,a\n"})
    assert main(["predict", "model", "new.csv", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["prediction"] in ("path", "triangle")
    assert (row["number"], row["graph"]) == (0, "new.csv")
    assert sum(row["probabilities"].values()) == pytest.approx(1)
    assert main(["predict", "model", "g"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == [f"{i}.csv" for i in range(12)]
    Path("g/labels.csv").unlink()
    assert main(["predict", "model", "g"]) == 0
    assert sorted(capsys.readouterr().out.splitlines()) == sorted(lines)
    assert main([*words, "--results", "rows"]) == 2
    assert "nor labels.csv beside edge lists" in capsys.readouterr().err


def test_a_model_of_nodes_takes_one_graph(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, model = two_cliques(), str(tmp_path / "model")
    options: dict[str, Any] = {
        "max_epochs": 2,
        "k": 3,
        "width": 8,
        "high_width": 12,
        "random_state": 0,
    }
    PandaNodeClassifier(**options).fit(data, mask=data.train_mask).save(model)
    torch.save([data], tmp_path / "one.pt")
    torch.save([data, data], tmp_path / "two.pt")
    assert main(["predict", model, str(tmp_path / "one.pt")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == [f"node {node}" for node in range(20)]
    data.node_names = [f"id{node}" for node in range(20)]
    torch.save(data, tmp_path / "named.pt")
    assert main(["predict", model, str(tmp_path / "named.pt")]) == 0
    assert [line.replace("id", "node ") for line in capsys.readouterr().out.splitlines()] == lines
    assert main(["predict", model, str(tmp_path / "named.pt"), "--json"]) == 0
    row = json.loads(capsys.readouterr().out)[3]
    assert (row["number"], row["node"], row["prediction"]) == (3, "id3", int(lines[3].split()[2]))
    assert main(["predict", model, str(tmp_path / "two.pt")]) == 2
    assert "is for the nodes of one graph, got 2 graphs" in capsys.readouterr().err


def test_what_does_not_fit_a_model_gets_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], staying: None
) -> None:
    write(tmp_path, csv_folder())
    for name, width in (("wide", 2), ("narrow", 1)):
        listed = graphs()
        for data in listed:
            data.x = data.x[:, :width]
        torch.save(listed, tmp_path / f"{name}.pt")
    model, narrow = str(tmp_path / "model"), str(tmp_path / "narrow.pt")
    words = ["train", "--dataset", narrow, "--method", "none", "--save", model]
    assert main([*words, *QUICK]) == 0
    capsys.readouterr()
    assert main(["predict", model, str(tmp_path / "wide.pt")]) == 2
    assert "2 features per node, but the model was fitted with 1" in capsys.readouterr().err
    assert main(["predict", model, str(tmp_path / "g")]) == 2
    assert "has no features of nodes, which the model was trained with" in capsys.readouterr().err
    for choice in ("task=classification", "split=cv10", "metric=accuracy"):
        assert main(["predict", model, f"{narrow}?{choice}"]) == 2
        name = choice.partition("=")[0]
        assert f"says {name}, which is for training: leave it out" in capsys.readouterr().err
    assert main(["predict", str(tmp_path), str(tmp_path / "wide.pt")]) == 2
    assert "holds no saved model" in capsys.readouterr().err
    assert main(["train", "--method", "flag", "--save", model, *QUICK]) == 2
    assert "unknown method 'flag' of an estimator" in capsys.readouterr().err


def test_a_plugin_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plugin = written(tmp_path)
    words = ["compare", "--dataset", "plugin-paths", "--methods", "plugin-cut", "--plugin", plugin]
    assert main([*words, *QUICK, "--json"]) == 0
    printed = capsys.readouterr()
    lines = json.loads(printed.out)
    assert [line["line"] for line in lines] == ["none", "plugin-cut"]
    assert "plugin-paths: 12 graphs" in printed.err
    assert (
        main(["centrality", "plugin-paths", "--measure", "plugin-index", "--plugin", plugin]) == 0
    )
    assert "plugin-index" in capsys.readouterr().out
    assert main(["train", "--plugin", "nowhere.py"]) == 2
    assert "there is no plugin" in capsys.readouterr().err


def test_own_graphs_in_other_commands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"roads.csv": "source,target\na,b\nb,c\nc,d\nd,a\n"})
    torch.save(graphs(), "list.pt")
    assert main(["centrality", "roads.csv", "--measure", "degree", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["measure"] == "degree"
    assert main(["rewire", "roads.csv", "--method", "fosr", "--quick", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)
    assert main(["diagnose", "list.pt", "--graph", "3", "--no-html", "--k", "1"]) == 0
    assert "list.pt, graph 3" in capsys.readouterr().out
    assert main(["diagnose", "list.pt", "--graph", "12", "--no-html"]) == 2
    assert "has the graphs 0 to 11" in capsys.readouterr().err
    assert main(["train", "--dataset", "roads.csv"]) == 2
    assert "graph 0 has no target y" in capsys.readouterr().err


def test_names_of_files_with_rows() -> None:
    assert file_name("train-mutag-gcn") == "train-mutag-gcn"
    assert file_name("train-/a b/c.csv?split=cv10-gcn") == "train-_a_b_c.csv_split=cv10-gcn"
    assert len(file_name("x/" * 500)) == LONGEST_NAME
    assert file_name("x/" * 500) != file_name("x/" * 501)


def test_where_a_model_shall_be_is_looked_at_before_training(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], staying: None
) -> None:
    (tmp_path / "keep").mkdir()
    (tmp_path / "keep" / "notes.txt").write_text("mine")
    words = ["train", "--method", "none", *QUICK, "--save"]
    assert main([*words, str(tmp_path / "keep")]) == 2
    printed = capsys.readouterr()
    assert "holds something else" in printed.err
    assert "seed 0" not in printed.err
    assert main([*words, str(tmp_path / "model")]) == 0
    assert main([*words, str(tmp_path / "model")]) == 2
    assert "holds a model: choose a new folder, or give --overwrite" in capsys.readouterr().err
    assert main([*words, str(tmp_path / "model"), "--overwrite"]) == 0


def test_predictions_are_made_with_the_features_of_the_training(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], staying: None
) -> None:
    lines = "".join(f"{i},{i % 2 + 1}\n" for i in range(12))
    write(tmp_path, {**csv_folder(), "g/labels.csv": "graph,label\n" + lines})
    torch.save(graphs(2), tmp_path / "wide.pt")
    folder, model = str(tmp_path / "g"), tmp_path / "model"
    words = ["train", "--dataset", folder, "--features", "degree", "--method", "none"]
    assert main([*words, *QUICK, "--save", str(model)]) == 0
    capsys.readouterr()
    fitted: Any = load_estimator(model)
    fitted.features = fitted.features_ = "x"
    expected = fitted.predict_proba(resolve(folder, features="degree").dataset)
    for source in (folder, f"{folder}?features=degree"):
        assert main(["predict", str(model), source, "--json"]) == 0
        predicted, said = capsys.readouterr()
        rows = json.loads(predicted)
        assert [list(row["probabilities"].values()) for row in rows] == expected.tolist()
        assert {row["prediction"] for row in rows} <= {1, 2}
        assert said == ""
    assert main(["predict", str(model), f"{folder}?features=constant"]) == 2
    assert "says features=constant, but the model was trained with degree" in (
        capsys.readouterr().err
    )
    assert main(["predict", str(model), str(tmp_path / "wide.pt")]) == 0
    assert "its features are not read, the model was trained with degree" in capsys.readouterr().err
    content = json.loads((model / "model.json").read_text())
    del content["parameters"]["features"], content["learned"]["features_"]
    (model / "model.json").write_text(json.dumps(content))
    assert main(["predict", str(model), folder]) == 2
    assert "the model was saved before models knew theirs" in capsys.readouterr().err
    assert main(["predict", str(model), f"{folder}?features=degree", "--json"]) == 0
    assert capsys.readouterr().out == predicted
