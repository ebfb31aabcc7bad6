"""Cached results: found again, never trusted blindly."""

from __future__ import annotations

from multiprocessing.context import ForkServerContext
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from torch_geometric.data import Data, InMemoryDataset

from panda_gnn.cache import Tensors, cached, content_key, folder_for

KEY = content_key("scores", torch.arange(3), "betweenness", 1)


def compute() -> Tensors:
    return {"scores": torch.arange(5, dtype=torch.float64) / 7}


def never() -> Tensors:
    raise AssertionError("computed although cached")


def fits(tensors: Tensors) -> bool:
    return tensors.keys() == {"scores"} and tensors["scores"].shape == (5,)


def test_keys_change_with_every_part() -> None:
    parts = (torch.arange(3), "betweenness", 1)
    assert content_key("scores", *parts) == KEY
    for other in (
        (torch.arange(4), "betweenness", 1),
        (torch.arange(3).double(), "betweenness", 1),
        (torch.arange(3), "load", 1),
        (torch.arange(3), "betweenness", 2),
    ):
        assert content_key("scores", *other) != KEY
    assert content_key("x", "ab", "c") != content_key("x", "a", "bc")
    zeros = [torch.zeros(2, 3), torch.zeros(3, 2), torch.zeros(2, 3, dtype=torch.int32)]
    assert len({content_key("x", values) for values in zeros}) == 3  # all have the same bytes


def test_a_file_under_another_name_is_not_taken(tmp_path: Path) -> None:
    other = content_key("scores", "of other graphs")
    cached(tmp_path, other, lambda: {"scores": torch.zeros(5, dtype=torch.float64)}, fits)
    (path,) = tmp_path.iterdir()
    path.rename(tmp_path / f"{KEY}.safetensors")
    assert torch.equal(cached(tmp_path, KEY, compute, fits)["scores"], compute()["scores"])
    assert torch.equal(cached(tmp_path, KEY, never, fits)["scores"], compute()["scores"])


def test_a_result_of_another_shape_is_computed_again(tmp_path: Path) -> None:
    cached(tmp_path, KEY, lambda: {"scores": torch.zeros(4)}, fits)
    assert torch.equal(cached(tmp_path, KEY, compute, fits)["scores"], compute()["scores"])
    assert torch.equal(cached(tmp_path, KEY, never, fits)["scores"], compute()["scores"])


def test_found_again(tmp_path: Path) -> None:
    first = cached(tmp_path / "new" / "folder", KEY, compute, fits)
    again = cached(tmp_path / "new" / "folder", KEY, never, fits)
    assert torch.equal(first["scores"], again["scores"])
    assert cached(None, KEY, compute, fits)["scores"].numel() == 5


@pytest.mark.parametrize("damage", ["cut", "flip", "foreign", "empty"])
def test_a_damaged_file_is_computed_again(tmp_path: Path, damage: str) -> None:
    expected = cached(tmp_path, KEY, compute, fits)
    (path,) = tmp_path.iterdir()
    content = bytearray(path.read_bytes())
    if damage == "cut":
        path.write_bytes(content[:-9])
    elif damage == "flip":
        content[-1] ^= 1
        path.write_bytes(content)
    elif damage == "foreign":
        save_file({"scores": torch.zeros(5, dtype=torch.float64)}, path)
    else:
        path.write_bytes(b"")
    assert torch.equal(cached(tmp_path, KEY, compute, fits)["scores"], expected["scores"])
    assert torch.equal(cached(tmp_path, KEY, never, fits)["scores"], expected["scores"])


def test_a_folder_that_cannot_be_written_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.warns(UserWarning, match="could not be written"):
        found = cached(tmp_path / "file" / "folder", KEY, compute, fits)
    assert found["scores"].numel() == 5


def _fill(folder: Path) -> float:
    return float(cached(folder, KEY, compute, fits)["scores"].sum())


def test_several_processes_fill_it_at_once(processes: ForkServerContext, tmp_path: Path) -> None:
    with processes.Pool(2) as pool:
        sums = pool.map(_fill, [tmp_path] * 6)
    assert set(sums) == {float(compute()["scores"].sum())}
    assert len(list(tmp_path.iterdir())) == 1


def test_a_dataset_without_a_folder_keeps_nothing() -> None:
    """PyG's root of such a dataset is "???", which is no folder to write to."""
    assert folder_for(InMemoryDataset(), "centrality", None) is None


def test_results_stand_beside_the_processed_dataset(tmp_path: Path) -> None:
    dataset = InMemoryDataset(root=str(tmp_path))
    assert folder_for(dataset, "rewired", None) == tmp_path / "rewired"
    assert folder_for(dataset, "rewired", tmp_path / "mine") == tmp_path / "mine"
    assert folder_for(dataset, "rewired", False) is None
    assert folder_for([Data()], "rewired", None) is None
