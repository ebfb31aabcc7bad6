"""Estimators whose samples are the nodes of one graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.metrics import accuracy_score, r2_score
from torch import Tensor
from torch_geometric.data import Data
from typing_extensions import Self

from panda_gnn.datasets.checked import checked_graphs
from panda_gnn.errors import InputError
from panda_gnn.estimators.estimator import PandaEstimator
from panda_gnn.estimators.graphs import Classes, Numbers
from panda_gnn.estimators.targets import Array, classes_of, numbers_of, one_dimensional
from panda_gnn.evaluation.tasks.node_classification import NODE_CLASSIFICATION
from panda_gnn.evaluation.tasks.numbers import NODE_REGRESSION


class PandaNodeClassifier(ClassifierMixin, Classes, PandaEstimator):
    """A class for every node of a graph.

    Parameters are those of :class:`PandaEstimator`.

    Example:
        >>> import torch
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.estimators import PandaNodeClassifier
        >>> (tree,) = transfer("tree", 4, num_graphs=1)
        >>> tree.y = torch.arange(31) % 2
        >>> model = PandaNodeClassifier(k=3, width=8, max_epochs=2, random_state=0)
        >>> model.fit(tree, mask=torch.arange(31) < 20).predict(tree).shape
        (31,)
    """

    task = NODE_CLASSIFICATION

    def fit(self, graph: Any, y: Any = None, mask: Any = None) -> Self:
        """Train on one PyG ``Data``.

        Args:
            graph: The graph.
            y: The labels of all nodes, by default ``data.y``; those outside ``mask`` are not used.
            mask: Which nodes to fit, by default all.
        """
        data, labels, rows = _of_nodes(self._to_fit(graph), y, mask)
        labels = one_dimensional(labels, int(data.num_nodes or 0), "nodes")
        self.classes_, codes = classes_of(labels[rows.numpy()])
        data.y = torch.zeros(int(data.num_nodes or 0), dtype=torch.long)
        data.y[rows] = codes
        self._learn([data], len(self.classes_), rows)
        return self

    def score(self, graph: Any, y: Any = None, mask: Any = None) -> float:
        """The share of the nodes, all or those of ``mask``, whose class is predicted."""
        data, labels, rows = _of_nodes(checked_graphs(graph), y, mask)
        labels = one_dimensional(labels, int(data.num_nodes or 0), "nodes")[rows.numpy()]
        return float(accuracy_score(self._known(labels), self.predict(graph)[rows.numpy()]))


class PandaNodeRegressor(RegressorMixin, Numbers, PandaEstimator):
    """One or several numbers for every node of a graph.

    Parameters are those of :class:`PandaEstimator`.

    Example:
        >>> import torch
        >>> from panda_gnn.datasets import transfer
        >>> from panda_gnn.estimators import PandaNodeRegressor
        >>> (tree,) = transfer("tree", 4, num_graphs=1)
        >>> tree.y = torch.arange(31.0)
        >>> model = PandaNodeRegressor(max_epochs=2, width=8, random_state=0).fit(tree)
        >>> model.predict(tree).shape
        (31,)
    """

    task = NODE_REGRESSION

    def fit(self, graph: Any, y: Any = None, mask: Any = None) -> Self:
        """Train on one PyG ``Data``; arguments are those of :class:`PandaNodeClassifier`."""
        data, y, rows = _of_nodes(self._to_fit(graph), y, mask)
        seen = _numbers(y, rows, int(data.num_nodes or 0))
        self.single_ = seen.shape[1] == 1
        data.y = torch.zeros(int(data.num_nodes or 0), seen.shape[1])
        data.y[rows] = self._standardised(seen, seen)
        self._learn([data], seen.shape[1], rows)
        return self

    def score(self, graph: Any, y: Any = None, mask: Any = None) -> float:
        """The coefficient of determination over the nodes, all or those of ``mask``."""
        data, y, rows = _of_nodes(checked_graphs(graph), y, mask)
        seen = _numbers(y, rows, int(data.num_nodes or 0))
        return float(r2_score(seen, self.predict(graph)[rows.numpy()]))


def _numbers(y: Any, rows: Tensor, num_nodes: int) -> Array:
    """The numbers of the nodes of interest; others may be unknown."""
    values = np.asarray(y.detach().cpu() if isinstance(y, Tensor) else y)
    if values.ndim == 0 or len(values) != num_nodes:
        raise InputError(f"y has {values.size} entries, but there are {num_nodes} nodes")
    return numbers_of(values[rows.numpy()], rows.numel(), "nodes")


def _of_nodes(checked: list[Data], y: Any, mask: Any) -> tuple[Data, Any, Tensor]:
    """The graph, its targets and the nodes of interest."""
    if len(checked) != 1:
        raise InputError(f"there are {len(checked)} graphs: nodes are fitted on one PyG Data")
    data = checked[0]
    if y is None:
        y = data.get("y")
        if not isinstance(y, Tensor):
            raise InputError("the graph has no y: give the targets of all nodes as y")
    num_nodes = int(data.num_nodes or 0)
    if mask is None:
        return data, y, torch.arange(num_nodes)
    chosen = torch.as_tensor(np.asarray(mask))
    if chosen.dtype != torch.bool or chosen.shape != (num_nodes,) or not bool(chosen.any()):
        raise InputError(
            f"mask must be {num_nodes} truth values, at least one of them true, got {chosen.dtype} "
            f"of shape {list(chosen.shape)}"
        )
    return data, y, chosen.nonzero().view(-1)
