"""How outputs of a model are scored.

>>> import torch
>>> ACCURACY.score(torch.tensor([[2.0, 1.0], [0.0, 3.0]]), torch.tensor([0, 0]))
0.5
>>> MEAN_ABSOLUTE_ERROR.score(torch.tensor([[1.0], [3.0]]), torch.tensor([[1.0], [4.0]]))
0.5
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from panda_gnn.errors import InputError
from panda_gnn.evaluation.measure import Unit

if TYPE_CHECKING:  # rows are read, and commands explained, without torch and scikit-learn
    from torch import Tensor

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Metric:
    """A way to score outputs.

    Attributes:
        name: What rows and messages call it.
        compute: A function of targets and outputs.
        unit: How scores are printed.
        higher_is_better: Whether a greater score is a better one.
        of_classes: Whether a target is one class, instead of a row as long as the output.
        of_numbers: Whether targets are numbers in a unit of their own, which scores have too.
        largest: No score is greater than this, and none less than 0.
    """

    name: str
    compute: Callable[[Array, Array], float]
    unit: Unit
    higher_is_better: bool = True
    of_classes: bool = False
    of_numbers: bool = False
    largest: float = 1.0

    def score(self, output: Tensor, target: Tensor) -> float:
        """The score of the outputs of some rows; of no rows, it is not a number.

        Args:
            output: One row for each graph or node, one column for each class or target.
            target: The classes, shape ``[num_rows]``, or the targets, of the shape of ``output``.
        """
        if not target.size(0):
            return float("nan")
        expected = output.shape[:1] if self.of_classes else output.shape
        if target.shape != expected:
            raise InputError(
                f"target has shape {list(target.shape)}, but {self.name} needs {list(expected)} "
                f"beside output of shape {list(output.shape)}"
            )
        return self.compute(target.cpu().numpy(), output.detach().cpu().numpy())

    def merit(self, score: float) -> float:
        """The score with its sign turned where less is better: of merits, more is better."""
        return score if self.higher_is_better else -score


def _accuracy(target: Array, output: Array) -> float:
    return float((output.argmax(1) == target).mean())


def _average_precision(target: Array, output: Array) -> float:
    """The mean over the labels that some row has; without a positive there is no precision."""
    from sklearn.metrics import average_precision_score

    present = target.sum(axis=0) > 0
    if not present.any():
        raise InputError("average precision needs a label that at least one of the graphs has")
    return float(average_precision_score(target[:, present], output[:, present], average="macro"))


def _mean_absolute_error(target: Array, output: Array) -> float:
    from sklearn.metrics import mean_absolute_error

    return float(mean_absolute_error(target, output))


ACCURACY = Metric("accuracy", _accuracy, Unit("test accuracy in %", 100.0, 2), of_classes=True)
AVERAGE_PRECISION = Metric(
    "average precision", _average_precision, Unit("test average precision in %", 100.0, 2)
)
MEAN_ABSOLUTE_ERROR = Metric(
    "mean absolute error",
    _mean_absolute_error,
    Unit("test mean absolute error, less is better", 1.0, 4),
    higher_is_better=False,
    of_numbers=True,
    largest=math.inf,
)

METRICS: Mapping[str, Metric] = MappingProxyType(
    {metric.name: metric for metric in (ACCURACY, AVERAGE_PRECISION, MEAN_ABSOLUTE_ERROR)}
)
"""Every metric, by the name that rows have."""
