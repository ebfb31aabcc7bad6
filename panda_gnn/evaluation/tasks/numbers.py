"""Targets that are numbers or several labels, on graphs of any kind: a user's own, mostly.

They are trained as graph and node classification are, with another loss; an epoch counts as
progress when the validation score is better than ever before. Numbers are learned as multiples of
their deviation over the training rows and scored in their own unit. (The tasks ``regression`` and
``multi-label`` are those of the long-range benchmark, with its molecules and presets.)
"""

from __future__ import annotations

from torch.nn import functional as F

from panda_gnn.evaluation.metrics import AVERAGE_PRECISION, MEAN_ABSOLUTE_ERROR
from panda_gnn.evaluation.tasks.graph_classification import GraphTask
from panda_gnn.evaluation.tasks.node_classification import NodeTask

GRAPH_REGRESSION = GraphTask("graph-regression", MEAN_ABSOLUTE_ERROR, loss=F.l1_loss, version=2)
NODE_REGRESSION = NodeTask(
    "node-regression", MEAN_ABSOLUTE_ERROR, {"split": "random"}, loss=F.l1_loss, version=2
)
GRAPH_MULTI_LABEL = GraphTask(
    "graph-multi-label", AVERAGE_PRECISION, loss=F.binary_cross_entropy_with_logits
)
