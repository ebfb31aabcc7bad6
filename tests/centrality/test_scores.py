"""The one function: the same scores however graphs arrive, and sentences for bad requests."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Batch, Data, InMemoryDataset

from panda_gnn.cache import Tensors, cached
from panda_gnn.centrality import CENTRALITIES, centrality, sampled_centrality
from panda_gnn.centrality.families import FAMILIES, Scores
from panda_gnn.errors import InputError
from panda_gnn.graph.rows import Graphs

from ..odd_graphs import ODD_GRAPHS, undirected

GRAPHS = list(ODD_GRAPHS.values())


@pytest.mark.parametrize("name", CENTRALITIES)
def test_a_graph_has_the_same_bits_alone_and_in_company(name: str) -> None:
    alone = torch.cat([centrality(name, data) for data in GRAPHS])
    assert alone.dtype == torch.float64
    assert torch.equal(centrality(name, GRAPHS), alone)
    assert torch.equal(centrality(name, Batch.from_data_list(GRAPHS)), alone)


@pytest.mark.parametrize("name", CENTRALITIES)
def test_any_number_of_threads_gives_the_same_bits(name: str) -> None:
    many = [data for data in GRAPHS for _ in range(20)]
    assert torch.equal(centrality(name, many, threads=1), centrality(name, many, threads=3))


@pytest.mark.parametrize("name", sorted(set(CENTRALITIES) - {"random"}))
def test_scores_move_with_the_nodes(name: str) -> None:
    data = ODD_GRAPHS["grid"]
    order = torch.randperm(data.num_nodes, generator=torch.Generator().manual_seed(1))
    moved = Data(edge_index=order[data.edge_index], num_nodes=data.num_nodes)
    torch.testing.assert_close(centrality(name, moved)[order], centrality(name, data))


@pytest.mark.parametrize("name", CENTRALITIES)
def test_nothing_has_no_scores(name: str) -> None:
    assert centrality(name, []).shape == (0,)
    assert centrality(name, undirected(0)).shape == (0,)


def test_closed_forms() -> None:
    star, cycle, path = ODD_GRAPHS["star"], ODD_GRAPHS["cycle"], ODD_GRAPHS["path"]
    assert centrality("betweenness", star).tolist() == [1.0] + [0.0] * 7
    assert centrality("degree", star)[0] == 1.0
    torch.testing.assert_close(
        centrality("pagerank", cycle), torch.full((7,), 1 / 7, dtype=torch.float64)
    )
    between = torch.tensor([0.0, 8, 12, 12, 8, 0], dtype=torch.float64) / 20
    torch.testing.assert_close(centrality("load", path), between)
    distances = torch.tensor([15.0, 11, 9, 9, 11, 15], dtype=torch.float64)
    torch.testing.assert_close(centrality("resistance", path), distances)
    torch.testing.assert_close(centrality("current-flow", path), 1 / distances)


def test_load_is_not_betweenness() -> None:
    uneven = undirected(7, (0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (3, 6), (4, 6), (5, 6))
    difference = centrality("load", uneven) - centrality("betweenness", uneven)
    assert difference.abs().max() > 0.01


def test_too_many_paths_to_count_are_not_miscounted() -> None:
    layers = [range(3 * number, 3 * number + 3) for number in range(660)]
    steps = itertools.pairwise(layers)
    data = undirected(1980, *((u, v) for here, there in steps for u in here for v in there))
    with pytest.raises(InputError, match="betweenness cannot count more than 1e308 shortest"):
        centrality("betweenness", data)
    assert centrality("load", data).isfinite().all()


def test_bad_requests_get_a_sentence() -> None:
    data = ODD_GRAPHS["path"]
    with pytest.raises(InputError, match="unknown centrality 'fame': choose one of degree, betw"):
        centrality("fame", data)
    one_way = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2)
    with pytest.raises(InputError, match=r"centrality 'load' needs an undirected .*ToUndirected"):
        centrality("load", one_way)
    with pytest.raises(InputError, match="threads must be a whole number, 1 or more, not 0"):
        centrality("load", data, threads=0)
    with pytest.raises(InputError, match=r"unknown centrality that can be sampled 'pagerank'"):
        centrality("pagerank", data, samples=5)
    with pytest.raises(InputError, match="samples must be a whole number, 2 or more"):
        sampled_centrality("load", data, samples=1)


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
    """Scores that count how often the family of shortest paths is computed."""

    def __init__(self) -> None:
        self.calls = 0
        self.family = replace(FAMILIES["shortest-paths"], compute=self.compute)

    def compute(self, *arguments: Any) -> Scores:
        self.calls += 1
        return FAMILIES["shortest-paths"].compute(*arguments)

    def __call__(self, name: str, graphs: Graphs, **options: Any) -> Tensor:
        return centrality(name, graphs, families={"shortest-paths": self.family}, **options)


@pytest.fixture
def counter() -> Counter:
    return Counter()


def stored(folder: Path) -> list[Path]:
    return sorted((folder / "centrality").glob("*"))


def test_three_measures_share_one_file_beside_the_dataset(tmp_path: Path, counter: Counter) -> None:
    dataset = Kept(tmp_path)
    for name in ("betweenness", "load", "closeness", "betweenness"):
        assert torch.equal(counter(name, dataset), counter(name, list(dataset), cache=False))
    assert len(stored(tmp_path)) == 1
    assert counter.calls == 1 + 4
    counter("betweenness", dataset, cache=False)
    assert counter.calls == 6


def test_graphs_that_are_no_dataset_leave_nothing_behind(tmp_path: Path, counter: Counter) -> None:
    graphs = list(ODD_GRAPHS.values())
    counter("load", graphs)
    counter("load", graphs, cache=tmp_path / "kept")
    counter("load", graphs, cache=str(tmp_path / "kept"))
    assert counter.calls == 2
    assert len(list((tmp_path / "kept").iterdir())) == 1


def test_what_is_damaged_is_computed_again(tmp_path: Path, counter: Counter) -> None:
    dataset = Kept(tmp_path)
    sound = counter("load", dataset)
    (file,) = stored(tmp_path)
    content = file.read_bytes()
    for damaged in (b"", content[:-9], content[:-1] + bytes([content[-1] ^ 1])):
        file.write_bytes(damaged)
        before = counter.calls
        assert torch.equal(counter("load", dataset), sound)
        assert counter.calls == before + 1
        assert file.read_bytes() == content


def test_an_entry_that_does_not_fit_is_computed_again(tmp_path: Path, counter: Counter) -> None:
    dataset = Kept(tmp_path)
    sound = counter("load", dataset)
    (file,) = stored(tmp_path)
    wrong: list[Tensors] = [
        {"load": sound[1:]},
        {"load": sound.float()},
        {"load": sound.view(1, -1)},
        {"betweenness": sound},
    ]
    for tensors in wrong:
        file.unlink()
        cached(file.parent, file.stem, partial(dict, tensors), bool)
        before = counter.calls
        assert torch.equal(counter("load", dataset), sound)
        assert counter.calls == before + 1
    sampled = sampled_centrality("load", dataset, samples=3)
    (other,) = set(stored(tmp_path)) - {file}
    other.unlink()
    cached(other.parent, other.stem, lambda: {"load scores": sound}, bool)
    again = sampled_centrality("load", dataset, samples=3)
    assert all(torch.equal(*pair) for pair in zip(again, sampled, strict=True))


def test_other_graphs_and_other_versions_have_other_files(tmp_path: Path, counter: Counter) -> None:
    dataset = Kept(tmp_path)
    counter("load", dataset)
    counter("load", dataset[1:])
    assert counter.calls == 2
    counter.family = replace(counter.family, version=2)
    counter("load", dataset)
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
