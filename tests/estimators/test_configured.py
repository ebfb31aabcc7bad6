"""The estimator of a trial's config."""

from __future__ import annotations

from pathlib import Path

import pytest

from panda_gnn.datasets import resolve
from panda_gnn.errors import InputError
from panda_gnn.estimators import PandaClassifier, PandaNodeClassifier
from panda_gnn.estimators.configured import configured, fit_on
from panda_gnn.evaluation.methods import configure
from panda_gnn.evaluation.tasks import load_data
from tests.datasets.test_resolver import csv_folder, node_table, write


def test_it_has_the_settings_of_the_config(tmp_path: Path) -> None:
    write(tmp_path, csv_folder())
    name = str(tmp_path / "g")
    config = configure(name, "gin", "panda", {"k": 1}, max_epochs=2, width=8)
    assert config.settings["high_width"] == 128
    model = configured(config, 3)
    assert isinstance(model, PandaClassifier)
    assert (model.k, model.high_width, model.width, model.random_state) == (1, 128, 8, 3)
    fit_on(model, load_data(name))
    assert model.classes_.tolist() == ["path", "triangle"]
    assert set(model.predict(list(load_data(name).dataset))) <= {"path", "triangle"}


def test_nodes_with_words_for_classes(tmp_path: Path) -> None:
    write(tmp_path, node_table(label=lambda i: "even" if i % 2 == 0 else "odd"))
    name = str(tmp_path / "ring.csv")
    model = configured(configure(name, "gcn", "none", max_epochs=2), 0)
    assert isinstance(model, PandaNodeClassifier)
    fit_on(model, load_data(name))
    assert model.classes_.tolist() == ["even", "odd"]


def test_methods_and_tasks_without_an_estimator() -> None:
    with pytest.raises(InputError, match="unknown method 'flag' of an estimator"):
        configured(configure("mutag", "gcn", "flag"), 0)
    with pytest.raises(InputError, match="unknown task 'multi-label' of a model that can be saved"):
        configured(configure("peptides-func", "gcn", "none"), 0)
    settings = {"iterations": 7}
    assert configured(configure("mutag", "gcn", "fosr", settings), 0).settings == settings


def test_classes_keep_their_numbers_and_features_are_those_of_the_name(tmp_path: Path) -> None:
    lines = "".join(f"{i},{(-1) ** i}\n" for i in range(12))
    write(tmp_path, {**csv_folder(), "g/labels.csv": "graph,label\n" + lines})
    name = f"{tmp_path / 'g'}?features=degree"
    model = configured(configure(name, "gcn", "none", max_epochs=2), 0)
    assert model.features == "degree"
    fit_on(model, load_data(name))
    assert isinstance(model, PandaClassifier)
    assert model.classes_.tolist() == [-1, 1]
    bare = list(resolve(tmp_path / "g").graphs)
    assert (model.predict_proba(bare) == model.predict_proba(load_data(name).dataset)).all()
