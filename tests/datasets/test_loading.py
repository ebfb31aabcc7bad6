from __future__ import annotations

import re
import time
import warnings
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

import pytest
import torch
from torch_geometric.datasets import TUDataset

from panda_gnn.datasets import DATASETS, DatasetEntry, data_root, load
from panda_gnn.errors import InputError
from tests.datasets.conftest import TINY_FILES, make_mirror
from tests.marks import thorough

CLASS_COUNTS = {
    "reddit-binary": [1000, 1000],
    "imdb-binary": [500, 500],
    "mutag": [63, 125],
    "enzymes": [100] * 6,
    "proteins": [663, 450],
    "collab": [2600, 775, 1625],
}


def left_over(root: Path) -> list[str]:
    """What lies in the root, except the lock files."""
    return sorted(path.name for path in root.glob("*") if path.suffix != ".lock")


@pytest.mark.parametrize(
    "name",
    ["imdb-binary", "mutag", "enzymes", "proteins", *thorough("reddit-binary", "collab")],
)
def test_the_counts_of_every_dataset(name: str, mirror: Path, shared_root: Path) -> None:
    entry = DATASETS[name]
    dataset = load(name, root=shared_root, mirror=mirror)
    assert isinstance(dataset, TUDataset)
    assert len(dataset) == entry.num_graphs
    graphs = list(dataset)
    nodes = sum(graph.num_nodes for graph in graphs) / len(graphs)
    edges = sum(graph.num_edges for graph in graphs) / len(graphs)
    assert round(nodes, 2) == pytest.approx(entry.average_nodes)
    assert round(edges, 2) == pytest.approx(entry.average_edges)
    assert dataset.num_features == entry.num_features
    assert dataset.num_edge_features == (4 if name == "mutag" else 0)
    assert torch.cat([graph.y for graph in graphs]).bincount().tolist() == CLASS_COUNTS[name]
    if entry.features == "constant":
        assert all(torch.equal(g.x, torch.ones(g.num_nodes, 1)) for g in graphs)
        assert dataset.transform is None


def test_mutag_of_grakel_is_the_one_of_the_mirror(
    mirror: Path, shared_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("grakel")
    monkeypatch.delenv("PANDA_DATA_MIRROR", raising=False)
    bundled = load("mutag", root=tmp_path)
    mirrored = load("mutag", root=shared_root, mirror=mirror)
    for key in ("x", "edge_index", "edge_attr", "y"):
        assert all(torch.equal(a[key], b[key]) for a, b in zip(bundled, mirrored, strict=True))


def test_mutag_needs_neither_mirror_nor_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grakel = pytest.importorskip("grakel")
    monkeypatch.delenv("PANDA_DATA_MIRROR", raising=False)
    monkeypatch.setattr("panda_gnn.datasets.sources._download", pytest.fail)
    dataset = load("mutag", root=tmp_path)
    assert (len(dataset), dataset.num_features, dataset.num_edge_features) == (188, 7, 4)
    assert dataset.y.bincount().tolist() == [63, 125]
    assert grakel.__file__ is not None


def test_a_second_load_needs_no_source(tiny: DatasetEntry, tmp_path: Path) -> None:
    first = load("tiny", root=tmp_path / "root", mirror=make_mirror(tmp_path / "mirror"))
    again = load("tiny", root=tmp_path / "root")
    assert [graph.num_nodes for graph in again] == [3, 2]
    assert again.y.tolist() == [0, 1]
    assert all(torch.equal(a.edge_index, b.edge_index) for a, b in zip(first, again, strict=True))
    assert torch.equal(again[0].x, torch.ones(3, 1))


def test_the_environment_names_root_and_mirror(
    tiny: DatasetEntry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PANDA_DATA_ROOT", str(tmp_path / "root"))
    monkeypatch.setenv("PANDA_DATA_MIRROR", str(make_mirror(tmp_path / "mirror")))
    load("tiny")
    assert left_over(tmp_path / "root") == ["TINY"]


def test_the_default_root_is_in_the_user_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PANDA_DATA_ROOT", raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert data_root() == tmp_path / "panda-gnn" / "data"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert data_root() == tmp_path / ".cache" / "panda-gnn" / "data"
    monkeypatch.setenv("PANDA_DATA_ROOT", str(tmp_path / "elsewhere"))
    assert data_root() == tmp_path / "elsewhere"
    assert data_root(tmp_path / "given") == tmp_path / "given"


def test_a_folder_that_pyg_filled_with_raw_files_is_enough(
    tiny: DatasetEntry, tmp_path: Path
) -> None:
    raw = tmp_path / "TINY" / "raw"
    raw.mkdir(parents=True)
    for part, text in TINY_FILES.items():
        (raw / f"TINY_{part}.txt").write_text(text)
    assert len(load("tiny", root=tmp_path)) == 2
    assert left_over(tmp_path) == ["TINY"]


def test_an_unknown_name_lists_the_choices() -> None:
    with pytest.raises(InputError, match=r"unknown dataset 'mutga': choose one of .*mutag.*collab"):
        load("mutga")


def test_nothing_is_printed_and_nothing_left_beside_the_dataset(
    tiny: DatasetEntry,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("PYTEST_CURRENT_TEST")  # PyG is silent while it is set.
    load("tiny", root=tmp_path / "root", mirror=make_mirror(tmp_path / "mirror"))
    assert capfd.readouterr() == ("", "")
    assert left_over(tmp_path / "root") == ["TINY"]
    assert sorted(path.name for path in (tmp_path / "root" / "TINY").iterdir()) == [
        "processed",
        "raw",
    ]


@pytest.mark.parametrize(
    ("part", "text", "problem"),
    [
        ("graph_labels", "-1\n", "cannot be read"),
        ("graph_labels", "-1\n1", "cannot be read"),
        ("graph_labels", "1\n1\n", "1 classes instead of 2"),
        ("graph_indicator", "1\n1\n1\n2\n", "cannot be read"),
        ("graph_indicator", "1\n1\n1\n1\n1\n", "TINY_graph_labels.txt has not 1 lines"),
        ("A", "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n", "2.50 edges per graph instead of 3.00"),
        ("A", "1, 2\n2, 1\n2", "TINY_A.txt does not end with a whole line"),
        ("A", "one, two\n", "TINY_A.txt holds something that is no number"),
        ("A", "", "cannot be read"),
        ("A", "1, 2\n2, 1\n2\n", "TINY_A.txt has lines of different lengths"),
        ("A", "1, 2\n2, 1000000000000\n", "an edge names a node outside 1..5"),
    ],
)
def test_text_files_cut_short_are_no_dataset(
    tiny: DatasetEntry, tmp_path: Path, part: str, text: str, problem: str
) -> None:
    root = tmp_path / "root"
    with pytest.raises(InputError, match=re.escape(problem)):
        load("tiny", root=root, mirror=make_mirror(tmp_path / "bad", {part: text}))
    assert left_over(root) == []
    assert len(load("tiny", root=root, mirror=make_mirror(tmp_path / "good"))) == 2


def test_a_damaged_copy_in_the_root_says_what_to_delete(tiny: DatasetEntry, tmp_path: Path) -> None:
    root, mirror = tmp_path / "root", make_mirror(tmp_path / "mirror")
    load("tiny", root=root, mirror=mirror)
    stored = root / "TINY" / "processed" / "data.pt"
    stored.write_bytes(stored.read_bytes()[:-100])
    with pytest.raises(InputError, match=r"copy in .*TINY is damaged .* delete that folder"):
        load("tiny", root=root, mirror=mirror)


def test_an_incomplete_folder_in_the_root_says_what_to_delete(
    tiny: DatasetEntry, tmp_path: Path
) -> None:
    (tmp_path / "root" / "TINY" / "raw").mkdir(parents=True)
    with pytest.raises(InputError, match="incomplete: delete that folder"):
        load("tiny", root=tmp_path / "root", mirror=make_mirror(tmp_path / "mirror"))


def test_a_dataset_processed_with_other_options_is_not_taken(
    tiny: DatasetEntry, tmp_path: Path
) -> None:
    raw = tmp_path / "TINY" / "raw"
    raw.mkdir(parents=True)
    for part, text in TINY_FILES.items():
        (raw / f"TINY_{part}.txt").write_text(text)
    TUDataset(str(tmp_path), "TINY")
    with pytest.raises(InputError, match="0 features per node instead of 1"):
        load("tiny", root=tmp_path)


def test_a_root_that_cannot_be_written_is_one_sentence(tiny: DatasetEntry, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"cannot be kept in the data folder .*PANDA_DATA_ROOT"):
        load("tiny", root=tmp_path / "file", mirror=make_mirror(tmp_path / "mirror"))


def load_when_told(told: Any, sizes: Any, root: Path, mirror: Path) -> None:
    told.wait()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dataset = load("imdb-binary", root=root, mirror=mirror)
    sizes.put((len(dataset), dataset.num_features))


def test_processes_loading_at_once_and_one_that_was_killed(
    processes: ForkServerContext, mirror: Path, tmp_path: Path
) -> None:
    first, then, sizes = processes.Event(), processes.Event(), processes.SimpleQueue()
    killed, *others = (
        processes.Process(target=load_when_told, args=(told, sizes, tmp_path, mirror))
        for told in (first, then, then)
    )
    for process in (killed, *others):
        process.start()
    first.set()
    while not list(tmp_path.glob(".IMDB-BINARY-*")):
        time.sleep(0.001)
    killed.kill()
    killed.join()
    assert not (tmp_path / "IMDB-BINARY").exists()
    then.set()
    for process in others:
        process.join()
        assert process.exitcode == 0
    assert [sizes.get(), sizes.get()] == [(1000, 1)] * 2
    assert (tmp_path / "IMDB-BINARY").is_dir()


def test_without_a_home_folder_there_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("PANDA_DATA_ROOT", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    with pytest.raises(InputError, match=r"no home folder .*: set PANDA_DATA_ROOT"):
        data_root()
    assert data_root("here") == Path("here").absolute()
