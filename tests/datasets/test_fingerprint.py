from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
import torch
from torch_geometric.data import Data

from panda_gnn.datasets import DATASETS, DatasetEntry, load
from panda_gnn.datasets.fingerprint import fingerprint
from panda_gnn.datasets.loading import UnknownContentWarning
from panda_gnn.errors import InputError
from tests.datasets.conftest import TINY_FILES, make_mirror


def graphs() -> list[Data]:
    edge_index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    return [
        Data(x=torch.eye(3), edge_index=edge_index, y=torch.tensor([label])) for label in (0, 1)
    ]


@pytest.mark.parametrize("name", ["mutag", "enzymes", "imdb-binary", "texas", "cora"])
def test_a_known_set_has_its_fingerprint(name: str, mirror: Path, shared_root: Path) -> None:
    dataset = load(name, root=shared_root, mirror=mirror)
    assert fingerprint(dataset) == DATASETS[name].fingerprint
    assert fingerprint(list(dataset)) == DATASETS[name].fingerprint


def test_every_set_at_hand_has_a_fingerprint_of_its_own() -> None:
    words = [entry.fingerprint for entry in DATASETS.values() if entry.name != "peptides-struct"]
    assert all(len(word) == 32 for word in words)
    assert len(set(words)) == len(words)


def test_the_order_of_edges_does_not_matter() -> None:
    other = graphs()
    order = torch.tensor([2, 0, 3, 1])
    for graph in other:
        graph.edge_index = graph.edge_index[:, order]
    assert fingerprint(other) == fingerprint(graphs())
    with_attributes, shuffled = graphs(), graphs()
    for graph, shuffle in zip(with_attributes, shuffled, strict=True):
        graph.edge_attr = torch.arange(4.0)
        shuffle.edge_index = graph.edge_index[:, order]
        shuffle.edge_attr = graph.edge_attr[order]
    assert fingerprint(shuffled) == fingerprint(with_attributes)
    assert fingerprint(shuffled) != fingerprint(graphs())


def test_graphs_features_and_labels_matter() -> None:
    words = {fingerprint(graphs()), fingerprint(graphs()[::-1])}
    for change in ("x", "y", "edge_index", "num_nodes", "dtype"):
        other = graphs()
        if change == "x":
            other[1].x[0, 0] = 2.0
        elif change == "y":
            other[1].y[0] = 0
        elif change == "edge_index":
            other[1].edge_index = other[1].edge_index[:, :2]
        elif change == "num_nodes":
            other[1].x = torch.eye(4, 3)
        else:
            other = [graph.clone() for graph in other]
            for graph in other:
                graph.x = graph.x.double()
        words.add(fingerprint(other))
    assert len(words) == 7
    with pytest.raises(InputError, match="no graphs"):
        fingerprint([])


def test_other_content_is_used_after_a_sentence(tiny: DatasetEntry, tmp_path: Path) -> None:
    genuine = fingerprint(load("tiny", root=tmp_path / "a", mirror=make_mirror(tmp_path / "m")))
    entry = dataclasses.replace(tiny, fingerprint=genuine)
    reversed_labels = "\n".join(reversed(TINY_FILES["graph_labels"].split())) + "\n"
    mirror = make_mirror(tmp_path / "other", {"graph_labels": reversed_labels})
    another = pytest.warns(UnknownContentWarning, match="it is used, but it is another dataset")
    with DATASETS.replaced({"tiny": entry}):
        load("tiny", root=tmp_path / "a")
        with another:
            dataset = load("tiny", root=tmp_path / "b", mirror=mirror)
    assert len(dataset) == 2
