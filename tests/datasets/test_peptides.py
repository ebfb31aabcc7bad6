from __future__ import annotations

import dataclasses
import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from torch import Tensor
from torch_geometric.datasets import LRGBDataset

from panda_gnn.datasets import DATASETS, DatasetEntry, load
from panda_gnn.datasets.peptides import ATOM_CATEGORIES, BOND_CATEGORIES
from panda_gnn.errors import InputError

SIZES = (3, 2, 2)


def molecule(number: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """A path of ``number + 2`` atoms, as the archives of the benchmark hold it."""
    atoms = number + 2
    path = torch.stack([torch.arange(atoms - 1), torch.arange(1, atoms)])
    return (
        torch.full((atoms, 9), number % 2),
        torch.zeros(2 * atoms - 2, 3, dtype=torch.long),
        torch.cat([path, path.flip(0)], dim=1),
        torch.full((1, 11), float(number)),
    )


def make_mirror(folder: Path, sizes: tuple[int, ...] = SIZES) -> Path:
    """A mirror with a small Peptides-struct."""
    archive = folder / "lrgb" / "peptidesstruct.zip"
    archive.parent.mkdir(parents=True)
    number = 0
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_LZMA) as file:
        for split, size in zip(("train", "val", "test"), sizes, strict=True):
            content = io.BytesIO()
            torch.save([molecule(number + i) for i in range(size)], content)
            file.writestr(f"peptidesstruct/{split}.pt", content.getvalue())
            number += size
    return folder


@pytest.fixture
def small() -> Iterator[DatasetEntry]:
    """Peptides-struct with seven molecules."""
    entry = dataclasses.replace(
        DATASETS["peptides-struct"],
        num_graphs=7,
        split_sizes=SIZES,
        average_nodes=5.0,
        average_edges=8.0,
    )
    with DATASETS.replaced({"peptides-struct": entry}):
        yield entry


def test_peptides_struct_from_a_file_of_its_form(
    small: DatasetEntry, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    mirror = make_mirror(tmp_path / "mirror")
    load("peptides-struct", root=tmp_path / "root", mirror=mirror)
    assert capfd.readouterr() == ("", "")
    dataset = load("peptides-struct", root=tmp_path / "root")
    assert isinstance(dataset, LRGBDataset)
    assert len(dataset) == 7
    for number, data in enumerate(dataset):
        x, edge_attr, edge_index, y = molecule(number)
        assert torch.equal(data.x, x)
        assert torch.equal(data.edge_attr, edge_attr)
        assert torch.equal(data.edge_index, edge_index)
        assert torch.equal(data.y, y)
    names = {path.name for path in (tmp_path / "root").iterdir()}
    assert names == {"peptides-struct", ".Peptides-struct.lock"}


def test_graphs_in_the_wrong_split_are_noticed(small: DatasetEntry, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="2 graphs in train instead of 3"):
        load(
            "peptides-struct",
            root=tmp_path / "root",
            mirror=make_mirror(tmp_path / "mirror", (2, 3, 2)),
        )
    assert [path.name for path in (tmp_path / "root").iterdir()] == [".Peptides-struct.lock"]


@pytest.mark.thorough
def test_peptides_func_has_the_published_counts(mirror: Path, shared_root: Path) -> None:
    dataset = load("peptides-func", root=shared_root, mirror=mirror)
    assert len(dataset) == 15535
    data = dataset._data
    assert (data.x.size(0), data.edge_index.size(1)) == (2344859, 4773974)
    assert data.y.shape == (15535, 10)
    assert data.y.sum(0).int().tolist() == [
        1378, 545, 995, 969, 9745, 3077, 1662, 2866, 299, 4044
    ]  # fmt: skip
    assert ATOM_CATEGORIES == (119, 5, 12, 12, 10, 6, 6, 2, 2)
    assert BOND_CATEGORIES == (5, 6, 2)
    for values, categories in ((data.x, ATOM_CATEGORIES), (data.edge_attr, BOND_CATEGORIES)):
        assert bool((values.min(0).values >= 0).all())
        assert bool((values.max(0).values < torch.tensor(categories)).all())
    first_of_test = dataset[13204]
    assert first_of_test.num_nodes == first_of_test.x.size(0)
    assert int(first_of_test.edge_index.max()) < first_of_test.num_nodes
