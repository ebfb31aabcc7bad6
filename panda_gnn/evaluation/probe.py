r"""An untrained probe: means of propagated features with logistic regression.

The inputs of the regression are, for each graph, the means over its nodes of :math:`\mathbf{X},
\hat{\mathbf{A}} \mathbf{X}, \dots, \hat{\mathbf{A}}^r \mathbf{X}`, standardised over the training
graphs, with GCN's :math:`\hat{\mathbf{A}} = \tilde{\mathbf{D}}^{-1/2} (\mathbf{A} + \mathbf{I})
\tilde{\mathbf{D}}^{-1/2}`: what a GCN without any learned layer tells of a graph. The regression's
C is chosen on the validation graphs. A trial takes seconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.splits import Split
from panda_gnn.evaluation.train import Curves
from panda_gnn.evaluation.wl_svm import PENALTIES, best_on_validation
from panda_gnn.nn.readout import mean_of_graphs


@lru_cache(maxsize=2)
def propagated_means(graphs: GraphTable, rounds: int) -> npt.NDArray[np.float64]:
    """The means of each graph, round after round: ``[num_graphs, (rounds + 1) * features]``."""
    means = [
        mean_of_graphs(x, graphs.graph_of_node, graphs.num_graphs)
        for x in propagated(graphs, rounds)
    ]
    return torch.cat(means, dim=1).numpy()


def propagated(graphs: GraphTable, rounds: int) -> Iterator[Tensor]:
    """The features of all nodes, and what is left of them after each round."""
    source, target = graphs.edge_index
    degrees = 1 + torch.bincount(target, minlength=graphs.x.size(0)).double()
    weights = (degrees[source] * degrees[target]).rsqrt().view(-1, 1)
    x = graphs.x.double()
    yield x
    for _ in range(rounds):
        x = (x / degrees.view(-1, 1)).index_add(0, target, weights * x[source])
        yield x


def fit_probe(graphs: GraphTable, split: Split, settings: Mapping[str, Any]) -> Curves:
    """The scores of the regression whose C is best on the validation graphs, as one epoch."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    features, y = propagated_means(graphs, settings["rounds"]), graphs.y.numpy()
    train = split.train.numpy()
    features = StandardScaler().fit(features[train]).transform(features)
    machines = [
        LogisticRegression(C=penalty, max_iter=10_000).fit(features[train], y[train])
        for penalty in PENALTIES
    ]
    return best_on_validation(machines, lambda part: features[part], y, split)
