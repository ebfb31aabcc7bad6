from __future__ import annotations

import dataclasses

import pytest
from torch_geometric.datasets import LRGBDataset, Planetoid, TUDataset, WebKB, WikipediaNetwork

from panda_gnn.datasets import DATASETS
from panda_gnn.evaluation.tasks import task_of

GRAPH_SETS = ["reddit-binary", "imdb-binary", "mutag", "enzymes", "proteins", "collab"]
NODE_SETS = ["texas", "cornell", "wisconsin", "squirrel", "cora", "citeseer", "squirrel-filtered"]
PEPTIDES = ["peptides-func", "peptides-struct"]


def test_every_name_knows_its_class_task_metric_classes_and_citation() -> None:
    assert list(DATASETS) == [*GRAPH_SETS, *NODE_SETS, *PEPTIDES]
    for name, entry in DATASETS.items():
        assert entry.name == name
        assert entry.printed.lower() == name
        assert entry.citation
    for name in GRAPH_SETS:
        entry = DATASETS[name]
        assert entry.printed == name.upper()
        assert issubclass(entry.dataset_class, TUDataset)
        assert (entry.task, task_of(name).metric.name) == ("graph-classification", "accuracy")
        assert "TUDataset" in entry.citation
    assert [DATASETS[name].num_classes for name in GRAPH_SETS] == [2, 2, 2, 6, 2, 3]
    without_features = [name for name, entry in DATASETS.items() if entry.features == "constant"]
    assert without_features == ["reddit-binary", "imdb-binary", "collab"]
    nodes = [DATASETS[name] for name in NODE_SETS]
    assert [(e.average_nodes, e.average_edges, e.num_features, e.num_classes) for e in nodes] == [
        (183, 558, 1703, 5),
        (183, 554, 1703, 5),
        (251, 900, 1703, 5),
        (5201, 396706, 2089, 5),
        (2708, 10556, 1433, 7),
        (3327, 9104, 3703, 6),
        (2218, 93674, 2089, 5),
    ]
    assert {(DATASETS[name].task, task_of(name).metric.name) for name in NODE_SETS} == {
        ("node-classification", "accuracy")
    }
    assert {DATASETS[name].dataset_class for name in NODE_SETS} == {
        Planetoid,
        WebKB,
        WikipediaNetwork,
    }
    assert {DATASETS[name].dataset_class for name in PEPTIDES} == {LRGBDataset}
    assert [(DATASETS[name].task, task_of(name).metric.name) for name in PEPTIDES] == [
        ("multi-label", "average precision"),
        ("regression", "mean absolute error"),
    ]
    peptides = [DATASETS[name] for name in PEPTIDES]
    assert {(entry.average_nodes, entry.average_edges) for entry in peptides} == {(150.94, 307.30)}


def test_no_two_datasets_share_a_folder() -> None:
    assert len({entry.place for entry in DATASETS.values()}) == len(DATASETS)


def test_the_table_cannot_be_changed_by_accident() -> None:
    with pytest.raises(TypeError):
        DATASETS["mutag"] = DATASETS["collab"]  # type: ignore[index]
    with pytest.raises(dataclasses.FrozenInstanceError):
        DATASETS["mutag"].task = "regression"  # type: ignore[misc]
