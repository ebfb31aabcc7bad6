"""Datasets, methods, backbones, centralities and rewirings of one's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GraphConv
from torch_geometric.transforms import AddSelfLoops, BaseTransform
from torch_geometric.utils import degree

import panda_gnn
from panda_gnn import (
    register_backbone,
    register_centrality,
    register_dataset,
    register_method,
    register_rewiring,
)
from panda_gnn.centrality import centrality
from panda_gnn.datasets import resolve
from panda_gnn.errors import InputError
from panda_gnn.estimators import PandaClassifier
from panda_gnn.evaluation import plugins
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.executors import LocalExecutor, RayExecutor
from panda_gnn.evaluation.methods import METHODS, Method, configure, parts
from panda_gnn.evaluation.trial import run_trial
from panda_gnn.nn.models import _PAPER_LAYERS, GNN, PLAIN_LAYERS
from panda_gnn.registry import OWNERS
from tests.odd_graphs import ODD_GRAPHS

PLUGIN = '''
import torch
from torch_geometric.data import Batch, Data
from torch_geometric.transforms import BaseTransform
from panda_gnn import register_centrality, register_dataset, register_rewiring

@register_dataset("plugin-paths")
def paths():
    edges = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    return [Data(x=torch.full((3, 1), float(i)), edge_index=edges, y=i % 2) for i in range(12)]

@register_centrality("plugin-index")
def index(data):
    return range(data.num_nodes)

@register_rewiring("plugin-cut", first=1)
class Cut(BaseTransform):
    """Drops edges."""
    def __init__(self, first=0):
        self.first = first
    def forward(self, data):
        data.edge_index = data.edge_index[:, self.first:]
        return data
'''


@contextmanager
def forgotten() -> Iterator[None]:
    """What is registered meanwhile is gone afterwards."""
    state = plugins._state()
    more = [(entries, dict(entries)) for entries in (PLAIN_LAYERS._entries, _PAPER_LAYERS)]
    loaded = dict(plugins.LOADED)
    try:
        yield
    finally:
        plugins._restore([*state, *more])
        plugins.LOADED.clear()
        plugins.LOADED.update(loaded)


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    with forgotten():
        yield


def written(folder: Path, text: str = PLUGIN, name: str = "mine.py") -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def test_a_plugin_registers_everything(tmp_path: Path) -> None:
    plugin = plugins.load_plugin(written(tmp_path))
    assert plugin.name == "mine"
    assert plugins.load_plugin("mine.py", tmp_path) is plugin
    assert resolve("plugin-paths").entry.num_graphs == 12
    assert resolve("plugin-paths?split=cv4").entry.split == "cv4"
    data = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=3)
    assert centrality("plugin-index", data).tolist() == [0, 1, 2]
    config = configure("plugin-paths", "gcn", "plugin-cut", max_epochs=1)
    assert config.settings == {"first": 1}
    row = run_trial(config, 0)
    assert row["parts"]["plugin mine"] == plugin.hash
    assert "plugin-cut-1" in row["parts"]["method"]
    panda = configure("plugin-paths", "gcn", "panda", {"centrality": "plugin-index", "k": 1})
    assert parts(panda)["plugin mine"] == plugin.hash
    assert parts(configure("mutag", "gcn", "none")) == {
        "task": "graph-classification-1",
        "method": "none-1",
    }


@pytest.mark.thorough
def test_the_same_row_on_a_worker(tmp_path: Path) -> None:
    plugin = plugins.load_plugin(written(tmp_path))
    config = configure("plugin-paths", "gcn", "plugin-cut", max_epochs=2)
    with LocalExecutor(1) as executor:
        call = executor.submit(plugins.run_with_plugins, [plugin], run_trial, config, 0)
        there = call.result()
    here = run_trial(config, 0)
    for name in ("key", "scores", "parts", "data", "split"):
        assert there[name] == here[name]


def test_changed_code_has_another_hash(tmp_path: Path) -> None:
    first = plugins.load_plugin(written(tmp_path))
    other = written(tmp_path, PLUGIN.replace("plugin-", "other-") + "\n# changed\n", "other.py")
    second = plugins.load_plugin(other)
    assert first.hash != second.hash
    stale = second._replace(hash=first.hash)
    with pytest.raises(InputError, match="is not the driver's"):
        plugins.run_with_plugins([stale], print)


def test_a_package_is_hashed_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "panda_plugin_of_tests"
    package.mkdir()
    (package / "__init__.py").write_text("from . import part\n")
    (package / "part.py").write_text("A = 1\n")
    monkeypatch.chdir(tmp_path)
    before = plugins.load_plugin("panda_plugin_of_tests").hash
    (package / "part.py").write_text("A = 2\n")
    assert plugins._hash(plugins._files(package / "__init__.py")) != before


def test_what_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"raised ZeroDivisionError when it was imported"):
        plugins.load_plugin(written(tmp_path, PLUGIN + "\n1 / 0\n"))
    assert "plugin-cut" not in METHODS
    assert ("dataset", "plugin-paths") not in OWNERS
    plugins.load_plugin(written(tmp_path))
    assert "plugin-cut" in METHODS


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nowhere.py", "there is no plugin"),
        ("no_such_plugin_module", "there is no plugin"),
        ("no-module", "is no module and no file"),
    ],
)
def test_plugins_that_are_not_there(source: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        plugins.load_plugin(source)


def test_entry_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Entry:
        name, value = "mine", "entry_plugin_of_tests"

    (tmp_path / "entry_plugin_of_tests.py").write_text(PLUGIN)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(
        plugins, "entry_points", lambda group: [Entry] if "plugins" in group else []
    )
    plugins.load_entry_points()
    assert "plugin-cut" in METHODS


def test_an_own_centrality_sees_one_graph_after_the_other() -> None:
    seen: list[Data] = []

    @register_centrality("spread")
    def spread(data: Data) -> torch.Tensor:
        seen.append(data)
        scores: torch.Tensor = degree(data.edge_index[0], data.num_nodes) / data.num_nodes
        return scores

    graphs = [ODD_GRAPHS[name] for name in ("path", "star", "isolated nodes")]
    found = centrality("spread", Batch.from_data_list(graphs))
    expected = [degree(g.edge_index[0], g.num_nodes) / g.num_nodes for g in graphs]
    assert found.tolist() == pytest.approx(torch.cat(expected).tolist())
    for data, graph in zip(seen[-3:], graphs, strict=True):
        assert data.num_nodes == graph.num_nodes
        assert sorted(data.edge_index.t().tolist()) == sorted(graph.edge_index.t().tolist())
    assert centrality("spread", []).tolist() == []


def test_a_transform_in_one_line() -> None:
    register_rewiring("loops", AddSelfLoops())
    register_rewiring("same", lambda data: data)
    data = METHODS["loops"]
    assert "AddSelfLoops" in data.summary
    rows = {
        method: run_trial(Config("mutag", "gin", method, max_epochs=2), 0)
        for method in ("none", "same", "loops")
    }
    assert rows["same"]["scores"] == rows["none"]["scores"]
    assert rows["loops"]["parts"]["plugin test_plugins"] == OWNERS["method", "loops"].hash


def test_rewirings_that_give_no_graph() -> None:
    register_rewiring("nothing", lambda data: None)
    register_dataset("one-graph")(
        lambda: Data(
            x=torch.ones(12, 1), edge_index=torch.tensor([[0], [1]]), y=torch.arange(12) % 2
        )
    )
    register_rewiring("smaller", lambda data: data.subgraph(torch.arange(3)))
    with pytest.raises(InputError, match="gives no Data with x and edge_index for graph 0"):
        run_trial(configure("one-graph", "gcn", "nothing", max_epochs=1), 0)
    with pytest.raises(InputError, match="changes the number of nodes"):
        run_trial(configure("one-graph", "gcn", "smaller", max_epochs=1), 0)


@pytest.mark.parametrize("method", ["none", "panda"])
def test_an_own_backbone(method: str) -> None:
    register_backbone("graphconv", GraphConv)
    settings: dict[str, Any] = {"k": 2, "high_width": 80, "centrality": "degree"}
    config = configure(
        "mutag", "graphconv", method, settings if method == "panda" else {}, max_epochs=1
    )
    assert run_trial(config, 0)["parts"]["plugin test_plugins"]


def test_an_own_method() -> None:
    @register_method("narrow")
    def narrow() -> Method:
        """Half as wide."""
        return Method(
            "half as wide",
            model=lambda task, graphs, config: task.model(
                GNN, graphs, config, width=config.width // 2
            ),
        )

    assert narrow().summary == "half as wide"
    whole = run_trial(Config("mutag", max_epochs=1), 0)["parameters"]["trained"]
    half = run_trial(Config("mutag", method="narrow", max_epochs=1), 0)["parameters"]["trained"]
    assert half < whole / 2


def test_settings_of_an_own_method_are_its_own() -> None:
    """A plugin's ``k`` may be what PANDA's cannot be, and an estimator's k is none of it."""

    class Keep(BaseTransform):
        def __init__(self, k: int = -1, high_width: float = 0.5) -> None:
            self.k, self.high_width = k, high_width

        def forward(self, data: Any) -> Any:
            return data

    register_rewiring("keep", Keep)
    config = configure("mutag", "gcn", "keep", {"k": -3, "high_width": 0.25})
    assert config.settings == {"k": -3, "high_width": 0.25}
    assert PandaClassifier(method="keep").config().settings == {"k": -1, "high_width": 0.5}
    with pytest.raises(InputError, match=r"settings.keep.k must be a whole number, not 'many'"):
        configure("mutag", "gcn", "keep", {"k": "many"})
    with pytest.raises(InputError, match=r"settings.panda.k must be 0 or more, not -3"):
        configure("mutag", "gcn", "panda", {"k": -3})


def test_names_that_are_taken_or_impossible() -> None:
    with pytest.raises(InputError, match="already a method called 'fosr'"):
        register_rewiring("fosr", AddSelfLoops())
    with pytest.raises(InputError, match="already a dataset called 'mutag'"):
        register_dataset("mutag")(list)
    with pytest.raises(InputError, match="already a centrality called 'degree'"):
        register_centrality("degree")(len)
    with pytest.raises(InputError, match="already a backbone called 'sage'"):
        register_backbone("sage", GraphConv)
    with pytest.raises(InputError, match="text without spaces"):
        register_dataset("my data")(list)
    with pytest.raises(InputError, match="is no class to give them to"):
        register_rewiring("x", AddSelfLoops(), k=3)
    with pytest.raises(InputError, match="not a Method"):
        register_method("y")(lambda: 3)


def test_a_transform_that_draws_gives_the_same_graphs_again() -> None:
    class Drop(BaseTransform):
        def forward(self, data: Any) -> Any:
            data.edge_index = data.edge_index[:, torch.rand(data.num_edges) < 0.5]
            return data

    register_rewiring("drop", Drop())
    config = Config("mutag", method="drop", max_epochs=1)
    first = run_trial(config, 0)["scores"]
    torch.rand(5)
    assert run_trial(config, 0)["scores"] == first


def test_registrations_are_found_at_the_top() -> None:
    for name in panda_gnn.__all__:
        assert getattr(panda_gnn, name) is not None
    with pytest.raises(AttributeError):
        panda_gnn.register_nothing  # noqa: B018


@pytest.mark.faults
def test_the_same_row_on_ray(tmp_path: Path) -> None:
    plugin = plugins.load_plugin(written(tmp_path))
    config = configure("plugin-paths", "gcn", "plugin-cut", max_epochs=2)
    with RayExecutor(1) as executor:
        call = executor.submit(plugins.run_with_plugins, [plugin], run_trial, config, 0)
        there = call.result()
    assert there["scores"] == run_trial(config, 0)["scores"]
    assert there["parts"] == parts(config)
