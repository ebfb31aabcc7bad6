"""The name of a dataset decides how predictions are scored."""

from __future__ import annotations

import pytest
import torch
from sklearn.metrics import average_precision_score

from panda_gnn.datasets import DATASETS
from panda_gnn.errors import InputError
from panda_gnn.evaluation.metrics import METRICS
from panda_gnn.evaluation.tasks import evaluate, task_of


def test_every_dataset_has_a_metric() -> None:
    assert {task_of(name).metric.name for name in DATASETS} == set(METRICS)
    worse_if_greater = [name for name in DATASETS if not task_of(name).metric.higher_is_better]
    assert worse_if_greater == ["peptides-struct"]


def test_accuracy_counts_the_rows_whose_class_has_the_highest_score() -> None:
    output = torch.eye(5)[[0, 1, 2, 3, 4, 0, 0]]
    assert evaluate("texas", output, torch.tensor([0, 1, 2, 3, 0, 1, 0])) == 5 / 7


def literal_average_precision(output: list[float], target: list[int]) -> float:
    """The mean, over the positives, of the precision among all that rank at least as high."""
    precisions = [
        sum(t for o, t in zip(output, target, strict=True) if o >= score)
        / sum(o >= score for o in output)
        for score, label in zip(output, target, strict=True)
        if label
    ]
    return sum(precisions) / len(precisions)


def test_average_precision_is_the_mean_over_the_labels() -> None:
    generator = torch.Generator().manual_seed(0)
    output = torch.randn(40, 10, generator=generator)
    target = (torch.rand(40, 10, generator=generator) < 0.3).float()
    each = [
        literal_average_precision(o, t)
        for o, t in zip(output.t().tolist(), target.t().int().tolist(), strict=True)
    ]
    assert evaluate("peptides-func", output, target) == pytest.approx(sum(each) / 10, abs=1e-12)


def test_a_label_that_nobody_has_is_left_out() -> None:
    output = torch.rand(9, 10, generator=torch.Generator().manual_seed(1))
    target = torch.zeros(9, 10)
    target[2:5, 3] = 1
    alone = average_precision_score(target[:, 3], output[:, 3])
    assert evaluate("peptides-func", output, target) == pytest.approx(alone)
    with pytest.raises(InputError, match="needs a label that at least one"):
        evaluate("peptides-func", output, torch.zeros(9, 10))


def test_mean_absolute_error_is_over_all_targets() -> None:
    assert evaluate("peptides-struct", torch.ones(4, 11), torch.full((4, 11), 3.5)) == 2.5


def test_how_scores_are_printed() -> None:
    units = {name: metric.unit for name, metric in METRICS.items()}
    printed = {name: f"{unit.scale * 0.123456:.{unit.digits}f}" for name, unit in units.items()}
    assert printed == {
        "accuracy": "12.35",
        "average precision": "12.35",
        "mean absolute error": "0.1235",
    }


def test_wrong_shapes_are_told_what_was_expected() -> None:
    with pytest.raises(InputError, match=r"output has shape \[3, 4\].* on Texas needs \[3, 5\]"):
        evaluate("texas", torch.zeros(3, 4), torch.zeros(3))
    with pytest.raises(InputError, match=r"target has shape \[3, 1\], .* needs \[3\]"):
        evaluate("texas", torch.zeros(3, 5), torch.zeros(3, 1))
    with pytest.raises(InputError, match=r"target has shape \[3\], .* needs \[3, 10\]"):
        evaluate("peptides-func", torch.zeros(3, 10), torch.zeros(3))
    with pytest.raises(InputError, match="unknown dataset 'ogbn'"):
        evaluate("ogbn", torch.zeros(3, 10), torch.zeros(3))
