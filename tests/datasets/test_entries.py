from __future__ import annotations

import dataclasses

import pytest
from torch_geometric.datasets import TUDataset

from panda_gnn.datasets import DATASETS


def test_every_name_knows_its_class_task_metric_classes_and_citation() -> None:
    assert list(DATASETS) == [
        "reddit-binary",
        "imdb-binary",
        "mutag",
        "enzymes",
        "proteins",
        "collab",
    ]
    for name, entry in DATASETS.items():
        assert entry.name == name
        assert entry.printed == name.upper()
        assert entry.dataset_class is TUDataset
        assert (entry.task, entry.metric) == ("graph", "accuracy")
        assert "TUDataset" in entry.citation
    assert [entry.num_classes for entry in DATASETS.values()] == [2, 2, 2, 6, 2, 3]
    without_features = [name for name, entry in DATASETS.items() if entry.constant_features]
    assert without_features == ["reddit-binary", "imdb-binary", "collab"]


def test_the_table_cannot_be_changed_by_accident() -> None:
    with pytest.raises(TypeError):
        DATASETS["mutag"] = DATASETS["collab"]  # type: ignore[index]
    with pytest.raises(dataclasses.FrozenInstanceError):
        DATASETS["mutag"].metric = "accuracy"  # type: ignore[misc]
