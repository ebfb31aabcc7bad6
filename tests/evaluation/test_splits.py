"""Splits by the seed alone."""

from __future__ import annotations

import pytest
import torch

from panda_gnn.evaluation.splits import fold_split, random_split, seen_on_validation


@pytest.mark.parametrize("num_graphs", [10, 188, 1113])
def test_splits_are_80_10_10_and_depend_on_the_seed_alone(num_graphs: int) -> None:
    split = random_split(num_graphs, 3)
    parts = (split.train, split.validation, split.test)
    assert sorted(torch.cat(parts).tolist()) == list(range(num_graphs))
    assert [len(part) for part in parts[:2]] == [int(0.8 * num_graphs), int(0.1 * num_graphs)]
    assert random_split(num_graphs, 3).hash == split.hash
    assert random_split(num_graphs, 4).hash != split.hash


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
    splits = [random_split(1000, seed) for seed in range(10)]
    shares = []
    for seed, split in enumerate(splits):
        seen = {int(v) for other in splits if other is not splits[seed] for v in other.validation}
        shares.append(sum(int(row) in seen for row in split.test) / len(split.test))
    assert seen_on_validation(1000, 10) == pytest.approx((min(shares), max(shares)))
    assert sum(shares) / 10 == pytest.approx(1 - 0.9**9, abs=0.03)
    assert seen_on_validation(188, 10) == pytest.approx((0.4, 0.75))
    assert seen_on_validation(188, 1) == (0.0, 0.0)
