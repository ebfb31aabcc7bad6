"""The Weisfeiler-Lehman kernel with a support vector machine: a baseline without any training loop.

The kernel (Shervashidze et al., "Weisfeiler-Lehman Graph Kernels", JMLR 2011) compares two graphs
by the labelled neighbourhoods they share, up to a number of rounds. It is computed by GraKeL once
for all graphs of a dataset; no label of a graph enters it. The machine's C is chosen on the
validation graphs.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from panda_gnn.errors import require
from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.splits import Split
from panda_gnn.evaluation.train import Curves

PENALTIES = tuple(10.0**power for power in range(-3, 4))


@lru_cache(maxsize=2)
def kernel_matrix(graphs: GraphTable, rounds: int) -> npt.NDArray[np.float64]:
    """The normalised kernel between all graphs; a node's first label is its row of features."""
    kernels = require("grakel.kernels", "kernel")
    _, labels = torch.unique(graphs.x, dim=0, return_inverse=True)
    inputs = []
    for graph in range(graphs.num_graphs):
        start, end = graphs.node_ptr[graph : graph + 2].tolist()
        first, last = graphs.edge_ptr[graph : graph + 2].tolist()
        edges = {(u, v) for u, v in (graphs.edge_index[:, first:last] - start).t().tolist()}
        names = dict(enumerate(labels[start:end].tolist()))
        inputs.append([edges, names])
    kernel = kernels.WeisfeilerLehman(n_iter=rounds, normalize=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an edgeless graph has a norm of zero in some rounds
        matrix: npt.NDArray[np.float64] = np.nan_to_num(kernel.fit_transform(inputs))
    return matrix


def fit_wl_svm(graphs: GraphTable, split: Split, settings: Mapping[str, Any]) -> Curves:
    """The scores of the machine whose C is best on the validation graphs, as one epoch."""
    from sklearn.svm import SVC

    matrix, y = kernel_matrix(graphs, settings["rounds"]), graphs.y.numpy()
    train = split.train.numpy()
    machines = [
        SVC(kernel="precomputed", C=penalty).fit(matrix[np.ix_(train, train)], y[train])
        for penalty in PENALTIES
    ]
    return best_on_validation(machines, lambda part: matrix[np.ix_(part, train)], y, split)


def best_on_validation(
    machines: Sequence[Any],
    inputs: Callable[[npt.NDArray[np.int64]], npt.NDArray[np.float64]],
    y: npt.NDArray[np.int64],
    split: Split,
) -> Curves:
    """The scores of the fitted machine that is best on the validation graphs, as one epoch.

    Args:
        machines: Classifiers of scikit-learn; of those that tie, the first is taken.
        inputs: What a machine gets for graphs of the given numbers.
        y: The class of each graph.
        split: Which graphs are for validation and for test.
    """
    parts = [part.numpy() for part in (split.validation, split.test)]

    def score(machine: Any, part: npt.NDArray[np.int64]) -> float:
        return float((machine.predict(inputs(part)) == y[part]).mean())

    best = max(machines, key=lambda machine: score(machine, parts[0]))
    return Curves(*((score(best, part),) for part in parts))
