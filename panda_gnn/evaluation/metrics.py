"""How predictions are scored: the name of a dataset decides, scikit-learn computes.

>>> evaluate("texas", scores, classes)             # accuracy
>>> evaluate("peptides-func", logits, labels)      # average precision, mean over the ten labels
>>> evaluate("peptides-struct", values, targets)   # mean absolute error: less is better
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt
from sklearn.metrics import accuracy_score, average_precision_score, mean_absolute_error
from torch import Tensor

from panda_gnn.datasets import DATASETS
from panda_gnn.errors import InputError, choose
from panda_gnn.evaluation.measure import Unit

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Metric:
    """A way to score predictions.

    Attributes:
        compute: A function of targets and outputs.
        unit: How scores are printed.
        higher_is_better: Whether a greater score is a better one.
    """

    compute: Callable[[Array, Array], float]
    unit: Unit
    higher_is_better: bool = True


def _accuracy(target: Array, output: Array) -> float:
    return float(accuracy_score(target, output.argmax(1)))


def _average_precision(target: Array, output: Array) -> float:
    """The mean over the labels that some row has; without a positive there is no precision."""
    present = target.sum(axis=0) > 0
    if not present.any():
        raise InputError("average precision needs a label that at least one of the graphs has")
    return float(average_precision_score(target[:, present], output[:, present], average="macro"))


def _mean_absolute_error(target: Array, output: Array) -> float:
    return float(mean_absolute_error(target, output))


METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        "accuracy": Metric(_accuracy, Unit("test accuracy in %", 100.0, 2)),
        "average precision": Metric(
            _average_precision, Unit("test average precision in %", 100.0, 2)
        ),
        "mean absolute error": Metric(
            _mean_absolute_error,
            Unit("test mean absolute error, less is better", 1.0, 4),
            higher_is_better=False,
        ),
    }
)
"""Every metric that a dataset may have."""


def metric_of(dataset: str) -> Metric:
    """The metric of a dataset, by its name."""
    return METRICS[DATASETS[choose("dataset", dataset, DATASETS)].metric]


def evaluate(dataset: str, output: Tensor, target: Tensor) -> float:
    """Score what a model gives for some graphs or nodes of ``dataset``.

    Args:
        dataset: The name of the dataset.
        output: One row for each graph or node, one column for each class or target of the dataset.
        target: The classes, shape ``[num_rows]``, or the targets, of the shape of ``output``.
    """
    entry = DATASETS[choose("dataset", dataset, DATASETS)]
    expected = [target.size(0), entry.num_classes]
    if list(output.shape) != expected:
        raise InputError(
            f"output has shape {list(output.shape)}, but {entry.metric} on {entry.printed} "
            f"needs {expected}: one row for each target, one column for each class"
        )
    shape = expected if entry.task == "lrgb" else expected[:1]
    if list(target.shape) != shape:
        raise InputError(
            f"target has shape {list(target.shape)}, but {entry.metric} on {entry.printed} "
            f"needs {shape}"
        )
    return metric_of(dataset).compute(target.cpu().numpy(), output.detach().cpu().numpy())
