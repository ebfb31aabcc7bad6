"""Splits by the seed alone."""

from __future__ import annotations

import pytest
import torch

from panda_gnn.evaluation.splits import named_split, random_split


@pytest.mark.parametrize("num_graphs", [10, 188, 1113])
def test_splits_are_80_10_10_and_depend_on_the_seed_alone(num_graphs: int) -> None:
    split = random_split(num_graphs, 3)
    parts = (split.train, split.validation, split.test)
    assert sorted(torch.cat(parts).tolist()) == list(range(num_graphs))
    assert [len(part) for part in parts[:2]] == [int(0.8 * num_graphs), int(0.1 * num_graphs)]
    assert random_split(num_graphs, 3).hash == split.hash
    assert random_split(num_graphs, 4).hash != split.hash


def test_folds_take_every_row_for_test_once() -> None:
    splits = [named_split("cv5", 23, seed) for seed in range(5)]
    assert torch.cat([split.test for split in splits]).sort().values.tolist() == list(range(23))
    for split, following in zip(splits, [*splits[1:], splits[0]], strict=True):
        parts = torch.cat([split.train, split.validation, split.test])
        assert parts.sort().values.tolist() == list(range(23))
        assert torch.equal(split.validation, following.test)
    assert named_split("cv5", 23, 5).hash != splits[0].hash


def test_shares_and_rows() -> None:
    shares = named_split("70/20/10", 50, 3)
    assert [part.numel() for part in (shares.train, shares.validation, shares.test)] == [35, 10, 5]
    rows = named_split("rows 3/1/2", 6, 9)
    assert [rows.train.tolist(), rows.validation.tolist(), rows.test.tolist()] == [
        [0, 1, 2],
        [3],
        [4, 5],
    ]
