"""Labels of any kind become numbers of classes, in sorted order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from panda_gnn.errors import InputError
from panda_gnn.estimators.targets import classes_of, numbers_of, one_dimensional


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([3, -1, 3], [-1, 3]),
        (["b", "a", "b"], ["a", "b"]),
        ([True, False, True], [False, True]),
        ([2.0, -1.0, 2.0], [-1.0, 2.0]),
    ],
)
def test_classes_in_order(labels: list[Any], classes: list[Any]) -> None:
    found, codes = classes_of(np.array(labels))
    assert found.tolist() == classes
    assert codes.tolist() == [1, 0, 1]


def test_real_numbers_are_no_classes() -> None:
    with pytest.raises(InputError, match=r"such as 0\.25, which are no classes: use a regressor"):
        classes_of(np.array([1.0, 0.25, 1.0]))


def test_text_in_an_array_of_objects() -> None:
    found, _ = classes_of(np.array(["b", "a"], dtype=object))
    assert found.tolist() == ["a", "b"]


def test_columns_and_tensors() -> None:
    assert one_dimensional(torch.tensor([[1], [2]]), 2, "graphs").tolist() == [1, 2]
    assert numbers_of(torch.tensor([1, 2]), 2, "graphs").shape == (2, 1)
    with pytest.raises(InputError, match="there are 3 graphs"):
        numbers_of([1, 2], 3, "graphs")
