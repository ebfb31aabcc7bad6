"""Node classification: splits, training in one piece, and every method on a small graph."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.utils import to_undirected

from panda_gnn.datasets import DATASETS
from panda_gnn.errors import InputError
from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.methods import METHODS, complete, configure
from panda_gnn.evaluation.tasks import load_data
from panda_gnn.evaluation.tasks.node_classification import NODE_CLASSIFICATION, node_split
from panda_gnn.evaluation.train import train
from panda_gnn.evaluation.trial import run_trial
from panda_gnn.nn import GNN
from panda_gnn.rewiring import Cayley, HalfHop, Rewiring, VirtualNode
from tests.datasets.test_resolver import edit, node_table, write


def small_graph(num_nodes: int = 60) -> Data:
    """A graph whose features give the class away, with ten public splits."""
    torch.manual_seed(0)
    nodes = torch.arange(num_nodes)
    y = nodes % 5
    order = (torch.arange(num_nodes).view(-1, 1) + torch.arange(10)) % 10
    return Data(
        x=torch.eye(5)[y] + 0.1 * torch.randn(num_nodes, 5),
        edge_index=to_undirected(torch.stack([nodes, nodes * nodes % num_nodes])),
        y=y,
        train_mask=order < 5,
        val_mask=(order >= 5) & (order < 8),
        test_mask=order >= 8,
    )


@pytest.mark.parametrize("num_nodes", [10, 183, 5201])
def test_random_splits_are_60_20_20_and_depend_on_the_seed_alone(num_nodes: int) -> None:
    data = Data(num_nodes=num_nodes)
    split = node_split(data, "random", 3)
    parts = (split.train, split.validation, split.test)
    assert sorted(torch.cat(parts).tolist()) == list(range(num_nodes))
    assert [len(part) for part in parts[:2]] == [int(0.6 * num_nodes), int(0.2 * num_nodes)]
    assert node_split(data, "random", 3).hash == split.hash
    assert node_split(data, "random", 4).hash != split.hash


def test_public_splits_are_the_columns_of_the_masks() -> None:
    data = small_graph()
    for seed, number in ((0, 0), (7, 7), (13, 3)):
        split = node_split(data, "public", seed)
        assert torch.equal(split.train, data.train_mask[:, number].nonzero().view(-1))
        assert torch.equal(split.validation, data.val_mask[:, number].nonzero().view(-1))
        assert torch.equal(split.test, data.test_mask[:, number].nonzero().view(-1))


def test_training_is_the_literal_loop() -> None:
    data = small_graph()
    config = Config("texas", max_epochs=4, dropout=0.0)
    split = node_split(data, "random", 1)
    torch.manual_seed(2)
    model = GNN(5, 5, width=8, num_layers=2, dropout=0.0, readout=None)
    twin = GNN(5, 5, width=8, num_layers=2, dropout=0.0, readout=None)
    twin.load_state_dict(model.state_dict())
    table = NODE_CLASSIFICATION.collate([data])
    curves = train(model, table, split, NODE_CLASSIFICATION.recipe(config), 1)
    optimizer = torch.optim.Adam(twin.parameters(), lr=1e-3)
    for epoch in range(4):
        out = twin(data.x, data.edge_index)
        loss = torch.nn.functional.cross_entropy(out[split.train], data.y[split.train])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        right = (twin(data.x, data.edge_index).argmax(1) == data.y).double()
        assert curves.validation[epoch] == pytest.approx(float(right[split.validation].mean()))
        assert curves.test[epoch] == pytest.approx(float(right[split.test].mean()))


def test_labels_outside_the_training_nodes_do_not_reach_the_model() -> None:
    data = small_graph()
    split = node_split(data, "random", 0)
    config = Config("texas", max_epochs=5, patience=9)
    weights = []
    for poisoned in (False, True):
        y = data.y.clone()
        if poisoned:
            y[split.test] = (y[split.test] + 1) % 5
            y[split.validation] = (y[split.validation] + 2) % 5
        torch.manual_seed(0)
        model = GNN(5, 5, width=4, readout=None)
        table = dataclasses.replace(NODE_CLASSIFICATION.collate([data]), y=y)
        train(model, table, split, NODE_CLASSIFICATION.recipe(config), 0)
        weights.append(torch.cat([p.detach().view(-1) for p in model.parameters()]))
    assert torch.equal(*weights)


@pytest.fixture
def _texas(mirror: Path, shared_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PANDA_DATA_ROOT", str(shared_root))
    monkeypatch.setenv("PANDA_DATA_MIRROR", str(mirror))


@pytest.mark.usefixtures("_texas")
@pytest.mark.parametrize("method", [name for name, m in METHODS.items() if not m.whole_graphs])
def test_every_method_runs_on_a_node_set(method: str) -> None:
    row = run_trial(Config("texas", "gcn", method, num_layers=3, max_epochs=2), 0)
    assert json.loads(json.dumps(row)) == row
    assert (row["epochs"], row["metric"]) == (2, "accuracy")
    assert row["config"]["settings"]["split"] == "random"
    assert 0 <= row["scores"]["best-val"]["test"] <= 1


@pytest.mark.usefixtures("_texas")
def test_a_trial_is_the_same_again_and_shares_its_split() -> None:
    config = Config("texas", "gcn", "panda", num_layers=3, max_epochs=3)
    rows = [run_trial(config, 4), run_trial(config, 4)]
    assert rows[0]["scores"] == rows[1]["scores"]
    other = run_trial(Config("texas", "gcn", "fosr", max_epochs=1), 4)
    assert other["split"] == rows[0]["split"]
    public = Config("texas", "gcn", settings={"split": "public"}, max_epochs=1)
    assert run_trial(public, 4)["split"] != rows[0]["split"]
    assert run_trial(public, 4)["split"] == run_trial(public, 14)["split"]


@pytest.mark.usefixtures("_texas")
def test_a_rewired_graph_is_kept_beside_the_dataset(shared_root: Path) -> None:
    config = Config("texas", "gcn", "borf", {"added": 2, "batches": 1}, max_epochs=2)
    folder = shared_root / "texas" / "rewiring"
    first = run_trial(config, 0)
    kept = set(folder.glob("borf-*.safetensors"))
    assert kept
    assert run_trial(config, 0)["scores"] == first["scores"]
    assert set(folder.glob("borf-*.safetensors")) == kept


def test_defaults_and_what_cannot_be() -> None:
    config = complete(Config("cora", "gcn", "panda"))
    assert dict(config.settings) == {
        "k": 50,
        "high_width": 96,
        "centrality": "betweenness",
        "selector": "topk",
        "variant": "paper",
        "split": "random",
    }
    assert configure("cora").num_layers == 3
    assert complete(Config("squirrel-filtered", "gcn", "panda")).settings["k"] == 25
    own: dict[str, Setting] = {"k": 3, "high_width": 70, "centrality": "degree"}
    assert complete(Config("cora", "gin", "panda", own)).settings["k"] == 3
    for config, says in (
        (Config("cora", "gin", "panda"), "the paper has no settings for gin on cora"),
        (Config("cora", "gcn", "panda", width=128), "high_width is 96"),
        (Config("cora", settings={"split": "half"}), "unknown split 'half': choose one of random"),
        (Config("cora", "gcn", "wl-svm"), "method wl-svm is for datasets with a class"),
    ):
        with pytest.raises(InputError, match=says):
            complete(config)
    assert DATASETS["cora"].task == "node-classification"


def test_own_data_that_change_are_loaded_again(tmp_path: Path) -> None:
    write(tmp_path, node_table())
    name = str(tmp_path / "ring.csv")
    before = load_data(name)
    assert load_data(name) is before
    edit(tmp_path / "ring.nodes.csv", "3,1.5,1", "3,1.5,0")
    after = load_data(name)
    assert (int(before.graphs.y[3]), int(after.graphs.y[3])) == (1, 0)
    assert before.fingerprint != after.fingerprint == after.entry.fingerprint


@pytest.mark.parametrize(
    "transform", [VirtualNode(), VirtualNode(2), Cayley(), HalfHop()], ids=repr
)
def test_added_nodes_are_no_targets(transform: Rewiring) -> None:
    graph = small_graph()
    table = NODE_CLASSIFICATION.collate([transform(graph)])
    assert table.target_nodes is not None
    assert table.x.size(0) > 60
    assert torch.equal(table.target_nodes, torch.arange(60))
    assert torch.equal(table.y, graph.y)
    model = GNN(5, 5, width=4, readout=None)
    assert table.scores(model).shape == (60, 5)
