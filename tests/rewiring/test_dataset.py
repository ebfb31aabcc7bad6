"""Whole datasets: the same result on any number of threads, with a cache and without."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor
from torch_geometric.data import Batch, Data, HeteroData, InMemoryDataset

from panda_gnn.cache import Tensors, cached
from panda_gnn.errors import InputError
from panda_gnn.rewiring import (
    BORF,
    DIGL,
    GOKU,
    JDR,
    LASER,
    REWIRINGS,
    SDRF,
    FoSR,
    FullyAdjacent,
    Rewiring,
    rewire_dataset,
)
from tests.odd_graphs import undirected
from tests.rewiring.rewired import GRAPHS, assert_same, with_attributes

ALL = [with_attributes(data) for data in GRAPHS.values()]
TRANSFORMS: list[Rewiring] = [
    *(kind() for kind in REWIRINGS.values()),
    SDRF(4, removal_bound=0.0),
    BORF(variant="released"),
    DIGL(self_loops=False),
]


class Counting(FoSR):
    """FoSR that counts how often it is called."""

    calls = 0

    def rewire(self, edges: Tensor, num_nodes: int) -> Tensor:
        type(self).calls += 1
        return super().rewire(edges, num_nodes)


class Small(InMemoryDataset):
    """Three graphs in a folder of their own."""

    def __init__(self, root: Path) -> None:
        super().__init__(str(root))
        self.load(self.processed_paths[0])

    @property
    def processed_file_names(self) -> list[str]:
        return ["data.pt"]

    def process(self) -> None:
        graphs = [GRAPHS[name] for name in ("path", "cycle", "grid")]
        self.save([data.clone() for data in graphs], self.processed_paths[0])


@pytest.mark.parametrize("transform", TRANSFORMS, ids=repr)
def test_equals_the_transform_of_every_graph(transform: Rewiring, tmp_path: Path) -> None:
    expected = [transform(data) for data in ALL]
    for options in ({"threads": 3}, {"cache": tmp_path}, {"cache": tmp_path}):
        for found, one in zip(rewire_dataset(ALL, transform, **options), expected, strict=True):
            assert_same(found, one)


def test_the_second_time_comes_from_the_file(tmp_path: Path) -> None:
    Counting.calls = 0
    first = rewire_dataset(ALL, Counting(3), cache=tmp_path)
    assert Counting.calls == len(ALL)
    second = rewire_dataset(ALL, Counting(3), cache=tmp_path)
    assert Counting.calls == len(ALL)
    for found, one in zip(second, first, strict=True):
        assert_same(found, one)
    (file,) = tmp_path.iterdir()
    assert file.name.startswith("counting-")
    file.write_bytes(b"damaged")
    for found, one in zip(rewire_dataset(ALL, Counting(3), cache=tmp_path), first, strict=True):
        assert_same(found, one)
    assert Counting.calls == 2 * len(ALL)


def test_an_entry_that_does_not_fit_is_computed_again(tmp_path: Path) -> None:
    expected = rewire_dataset(ALL, Counting(3), cache=tmp_path)
    (file,) = tmp_path.iterdir()
    sound = load_file(file)
    wrong: list[Tensors] = [
        {name: tensor for name, tensor in sound.items() if name != "removed_counts"},
        {**sound, "edge_weight": torch.ones(3)},
        {**sound, "added": sound["added"][0]},
        {**sound, "added": sound["added"].double()},
        {**sound, "added_type": sound["added_type"][1:]},
        {**sound, "added_counts": sound["added_counts"][1:]},
        {**sound, "removed_counts": sound["removed_counts"].int()},
        {**sound, "removed_counts": sound["removed_counts"] - 1},
    ]
    for tensors in wrong:
        file.unlink()
        cached(tmp_path, file.stem, partial(dict, tensors), bool)
        Counting.calls = 0
        again = rewire_dataset(ALL, Counting(3), cache=tmp_path)
        for found, one in zip(again, expected, strict=True):
            assert_same(found, one)
        assert Counting.calls == len(ALL)


def test_options_version_and_graphs_make_another_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rewire_dataset(ALL, Counting(3), cache=tmp_path)
    rewire_dataset(ALL, Counting(4), cache=tmp_path)
    rewire_dataset(ALL, Counting(3, seed=1), cache=tmp_path)
    rewire_dataset(ALL[1:], Counting(3), cache=tmp_path)
    rewire_dataset([undirected(3, (0, 1))], Counting(3), cache=tmp_path)
    rewire_dataset([undirected(4, (0, 1))], Counting(3), cache=tmp_path)
    assert len(list(tmp_path.iterdir())) == 6
    monkeypatch.setattr(Counting, "version", 2)
    rewire_dataset(ALL, Counting(3), cache=tmp_path)
    assert len(list(tmp_path.iterdir())) == 7


def with_other_features(graphs: list[Data]) -> list[Data]:
    others = [data.clone() for data in graphs]
    for data in others:
        data.x = data.x + 1
    return others


@pytest.mark.parametrize("transform", [GOKU(beta=0.5), JDR(2, neighbours=2, blend=0.5)], ids=repr)
def test_features_that_matter_make_another_file(transform: Rewiring, tmp_path: Path) -> None:
    for number, graphs in enumerate((ALL, with_other_features(ALL))):
        expected = [transform(data) for data in graphs]
        for _ in range(2):
            for found, one in zip(
                rewire_dataset(graphs, transform, cache=tmp_path), expected, strict=True
            ):
                assert_same(found, one)
        assert len(list(tmp_path.iterdir())) == number + 1
    rewire_dataset(ALL, Counting(3), cache=tmp_path)
    rewire_dataset(with_other_features(ALL), Counting(3), cache=tmp_path)
    assert len(list(tmp_path.iterdir())) == 3


def test_features_of_a_file_that_do_not_fit_are_computed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    transform = JDR(2, neighbours=2, blend=0.5)
    expected = rewire_dataset(ALL, transform, cache=tmp_path)
    (file,) = tmp_path.iterdir()
    sound = load_file(file)
    counts = sound["x_counts"].clone()
    counts[0], counts[-1] = counts[0] + 1, counts[-1] - 1
    wrong: list[Tensors] = [
        {name: tensor for name, tensor in sound.items() if not name.startswith("x")},
        {**sound, "x": sound["x"].long()},
        {**sound, "x_counts": counts},
    ]
    for tensors in wrong:
        file.unlink()
        cached(tmp_path, file.stem, partial(dict, tensors), bool)
        for found, one in zip(
            rewire_dataset(ALL, transform, cache=tmp_path), expected, strict=True
        ):
            assert_same(found, one)

    def fails(*_: object) -> None:
        raise AssertionError("computed again")

    monkeypatch.setattr(JDR, "rewired", fails)
    for found, one in zip(rewire_dataset(ALL, transform, cache=tmp_path), expected, strict=True):
        assert_same(found, one)
    no_features = [Data(edge_index=data.edge_index, num_nodes=data.num_nodes) for data in ALL]
    with pytest.raises(InputError, match="JDR reads features of nodes"):
        rewire_dataset(no_features, transform, cache=tmp_path)


def test_a_dataset_keeps_its_results_beside_its_files(tmp_path: Path) -> None:
    dataset = Small(tmp_path)
    assert [data.num_edges for data in rewire_dataset(dataset, FoSR(1))] == [12, 16, 36]
    assert [file.suffix for file in (tmp_path / "rewiring").iterdir()] == [".safetensors"]
    rewire_dataset(dataset, FoSR(2), cache=False)
    assert len(list((tmp_path / "rewiring").iterdir())) == 1


@pytest.mark.parametrize("transform", [FoSR(3), LASER(), FullyAdjacent()], ids=repr)
def test_types_mean_the_same_in_all_graphs(transform: Rewiring) -> None:
    """A second rewiring counts from the greatest type of all graphs, as it does for a batch."""
    once = rewire_dataset(ALL, FoSR(2))
    expected = transform(Batch.from_data_list(once)).to_data_list()
    for found, one in zip(rewire_dataset(once, transform), expected, strict=True):
        assert_same(found, one)
    for before, after in zip(once, expected, strict=True):
        assert int((after.edge_type == 1).sum()) == int((before.edge_type == 1).sum())


def test_no_graphs() -> None:
    assert rewire_dataset([], FoSR()) == []
    assert rewire_dataset([], DIGL()) == []


def test_bad_input_gets_a_sentence() -> None:
    with pytest.raises(InputError, match="threads must be a whole number, 1 or more, not 0"):
        rewire_dataset(ALL, FoSR(), threads=0)
    one_way = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2)
    with pytest.raises(InputError, match="FoSR needs an undirected graph"):
        rewire_dataset([*ALL, one_way], FoSR())
    weighted = undirected(3, (0, 1))
    weighted.edge_weight = torch.ones(2)
    with pytest.raises(InputError, match="DIGL writes edge_weight, but the graph already has one"):
        rewire_dataset([weighted], DIGL())
    batch = Batch.from_data_list(ALL[:2])
    with pytest.raises(InputError, match="takes a dataset or a list of Data, not one DataBatch"):
        rewire_dataset(batch, FoSR())
    with pytest.raises(InputError, match="takes single graphs, but one of them is a batch"):
        rewire_dataset([batch], FoSR())
    with pytest.raises(InputError, match="FoSR takes graphs of type Data, not HeteroData"):
        rewire_dataset([HeteroData()], FoSR())
