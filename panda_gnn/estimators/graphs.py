"""Estimators whose samples are graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from sklearn.base import ClassifierMixin, RegressorMixin
from torch import Tensor
from torch_geometric.data import Data
from typing_extensions import Self

from panda_gnn.datasets.checked import checked_graphs
from panda_gnn.errors import InputError
from panda_gnn.estimators.estimator import PandaEstimator
from panda_gnn.estimators.targets import Array, classes_of, numbers_of, one_dimensional
from panda_gnn.evaluation.tasks.graph_classification import GRAPH_CLASSIFICATION
from panda_gnn.evaluation.tasks.numbers import GRAPH_REGRESSION


class Classes:
    """What a classifier does with its outputs, of graphs or of nodes."""

    classes_: Array

    def predict_proba(self, graphs: Any) -> Array:
        """The probability of each class, in the order of ``classes_``."""
        outputs: Tensor = self._outputs(graphs)  # type: ignore[attr-defined]
        probabilities: Array = outputs.double().softmax(dim=1).numpy()
        return probabilities

    def predict(self, graphs: Any) -> Array:
        """The most probable classes."""
        outputs: Tensor = self._outputs(graphs)  # type: ignore[attr-defined]
        predicted: Array = self.classes_[outputs.argmax(dim=1).numpy()]
        return predicted

    def _known(self, labels: Array) -> Array:
        """The labels, all of which the model was fitted with."""
        strange = ~np.isin(labels, self.classes_)
        if strange.any():
            raise InputError(
                f"y has the label {labels[strange].tolist()[0]!r}, which the model was not fitted "
                f"with: its classes are {', '.join(map(str, self.classes_.tolist()))}"
            )
        return labels


class Numbers:
    """What a regressor does with its targets and outputs: the network sees standardised numbers."""

    mean_: Array
    scale_: Array
    single_: bool

    def _standardised(self, values: Array, seen: Array) -> Tensor:
        """Targets of mean 0 and deviation 1 over the rows ``seen``."""
        deviation = seen.std(axis=0)
        self.mean_ = seen.mean(axis=0)
        self.scale_ = np.where(deviation > 0, deviation, 1.0)
        return torch.from_numpy((values - self.mean_) / self.scale_).float()

    def predict(self, graphs: Any) -> Array:
        """The predicted numbers."""
        outputs: Tensor = self._outputs(graphs)  # type: ignore[attr-defined]
        values: Array = outputs.double().numpy() * self.scale_ + self.mean_
        return values[:, 0] if self.single_ else values


class PandaClassifier(ClassifierMixin, Classes, PandaEstimator):
    """A class for every graph.

    ``score`` is the accuracy. Parameters are those of :class:`PandaEstimator`.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.estimators import PandaClassifier
        >>> graphs = [*transfer("ring", 4, num_graphs=10), *transfer("lollipop", 4, num_graphs=10)]
        >>> model = PandaClassifier(k=2, width=8, max_epochs=2, random_state=0)
        >>> model = model.fit(graphs, ["ring"] * 10 + ["lollipop"] * 10)
        >>> model.predict_proba(graphs).shape
        (20, 2)
    """

    task = GRAPH_CLASSIFICATION

    def fit(self, graphs: Any, y: Any = None) -> Self:
        """Train on a list of PyG ``Data`` and their labels, by default those in ``data.y``."""
        checked = self._to_fit(graphs)
        labels = one_dimensional(_targets(checked, y), len(checked), "graphs")
        self.classes_, codes = classes_of(labels)
        for data, code in zip(checked, codes, strict=True):
            data.y = code.view(1)
        self._learn(checked, len(self.classes_), torch.arange(len(checked)))
        return self

    def score(self, graphs: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The share of the graphs whose class is predicted."""
        checked = checked_graphs(graphs)
        labels = one_dimensional(_targets(checked, y), len(checked), "graphs")
        return float(super().score(graphs, self._known(labels), sample_weight))


class PandaRegressor(RegressorMixin, Numbers, PandaEstimator):
    """One or several numbers for every graph.

    ``score`` is the coefficient of determination. Parameters are those of :class:`PandaEstimator`.

    Example:
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.estimators import PandaRegressor
        >>> graphs = [g for size in range(2, 12) for g in transfer("ring", size, num_graphs=2)]
        >>> model = PandaRegressor(max_epochs=2, width=8, random_state=0)
        >>> model.fit(graphs, [data.num_nodes for data in graphs]).predict(graphs).shape
        (20,)
    """

    task = GRAPH_REGRESSION

    def fit(self, graphs: Any, y: Any = None) -> Self:
        """Train on a list of PyG ``Data`` and their numbers, by default those in ``data.y``."""
        checked = self._to_fit(graphs)
        y = _targets(checked, y)
        values = numbers_of(y, len(checked), "graphs")
        self.single_ = values.shape[1] == 1
        for data, row in zip(checked, self._standardised(values, values), strict=True):
            data.y = row.view(1, -1)
        self._learn(checked, values.shape[1], torch.arange(len(checked)))
        return self

    def score(self, graphs: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The coefficient of determination of the predictions."""
        checked = checked_graphs(graphs)
        values = numbers_of(_targets(checked, y), len(checked), "graphs")
        return float(super().score(graphs, values, sample_weight))


def _targets(graphs: list[Data], y: Any) -> Any:
    """The targets, by default those of the graphs."""
    if y is not None:
        return y
    for number, data in enumerate(graphs):
        if not isinstance(data.get("y"), Tensor):
            raise InputError(f"graph {number} has no y: give the targets of all graphs as y")
    return torch.cat([data.y.reshape(1, -1) for data in graphs])
