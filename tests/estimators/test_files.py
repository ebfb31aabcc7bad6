"""A saved model is the same model, in another process too; nothing in its folder is executed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from panda_gnn.errors import InputError
from panda_gnn.estimators import (
    PandaClassifier,
    PandaEstimator,
    PandaNodeClassifier,
    PandaRegressor,
    load_estimator,
)
from panda_gnn.evaluation.plugins import load_plugin
from tests.estimators.graphs_of_two_kinds import graphs_and_labels
from tests.estimators.test_nodes import two_cliques
from tests.evaluation.test_plugins import forgotten

GRAPHS, LABELS = graphs_and_labels()
QUICK: dict[str, Any] = {"max_epochs": 2, "k": 2, "width": 8, "high_width": 12, "random_state": 1}

AGAIN = """
import sys
import numpy as np
from panda_gnn.estimators import PandaClassifier
from tests.estimators.graphs_of_two_kinds import graphs_and_labels
model = PandaClassifier.load(sys.argv[1])
np.save(sys.argv[2], model.predict_proba(graphs_and_labels()[0]))
"""


@pytest.mark.parametrize("backbone", ["gcn", "gin", "rgcn"])
def test_the_same_bits_in_a_new_process(backbone: str, tmp_path: Path) -> None:
    model = PandaClassifier(**QUICK, backbone=backbone).fit(GRAPHS, LABELS)
    model.save(tmp_path / "model")
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == [
        "model.json",
        "weights.safetensors",
    ]
    expected = model.predict_proba(GRAPHS)
    assert model.num_edge_features_ == 0
    loaded = PandaClassifier.load(tmp_path / "model")
    assert loaded.num_edge_features_ == 0
    assert loaded.classes_.tolist() == ["ring", "star"]
    assert np.array_equal(loaded.predict_proba(GRAPHS), expected)
    if backbone == "gcn":
        found = tmp_path / "found.npy"
        command = [sys.executable, "-c", AGAIN, str(tmp_path / "model"), str(found)]
        subprocess.run(command, check=True, timeout=200)
        assert np.array_equal(np.load(found), expected)


def test_a_model_that_reads_features_of_edges(tmp_path: Path) -> None:
    """GINE reads ``edge_attr``; the other backbones leave it alone, and it may be missing."""
    generator = torch.Generator().manual_seed(0)
    bonded = [data.clone() for data in GRAPHS]
    for data in bonded:
        data.edge_attr = torch.rand(data.num_edges, 3, generator=generator)
    model = PandaClassifier(**QUICK, backbone="gine").fit(bonded, LABELS)
    model.save(tmp_path / "model")
    expected = model.predict_proba(bonded)
    loaded = PandaClassifier.load(tmp_path / "model")
    assert np.array_equal(loaded.predict_proba(bonded), expected)
    for data in bonded:
        data.edge_attr = data.edge_attr.flip(0)
    assert not np.array_equal(model.predict_proba(bonded), expected)
    with pytest.raises(InputError, match="no values, but the model was fitted with edge_attr"):
        loaded.predict(GRAPHS)
    for data in bonded:
        data.edge_attr = data.edge_attr[:, :2]
    with pytest.raises(InputError, match=r"edge_attr has the shape \[\d+, 2\]"):
        loaded.predict(bonded)
    with pytest.raises(InputError, match=r"gine reads edge_attr, which .* do not have: choose gin"):
        PandaClassifier(**QUICK, backbone="gine").fit(GRAPHS, LABELS)
    for data in bonded:
        data.edge_weight = torch.ones(data.num_edges)
    for backbone in ("gine", "sage", "gat"):
        with pytest.raises(InputError, match=f"backbone {backbone} does not read it: choose gcn"):
            PandaClassifier(**QUICK, backbone=backbone).fit(bonded, LABELS)
    for data in bonded:
        del data.edge_weight
    gcn = PandaClassifier(**QUICK).fit(bonded, LABELS)
    assert np.array_equal(gcn.predict_proba(bonded), gcn.predict_proba(GRAPHS))


def test_every_kind_and_method(tmp_path: Path) -> None:
    graph = two_cliques()
    numbers = np.arange(80.0).reshape(40, 2)
    fitted: list[tuple[PandaEstimator, Any]] = [
        (PandaRegressor(**QUICK).fit(GRAPHS, numbers), GRAPHS),
        (PandaNodeClassifier(**QUICK).fit(graph), graph),
        (PandaClassifier(**QUICK, method="digl").fit(GRAPHS, LABELS), GRAPHS),
        (PandaClassifier(**QUICK, method="fosr", backbone="rgin").fit(GRAPHS, LABELS), GRAPHS),
    ]
    for number, (model, data) in enumerate(fitted):
        model.save(tmp_path / str(number))
        loaded = load_estimator(tmp_path / str(number))
        assert type(loaded) is type(model)
        assert torch.equal(loaded._outputs(data), model._outputs(data))


def test_a_model_of_another_kind_or_a_folder_of_something_else(tmp_path: Path) -> None:
    model = PandaClassifier(**QUICK).fit(GRAPHS, LABELS)
    model.save(tmp_path / "model")
    model.save(tmp_path / "model")
    with pytest.raises(InputError, match="holds a PandaClassifier, not a PandaRegressor"):
        PandaRegressor.load(tmp_path / "model")
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "a.txt").write_text("Dear")
    with pytest.raises(InputError, match="holds something else"):
        model.save(tmp_path / "letters")
    with pytest.raises(InputError, match="holds no saved model"):
        load_estimator(tmp_path / "letters")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[:50], "is no JSON"),
        (lambda text: "[]", "no model of format 1"),
        (lambda text: text.replace('"format": 1', '"format": 9'), "no model of format 1"),
        (lambda text: text.replace("PandaClassifier", "PandaOracle"), "unknown kind of estimator"),
        (lambda text: text.replace('"backbone": "gcn"', '"backbone": "gxn"'), "unknown backbone"),
        (lambda text: text.replace('"width": 8', '"width": 9'), "no sound model"),
        (lambda text: text.replace('"<U4"', '"O"'), "no sound model"),
        (lambda text: text.replace('"learned"', '"lerned"'), "no sound model"),
    ],
)
def test_damaged_folders(change: Any, message: str, tmp_path: Path) -> None:
    PandaClassifier(**{**QUICK, "max_epochs": 1}).fit(GRAPHS, LABELS).save(tmp_path)
    file = tmp_path / "model.json"
    assert json.loads(file.read_text())
    file.write_text(change(file.read_text()))
    with pytest.raises(InputError, match=message):
        load_estimator(tmp_path)


def test_weights_of_another_model(tmp_path: Path) -> None:
    PandaClassifier(**QUICK).fit(GRAPHS, LABELS).save(tmp_path)
    weights = tmp_path / "weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:-4] + b"\0\0\0\0")
    with pytest.raises(InputError, match=r"not those of its model\.json"):
        load_estimator(tmp_path)


def test_a_model_knows_its_features(tmp_path: Path) -> None:
    bare = [Data(edge_index=data.edge_index, num_nodes=data.num_nodes) for data in GRAPHS]
    model = PandaClassifier(**QUICK, features="degree").fit(GRAPHS, LABELS)
    model.save(tmp_path)
    loaded = load_estimator(tmp_path)
    assert loaded.features_ == "degree"
    assert np.array_equal(loaded.predict_proba(bare), model.predict_proba(GRAPHS))


def test_a_model_that_was_saved_before_features_and_plugins_were(tmp_path: Path) -> None:
    model = PandaClassifier(**QUICK).fit(GRAPHS, LABELS)
    model.save(tmp_path)
    content = json.loads((tmp_path / "model.json").read_text())
    assert content.pop("plugins") == {}
    assert content["learned"].pop("features_") == "x"
    assert content["parameters"].pop("features") is None
    (tmp_path / "model.json").write_text(json.dumps(content))
    loaded = load_estimator(tmp_path)
    assert loaded.features_ is None
    assert np.array_equal(loaded.predict_proba(GRAPHS), model.predict_proba(GRAPHS))


def test_a_model_is_loaded_with_the_plugin_it_was_trained_with(tmp_path: Path) -> None:
    text = (
        "from panda_gnn import register_centrality, register_rewiring\n"
        "register_rewiring('same', lambda data: data)\n"
        "register_centrality('own')(lambda data: range(data.num_nodes))\n"
    )
    plugin, folder = tmp_path / "mine.py", tmp_path / "model"
    plugin.write_text(text)
    for options in ({"method": "same"}, {"centrality": "own"}):
        with forgotten():
            code = load_plugin(str(plugin)).hash
            model = PandaClassifier(**{**QUICK, **options}).fit(GRAPHS, LABELS)
            model.save(folder)
            expected = model.predict_proba(GRAPHS)
        assert json.loads((folder / "model.json").read_text())["plugins"] == {"mine": code}
        with pytest.raises(InputError, match="the plugin 'mine', which is not loaded: give it"):
            load_estimator(folder)
        with forgotten():
            load_plugin(str(plugin))
            assert np.array_equal(load_estimator(folder).predict_proba(GRAPHS), expected)
        with forgotten():
            plugin.write_text(text + "# changed\n")
            load_plugin(str(plugin))
            with pytest.raises(InputError, match="'mine' is not the one that it was trained with"):
                load_estimator(folder)
        plugin.write_text(text)
