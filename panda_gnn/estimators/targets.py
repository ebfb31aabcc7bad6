"""Labels and numbers as the targets of a network, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from panda_gnn.errors import InputError

Array = npt.NDArray[Any]


def one_dimensional(y: Any, count: int, what: str) -> Array:
    """``y`` as an array with one entry for each of ``count`` graphs or nodes."""
    values = np.asarray(y.detach().cpu() if isinstance(y, Tensor) else y)
    values = values.reshape(-1) if values.ndim == 2 and values.shape[1] == 1 else values
    if values.ndim != 1 or len(values) != count:
        raise InputError(
            f"y has the shape {list(values.shape)}, but there are {count} {what}: give one label "
            "for each"
        )
    return values


def classes_of(labels: Array) -> tuple[Array, Tensor]:
    """The classes in order, and the number of each label's class."""
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise InputError("y has labels that are no finite numbers: leave those out")
    if labels.dtype.kind == "f" and bool((labels != labels.round()).any()):
        number = labels[labels != labels.round()][0]
        raise InputError(
            f"y has numbers such as {number:.4g}, which are no classes: use a regressor"
        )
    if labels.dtype.kind not in "biufUS" and not all(isinstance(label, str) for label in labels):
        raise InputError(f"y has labels of type {labels.dtype}: give numbers or text")
    if labels.dtype.kind == "O":
        labels = labels.astype(str)
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise InputError(
            f"all labels are of one class ({classes.tolist()[0]}): there is nothing to learn"
        )
    return classes, torch.from_numpy(codes.astype(np.int64))


def numbers_of(y: Any, count: int, what: str) -> npt.NDArray[np.float64]:
    """``y`` as an array ``[count, targets]`` of finite numbers."""
    try:
        values = np.asarray(y.detach().cpu() if isinstance(y, Tensor) else y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError("y must be numbers, one or more for each target") from error
    values = values.reshape(-1, 1) if values.ndim == 1 else values
    if values.ndim != 2 or len(values) != count or values.shape[1] == 0:
        raise InputError(
            f"y has the shape {list(values.shape)}, but there are {count} {what}: give one row for "
            "each"
        )
    if not np.isfinite(values).all():
        raise InputError("y has numbers that are not finite: leave those out")
    return values
