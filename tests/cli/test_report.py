"""``panda report``: pages from any folder of rows."""

from __future__ import annotations

from pathlib import Path

import pytest
from torch_geometric.nn import GraphConv

from panda_gnn import cli, register_backbone
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.methods import complete
from panda_gnn.evaluation.plugins import load_plugin
from panda_gnn.evaluation.study import Cell, Line, Study, load_study
from tests.datasets.test_resolver import node_table, write
from tests.evaluation.test_plugins import forgotten, written
from tests.reports.figures.pretend import store_trials


def test_pages_of_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = load_study("panda-vs-rgcn")
    store_trials(study, tmp_path, (study.datasets[0],), 2)
    folder = tmp_path / "pages"
    words = ["report", "--results", str(tmp_path), "--output", str(folder)]
    assert cli.main(words) == 0
    assert capsys.readouterr().out == f"{folder / 'index.html'}\n"
    assert sorted(path.name for path in folder.iterdir()) == ["index.html", "panda-vs-rgcn.html"]
    assert "panda-vs-rgcn.html" in (folder / "index.html").read_text()
    assert f"panda report --output {folder}" in (folder / "index.html").read_text()


def store_own(folder: Path, dataset: str, name: str, backbone: str = "gcn") -> None:
    config = Config(dataset, backbone)
    cell = Cell(dataset, Line(backbone, "none"), (complete(config),))
    store_trials(Study(name, "own", (cell,), 2), folder, (dataset,), 2)


def test_own_data_and_plugins_get_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {f"my data/{name}": text for name, text in node_table().items()})
    plugin = written(tmp_path)
    results = tmp_path / "rows"
    with forgotten():
        load_plugin(plugin)
        register_backbone("graphy", GraphConv)
        store_own(results, "my data/ring.csv", "train-my_data_ring.csv-gcn")
        store_own(results, "plugin-paths?split=cv4", "compare-plugin-paths")
        store_own(results, "mutag", "train-mutag-graphy", "graphy")
    words = ["report", "--results", "rows"]
    assert cli.main(words) == 0
    said = "which nobody registered here: name its plugin with --plugin"
    assert capsys.readouterr().err.splitlines() == [
        f"compare-plugin-paths.jsonl has no page: its rows are of 'plugin-paths', {said}",
        f"train-mutag-graphy.jsonl has no page: its rows are of 'graphy', {said}",
    ]
    pages = Path("report")
    assert "50.50 ±" in (pages / "train-my_data_ring.csv-gcn.html").read_text()
    with forgotten():
        assert cli.main([*words, "--plugin", plugin]) == 0
        page = (pages / "compare-plugin-paths.html").read_text()
        assert page.count(f"--trials 2 --plugin {plugin}") == 2  # in the table and for the scripts
        assert f"panda report --output report --plugin {plugin} --results rows" in page
    Path("my data/ring.csv").unlink()
    for name in ([], ["train-my_data_ring.csv-gcn"]):
        capsys.readouterr()
        assert cli.main([*words, *name]) == 2
        missing = "the data of its rows: there is no dataset, file or folder 'my data/ring.csv'"
        assert missing in capsys.readouterr().err


def test_nothing_to_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["report", "--results", str(tmp_path)]) == 2
    assert "a folder without rows of a study" in capsys.readouterr().err
