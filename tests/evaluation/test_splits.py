"""Splits by the seed alone."""

from __future__ import annotations

import pytest
import torch

from panda_gnn.evaluation.splits import random_split


@pytest.mark.parametrize("num_graphs", [10, 188, 1113])
def test_splits_are_80_10_10_and_depend_on_the_seed_alone(num_graphs: int) -> None:
    split = random_split(num_graphs, 3)
    parts = (split.train, split.validation, split.test)
    assert sorted(torch.cat(parts).tolist()) == list(range(num_graphs))
    assert [len(part) for part in parts[:2]] == [int(0.8 * num_graphs), int(0.1 * num_graphs)]
    assert random_split(num_graphs, 3).hash == split.hash
    assert random_split(num_graphs, 4).hash != split.hash
