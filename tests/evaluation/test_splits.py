"""Splits by the seed alone."""

from __future__ import annotations

import pytest
import torch

from panda_gnn.evaluation.splits import (
    fold_split,
    named_ratio,
    named_split,
    random_split,
    seen_on_validation,
)


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


def test_rows_for_test_over_rows_for_training() -> None:
    assert named_ratio("80/10/10", 100) == 0.125
    assert named_ratio("80/10/10", 19) == 3 / 15
    assert named_ratio("cv10", 100) == 1 / 8
    assert named_ratio("rows 3/1/2", 6) == named_ratio("masks", 9) == 0.0


def test_ten_folds_are_a_partition_in_the_proportions_of_errica() -> None:
    """ENZYMES: six classes of 100 graphs, 486 / 54 / 60."""
    y = torch.arange(600) % 6
    splits = [fold_split(y, seed) for seed in range(10)]
    assert sorted(torch.cat([split.test for split in splits]).tolist()) == list(range(600))
    for split in splits:
        parts = (split.train, split.validation, split.test)
        assert [len(part) for part in parts] == [486, 54, 60]
        assert sorted(torch.cat(parts).tolist()) == list(range(600))
        for part, each in zip(parts, (81, 9, 10), strict=True):
            assert torch.bincount(y[part]).tolist() == pytest.approx([each] * 6, abs=1)
    assert fold_split(y, 13).hash == splits[3].hash
    assert len({split.hash for split in splits}) == 10


def test_the_share_of_a_test_set_that_choices_saw() -> None:
    """Literally, and what chance gives: 1 - (1 - 1/10)^9 = 61 %."""
    splits = [random_split(1000, seed) for seed in range(12)]
    shares = []
    for split in splits:
        seen = {int(v) for other in splits[:10] if other is not split for v in other.validation}
        shares.append(sum(int(row) in seen for row in split.test) / len(split.test))
    ten, all_twelve = (min(shares[:10]), max(shares[:10])), (min(shares), max(shares))
    assert seen_on_validation(1000, 10, 10) == pytest.approx(ten)
    assert seen_on_validation(1000, 10, 12) == pytest.approx(all_twelve)
    assert all_twelve != ten
    assert sum(shares[:10]) / 10 == pytest.approx(1 - 0.9**9, abs=0.03)
    assert seen_on_validation(188, 10, 10) == pytest.approx((0.4, 0.75))
    assert seen_on_validation(188, 1, 1) == (0.0, 0.0)


def test_a_choice_on_one_seed_saw_test_rows_of_the_others() -> None:
    first = {int(row) for row in random_split(2000, 0).validation}
    seen = [
        sum(int(row) in first for row in random_split(2000, seed).test) / 200 for seed in (1, 2)
    ]
    assert seen_on_validation(2000, 1, 3) == pytest.approx((0.0, max(seen)))
    assert max(seen) > 0.05
