"""Scores kept beside a dataset: reused when sound, computed again when not."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch_geometric.data import Data, InMemoryDataset

from panda_gnn.centrality import centrality, families, sampled_centrality

from ..odd_graphs import ODD_GRAPHS


class Kept(InMemoryDataset):
    """The odd graphs as a dataset on disk."""

    processed_file_names = "data.pt"

    def __init__(self, root: Path) -> None:
        super().__init__(str(root), log=False)
        self.load(self.processed_paths[0])

    def process(self) -> None:
        bare = [
            Data(edge_index=graph.edge_index, num_nodes=graph.num_nodes)
            for graph in ODD_GRAPHS.values()
        ]
        self.save(bare, self.processed_paths[0])


class Counter:
    """Counts how often the family of shortest paths is computed."""

    def __init__(self) -> None:
        self.calls = 0
        self.family = families.FAMILIES["shortest-paths"]

    def __call__(self, *arguments: object) -> families.Scores:
        self.calls += 1
        return self.family.compute(*arguments)  # type: ignore[arg-type]


@pytest.fixture
def counter(monkeypatch: pytest.MonkeyPatch) -> Counter:
    count = Counter()
    monkeypatch.setitem(families.FAMILIES, "shortest-paths", replace(count.family, compute=count))
    return count


def stored(folder: Path) -> list[Path]:
    return sorted((folder / "centrality").glob("*"))


def test_three_measures_share_one_file_beside_the_dataset(tmp_path: Path, counter: Counter) -> None:
    dataset = Kept(tmp_path)
    for name in ("betweenness", "load", "closeness", "betweenness"):
        assert torch.equal(centrality(name, dataset), centrality(name, list(dataset), cache=False))
    assert len(stored(tmp_path)) == 1
    assert counter.calls == 1 + 4
    centrality("betweenness", dataset, cache=False)
    assert counter.calls == 6


def test_graphs_that_are_no_dataset_leave_nothing_behind(tmp_path: Path, counter: Counter) -> None:
    graphs = list(ODD_GRAPHS.values())
    centrality("load", graphs)
    centrality("load", graphs, cache=tmp_path / "kept")
    centrality("load", graphs, cache=str(tmp_path / "kept"))
    assert counter.calls == 2
    assert len(list((tmp_path / "kept").iterdir())) == 1


def test_what_is_damaged_is_computed_again(tmp_path: Path, counter: Counter) -> None:
    dataset = Kept(tmp_path)
    sound = centrality("load", dataset)
    (file,) = stored(tmp_path)
    content = file.read_bytes()
    for damaged in (b"", content[:-9], content[:-1] + bytes([content[-1] ^ 1])):
        file.write_bytes(damaged)
        before = counter.calls
        assert torch.equal(centrality("load", dataset), sound)
        assert counter.calls == before + 1
        assert file.read_bytes() == content


def test_other_graphs_and_other_versions_have_other_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, counter: Counter
) -> None:
    dataset = Kept(tmp_path)
    centrality("load", dataset)
    centrality("load", dataset[1:])
    assert counter.calls == 2
    newer = replace(families.FAMILIES["shortest-paths"], version=2)
    monkeypatch.setitem(families.FAMILIES, "shortest-paths", newer)
    centrality("load", dataset)
    assert counter.calls == 3
    assert len(stored(tmp_path)) == 3


def test_samples_and_seeds_are_kept_apart(tmp_path: Path) -> None:
    dataset = Kept(tmp_path)
    found = sampled_centrality("load", dataset, samples=3, seed=1)
    again = sampled_centrality("load", dataset, samples=3, seed=1)
    assert torch.equal(found.scores, again.scores)
    assert torch.equal(found.standard_error, again.standard_error)
    sampled_centrality("load", dataset, samples=4, seed=1)
    sampled_centrality("load", dataset, samples=3, seed=2)
    assert len(stored(tmp_path)) == 3


def test_many_may_fill_the_cache_at_once(tmp_path: Path) -> None:
    dataset = Kept(tmp_path)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: centrality("harmonic", dataset), range(8)))
    assert all(torch.equal(found[0], scores) for scores in found)
    assert len(stored(tmp_path)) == 1
