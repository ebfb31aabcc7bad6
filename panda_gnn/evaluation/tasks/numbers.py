"""Targets that are numbers or several labels, on graphs of any kind: a user's own, mostly.

They are trained as graph and node classification are, with another loss; an epoch counts as
progress when the validation score is better than ever before. (The tasks ``regression`` and
``multi-label`` are those of the long-range benchmark, with its molecules and presets.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from torch.nn import functional as F

from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.metrics import AVERAGE_PRECISION, MEAN_ABSOLUTE_ERROR
from panda_gnn.evaluation.tasks.graph_classification import GraphClassification
from panda_gnn.evaluation.tasks.node_classification import NodeClassification
from panda_gnn.evaluation.train import Recipe


class GraphRegression(GraphClassification):
    """One or several numbers for every graph."""

    classifies_graphs = False
    usual: ClassVar[Mapping[str, Setting]] = {}

    def recipe(self, config: Config) -> Recipe:
        return replace(super().recipe(config), loss=F.l1_loss, threshold=1.0)


class NodeRegression(NodeClassification):
    """One or several numbers for every node of one graph."""

    def recipe(self, config: Config) -> Recipe:
        return replace(super().recipe(config), loss=F.l1_loss, threshold=1.0)


class GraphMultiLabel(GraphClassification):
    """Several labels for every graph, each there or not."""

    classifies_graphs = False
    usual: ClassVar[Mapping[str, Setting]] = {}

    def recipe(self, config: Config) -> Recipe:
        loss = F.binary_cross_entropy_with_logits
        return replace(super().recipe(config), loss=loss, threshold=1.0)


GRAPH_REGRESSION = GraphRegression("graph-regression", MEAN_ABSOLUTE_ERROR)
NODE_REGRESSION = NodeRegression("node-regression", MEAN_ABSOLUTE_ERROR, {"split": "random"})
GRAPH_MULTI_LABEL = GraphMultiLabel("graph-multi-label", AVERAGE_PRECISION)
