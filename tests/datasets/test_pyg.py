"""Datasets of PyG by class and arguments, from the mirror and through the same checks."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
import torch
from torch_geometric.data import Data, InMemoryDataset

from panda_gnn.datasets import load, resolve
from panda_gnn.datasets.pyg import CLASSES, pyg_graphs
from panda_gnn.errors import InputError


@pytest.mark.parametrize(
    ("ours", "theirs"), [("enzymes", "TUDataset/ENZYMES"), ("cora", "Planetoid/Cora")]
)
def test_the_same_graphs_as_the_built_in_ones(
    ours: str, theirs: str, mirror: Path, shared_root: Path
) -> None:
    built_in = load(ours, root=shared_root, mirror=mirror)
    found = resolve(f"pyg:{theirs}", root=shared_root, mirror=mirror)
    assert found.entry.num_graphs == len(built_in)
    assert found.entry.fingerprint != ""
    for data, expected in zip(found.dataset, built_in, strict=True):
        assert torch.equal(data.edge_index, expected.edge_index)
        assert torch.equal(data.x, expected.x)
        assert torch.equal(data.y, expected.y)
    if ours == "cora":
        assert found.entry.split == "masks"
        assert int(found.dataset[0].train_mask.sum()) == 140


def test_a_mirror_is_held_to_its_checksums(mirror: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mirror"
    (folder / "tudataset").mkdir(parents=True)
    archive = folder / "tudataset" / "MUTAG.zip"
    archive.write_bytes((mirror / "tudataset" / "MUTAG.zip").read_bytes())
    (folder / "SHA256SUMS").write_text(f"{'0' * 64}  tudataset/MUTAG.zip\n")
    with pytest.raises(InputError, match="is refused: its SHA-256"):
        resolve("pyg:TUDataset/MUTAG", root=tmp_path / "root", mirror=folder)
    (folder / "SHA256SUMS").unlink()
    found = resolve("pyg:TUDataset/MUTAG", root=tmp_path / "root", mirror=folder)
    assert found.entry.num_graphs == 188


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("TUDatasets/NCI1", "unknown dataset class of PyG 'TUDatasets'"),
        ("TUDataset", "TUDataset needs name: write pyg:TUDataset/NAME"),
        ("ZINC/small", "ZINC takes no name"),
        ("ZINC?subsett=true", "unknown argument 'subsett' of ZINC"),
    ],
)
def test_names_and_arguments_are_checked_first(name: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        resolve(f"pyg:{name}", root=tmp_path)


def test_raw_files_of_any_class_come_from_the_mirror(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """KarateClub has no files; a class with raw files finds them below pyg/CLASS."""
    karate = resolve("pyg:KarateClub", root=tmp_path / "root")
    assert karate.entry.task == "node-classification"
    assert karate.entry.average_nodes == 34
    folder = tmp_path / "mirror"
    (folder / "pyg" / "Airports" / "USA").mkdir(parents=True)
    with pytest.raises(InputError, match="has pyg/Airports/USA, but not pyg/Airports/USA/usa-air"):
        resolve("pyg:Airports/USA", root=tmp_path / "root", mirror=folder)
    raw = folder / "pyg" / "Airports" / "USA"
    pairs = [(i, (i + 1) % 12) for i in range(12)]
    (raw / "usa-airports.edgelist").write_text("".join(f"{u} {v}\n" for u, v in pairs))
    rows = "".join(f"{i} {i % 4}\n" for i in range(12))
    (raw / "labels-usa-airports.txt").write_text(f"node label\n{rows}")
    found = resolve("pyg:Airports/USA", root=tmp_path / "root", mirror=folder)
    assert found.entry.num_classes == 4
    assert "directed" in found.summary


def test_graphs_that_are_no_data_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot be had|only Data can be used"):
        resolve("pyg:FakeHeteroDataset", root=tmp_path)


class Parts(InMemoryDataset):
    """A class whose ``split`` is ``train`` unless told otherwise."""

    def __init__(
        self,
        root: str,
        subset: bool = False,
        size: int = 1,
        share: float = 0.0,
        split: str = "train",
        trouble: str = "",
    ) -> None:
        super().__init__(root)
        if trouble == "missing":
            raise ImportError("No module named 'rdkit'", name="rdkit")
        if trouble == "harmful":
            raise pickle.UnpicklingError("weights only")
        if trouble == "offline":
            raise OSError("no route to host")
        count = {"train": 8, "val": 2, "test": 3}[split] * (size if subset else 1)
        edges = torch.tensor([[0, 1], [1, 0]])
        x = torch.full((2, 1), share)
        self.data, self.slices = self.collate(
            [Data(x=x, edge_index=edges, y=torch.tensor([number % 2])) for number in range(count)]
        )


@pytest.fixture
def _parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CLASSES, "Parts", Parts)


@pytest.mark.usefixtures("_parts")
def test_a_class_with_fixed_parts_is_read_whole(tmp_path: Path) -> None:
    graphs, split = pyg_graphs("Parts", {}, tmp_path)
    assert (len(graphs), split) == (13, "rows 8/2/3")
    arguments = {"subset": "True", "size": "3", "share": "0.25", "split": "val"}
    graphs, split = pyg_graphs("Parts", arguments, tmp_path)
    assert (len(graphs), split) == (6, "")
    assert graphs[0].x.tolist() == [[0.25], [0.25]]
    names = sorted(path.stem for path in (tmp_path / "pyg" / "Parts").glob("*.lock"))
    assert names == ["all", "share=0.25,size=3,split=val,subset=True"]


@pytest.mark.usefixtures("_parts")
@pytest.mark.parametrize(
    ("trouble", "message"),
    [
        ("missing", "pyg:Parts needs the package 'rdkit': install it"),
        ("offline", r"pyg:Parts cannot be had \(OSError: no route to host\): check name and"),
        ("harmful", "is damaged or holds more than data, which is not executed"),
    ],
)
def test_what_a_class_cannot_read_is_one_sentence(
    trouble: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=message):
        pyg_graphs("Parts", {"trouble": trouble, "split": "val"}, tmp_path)
