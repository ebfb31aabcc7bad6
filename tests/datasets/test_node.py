from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.datasets import WebKB
from torch_geometric.utils import contains_self_loops, is_undirected

from panda_gnn.datasets import DATASETS, DatasetEntry, load
from panda_gnn.datasets.node import DropDuplicates
from panda_gnn.errors import InputError
from tests.marks import thorough

CLASS_COUNTS = {
    "texas": [33, 1, 18, 101, 30],
    "cornell": [38, 16, 30, 82, 17],
    "wisconsin": [10, 70, 118, 32, 21],
    "squirrel": [1042, 1040, 1039, 1040, 1040],
    "cora": [351, 217, 418, 818, 426, 298, 180],
    "citeseer": [264, 590, 668, 701, 596, 508],
    "squirrel-filtered": [755, 515, 397, 320, 231],
}
#: Nodes of the first public split; Cora's leave the small components out.
FIRST_SPLIT = {
    "texas": [87, 59, 37],
    "cornell": [87, 59, 37],
    "wisconsin": [120, 80, 51],
    "squirrel": [2496, 1664, 1041],
    "cora": [1192, 796, 497],
    "citeseer": [1596, 1065, 666],
    "squirrel-filtered": [1051, 716, 451],
}
#: The path 0 -> 1 -> 2 -> 3 with a loop at 1, and 0 <- 2.
EDGES = [(0, 1), (1, 1), (1, 2), (2, 0), (2, 3)]


@pytest.mark.parametrize(
    "name",
    [
        *("texas", "cornell", "wisconsin", "cora", "citeseer"),
        *thorough("squirrel", "squirrel-filtered"),
    ],
)
def test_every_set_is_one_simple_graph_with_public_splits(
    name: str, mirror: Path, shared_root: Path
) -> None:
    entry = DATASETS[name]
    dataset = load(name, root=shared_root, mirror=mirror)
    assert isinstance(dataset, entry.dataset_class)
    (data,) = dataset
    assert data.num_nodes == entry.average_nodes
    assert data.num_edges == entry.average_edges
    assert (dataset.num_features, dataset.num_classes) == (entry.num_features, entry.num_classes)
    assert data.y.bincount().tolist() == CLASS_COUNTS[name]
    assert is_undirected(data.edge_index)
    assert not contains_self_loops(data.edge_index)
    masks = torch.stack([data.train_mask, data.val_mask, data.test_mask])
    assert masks.dtype == torch.bool
    assert masks.shape == (3, data.num_nodes, 10)
    assert int(masks.sum(0).max()) == 1
    assert masks[:, :, 0].sum(1).tolist() == FIRST_SPLIT[name]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[DatasetEntry]:
    """Texas as a graph of four nodes."""
    entry = dataclasses.replace(
        DATASETS["texas"],
        num_classes=2,
        average_nodes=4,
        average_edges=8,
        num_features=3,
        fingerprint="",
        loose_files=tuple(
            file._replace(url=f"http://127.0.0.1:9/{file.name}")
            for file in DATASETS["texas"].loose_files
        ),
    )
    monkeypatch.delenv("PANDA_DATA_MIRROR", raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with DATASETS.replaced({"texas": entry}):
        yield entry


def make_mirror(folder: Path) -> Path:
    """A mirror with the small Texas."""
    data, splits = folder / "geom-gcn" / "new_data" / "texas", folder / "geom-gcn" / "splits"
    data.mkdir(parents=True)
    splits.mkdir()
    rows = [f"{node}\t{node % 2},0,1\t{node // 2}" for node in range(4)]
    lines = [f"{u}\t{v}" for u, v in EDGES]
    for name, table in (("node_feature_label", rows), ("graph_edges", lines)):
        (data / f"out1_{name}.txt").write_text("\n".join(["header", *table, ""]))
    for number in range(10):
        order = (np.arange(4) + number) % 4
        np.savez(
            splits / f"texas_split_0.6_0.2_{number}.npz",
            train_mask=order < 2,
            val_mask=order == 2,
            test_mask=order == 3,
        )
    return folder


def test_loose_files_of_a_mirror(small: DatasetEntry, tmp_path: Path) -> None:
    dataset = load("texas", root=tmp_path / "root", mirror=make_mirror(tmp_path / "mirror"))
    again = load("texas", root=tmp_path / "root")
    for found in (dataset, again):
        assert isinstance(found, WebKB)
        (data,) = found
        assert data.edge_index.tolist() == [[0, 0, 1, 1, 2, 2, 2, 3], [1, 2, 0, 2, 0, 1, 3, 2]]
        assert data.x.tolist() == [[0, 0, 1], [1, 0, 1], [0, 0, 1], [1, 0, 1]]
        assert data.y.tolist() == [0, 0, 1, 1]
        assert data.test_mask.nonzero().view(-1, 2)[:, 0].bincount().tolist() == [2, 2, 3, 3]
    names = {path.name for path in (tmp_path / "root").iterdir()}
    assert names == {"texas", ".Texas.lock"}


def test_a_missing_file_is_named_and_nothing_is_left(small: DatasetEntry, tmp_path: Path) -> None:
    mirror = make_mirror(tmp_path / "mirror")
    missing = mirror / "geom-gcn" / "splits" / "texas_split_0.6_0.2_7.npz"
    missing.unlink()
    with pytest.raises(InputError, match=r"has geom-gcn/new_data/.*, but not .*_7\.npz"):
        load("texas", root=tmp_path / "root", mirror=mirror)
    assert [path.name for path in (tmp_path / "root").iterdir()] == [".Texas.lock"]


@pytest.mark.parametrize(
    "file",
    [
        "new_data/texas/out1_graph_edges.txt",
        "new_data/texas/out1_node_feature_label.txt",
        "splits/texas_split_0.6_0.2_3.npz",
    ],
)
def test_a_damaged_file_leaves_nothing(small: DatasetEntry, tmp_path: Path, file: str) -> None:
    mirror = make_mirror(tmp_path / "mirror")
    (mirror / "geom-gcn" / file).write_text("header\n0\tdamaged\n")
    with pytest.raises(InputError, match=r"Texas cannot be read, the copy from .* is damaged"):
        load("texas", root=tmp_path / "root", mirror=mirror)
    assert [path.name for path in (tmp_path / "root").iterdir()] == [".Texas.lock"]


def test_no_network_no_mirror_is_one_sentence(small: DatasetEntry, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"Texas is not on this machine .*geom-gcn/new_data/texas"):
        load("texas", root=tmp_path)


def test_duplicates_are_nodes_without_incoming_edges_that_repeat_links_and_label() -> None:
    edges = [(0, 1), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (5, 1), (6, 0), (6, 1), (7, 1), (8, 1)]
    data = Data(
        edge_index=torch.tensor(edges).t(),
        y=torch.tensor([0, 0, 0, 1, 1, 0, 0, 1, 0]),
        num_nodes=9,
    )
    # 2 repeats 1, 4 repeats 3, 6 repeats 5; 7 and 8 look alike but for their labels, 8 repeats 0.
    assert DropDuplicates().kept(data).nonzero().view(-1).tolist() == [0, 1, 3, 5, 7]
    kept = DropDuplicates()(data)
    assert kept.num_nodes == 5
    assert kept.edge_index.t().tolist() == [[0, 1], [1, 0], [2, 0], [3, 0], [3, 1], [4, 1]]
    assert torch.equal(DropDuplicates()(kept).edge_index, kept.edge_index)
