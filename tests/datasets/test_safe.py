from __future__ import annotations

import io
import pickle
import warnings
import zipfile
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
import torch
from torch_geometric.data import Data
from torch_geometric.io import fs

from panda_gnn.datasets import DatasetEntry, load
from panda_gnn.datasets.safe import load_arrays, load_tensors, nothing_executed
from panda_gnn.errors import InputError
from tests.datasets.conftest import make_mirror

touched: list[str] = []


class Attack:
    """Notes in ``touched`` that it was executed."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return touched.append, ("executed",)


@pytest.fixture(autouse=True)
def _untouched() -> None:
    touched.clear()


def pickled(content: object, protocol: int = 2) -> io.BytesIO:
    return io.BytesIO(pickle.dumps(content, protocol=protocol))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_arrays_matrices_and_adjacency_lists_are_read(protocol: int) -> None:
    dense = np.arange(6.0).reshape(2, 3)
    assert np.array_equal(load_arrays(pickled(dense, protocol)), dense)
    sparse = scipy.sparse.csr_matrix(dense)
    assert np.array_equal(load_arrays(pickled(sparse, protocol)).todense(), dense)
    lists = defaultdict(list, {0: [1, 2], 1: [0]})
    assert load_arrays(pickled(lists, protocol)) == lists


def test_the_raw_files_of_planetoid_are_read_as_pickle_reads_them(mirror: Path) -> None:
    for part in ("x", "y", "graph"):
        path = mirror / "planetoid" / f"ind.cora.{part}"
        with path.open("rb") as file:
            ours = load_arrays(file, encoding="latin1")
        with path.open("rb") as file, warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            theirs = pickle.load(file, encoding="latin1")
        if part == "x":
            assert (ours != theirs).nnz == 0
        else:
            assert ours == theirs if part == "graph" else np.array_equal(ours, theirs)


@pytest.mark.parametrize("content", [Attack(), {"x": [Attack()]}, len, Path("x"), slice(3)])
def test_anything_else_is_refused_unexecuted(content: object) -> None:
    with pytest.raises(pickle.UnpicklingError, match="which is no data"):
        load_arrays(pickled(content))
    assert touched == []


def test_tensors_and_graphs_are_read_and_nothing_else(tmp_path: Path) -> None:
    graph = Data(x=torch.ones(2, 1), edge_index=torch.tensor([[0, 1], [1, 0]]))
    torch.save([graph], tmp_path / "good.pt")
    assert torch.equal(load_tensors(tmp_path / "good.pt")[0].x, graph.x)
    torch.save([graph, Attack()], tmp_path / "bad.pt")
    with pytest.raises(pickle.UnpicklingError):
        load_tensors(tmp_path / "bad.pt")
    assert touched == []


def test_pyg_executes_nothing_while_it_lasts_and_is_itself_again_after(tmp_path: Path) -> None:
    plain = torch.load, np.load
    torch.save(Attack(), tmp_path / "bad.pt")
    with (
        nothing_executed(),
        pytest.raises(pickle.UnpicklingError),
        pytest.warns(UserWarning, match="Weights only load failed"),
    ):
        fs.torch_load(str(tmp_path / "bad.pt"))
    assert touched == []
    assert (torch.load, np.load) == plain


@pytest.mark.parametrize("file", ["data.pt", "pre_transform.pt", "pre_filter.pt"])
def test_processed_files_of_a_dataset_are_not_executed(
    tiny: DatasetEntry, tmp_path: Path, file: str
) -> None:
    root = tmp_path / "root"
    load("tiny", root=root, mirror=make_mirror(tmp_path / "mirror"))
    torch.save(Attack(), root / "TINY" / "processed" / file)
    with pytest.raises(InputError, match=r"holds more than data, which is not executed: delete"):
        load("tiny", root=root)
    assert touched == []


def test_raw_tensor_files_of_an_archive_are_not_executed(mirror: Path, tmp_path: Path) -> None:
    archive = tmp_path / "mirror" / "lrgb" / "peptidesfunc.zip"
    archive.parent.mkdir(parents=True)
    content = io.BytesIO()
    torch.save([Attack()], content)
    with zipfile.ZipFile(archive, "w") as file:
        for split in ("train", "val", "test"):
            file.writestr(f"peptidesfunc/{split}.pt", content.getvalue())
    with pytest.raises(InputError, match="holds more than data, which is not executed: replace"):
        load("peptides-func", root=tmp_path / "root", mirror=archive.parents[1])
    assert touched == []


def test_raw_pickles_of_planetoid_are_not_executed(mirror: Path, tmp_path: Path) -> None:
    for folder in ("planetoid", "geom-gcn/splits"):
        (tmp_path / "mirror" / folder).mkdir(parents=True)
        for path in (mirror / folder).glob("*cora*"):
            (tmp_path / "mirror" / folder / path.name).write_bytes(path.read_bytes())
    (tmp_path / "mirror" / "planetoid" / "ind.cora.graph").write_bytes(pickle.dumps(Attack()))
    with pytest.raises(InputError, match="holds more than data, which is not executed: replace"):
        load("cora", root=tmp_path / "root", mirror=tmp_path / "mirror")
    assert touched == []
