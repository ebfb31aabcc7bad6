"""What can be told without a network: random forests that differ in what they are told.

==================  ==============================================================================
majority            nothing: the share of the most frequent class, or the score of the median, or of
                    the mean of several labels
size alone          the numbers of nodes and edges of a graph
features alone      the means of the features over the nodes of a graph, without any edge; of a
                    single graph, each node's own features
local structure     the histograms of :mod:`~panda_gnn.evaluation.ltp`, which hold the size too; of
                    a single graph, each node's degree and those of its neighbours
untrained probe     the means of propagated features of :mod:`~panda_gnn.evaluation.probe`; of a
                    single graph, each node's own propagated features
==================  ==============================================================================

The share of a class is that over training and validation rows. On the validation rows alone the
most frequent class of the training rows is, where classes are balanced, always the rarer one, and
guessing would beat it.

The forest is the same everywhere and nothing about it is chosen, so it is fitted on the training
rows and scored once on the validation rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from panda_gnn.evaluation.ltp import histograms, node_profile
from panda_gnn.evaluation.probe import propagated, propagated_means
from panda_gnn.evaluation.splits import Split
from panda_gnn.evaluation.tasks import TaskData
from panda_gnn.graph.arrays import Float64
from panda_gnn.graph.rows import rows_of_edges

MAJORITY = "majority"
#: What the forests are told, the simplest first.
EXPLANATIONS = ("size alone", "features alone", "local structure", "untrained probe")
BINS, ROUNDS, NODE_ROUNDS, TREES = 50, 4, 2, 100


def quick_inputs(data: TaskData) -> dict[str, Float64]:
    """What the forest of every explanation is told about each row."""
    graphs = data.graphs
    if graphs.target_nodes is None:
        size = torch.stack([graphs.node_ptr.diff(), graphs.edge_ptr.diff()], dim=1)
        told = (
            size.double().numpy(),
            propagated_means(graphs, 0),
            histograms(graphs, BINS),
            propagated_means(graphs, ROUNDS),
        )
        return dict(zip(EXPLANATIONS, told, strict=True))
    rows = graphs.target_nodes.numpy()
    edges = graphs.edge_index.numpy()
    profile = node_profile(rows_of_edges(edges[:, edges[0] != edges[1]], graphs.x.size(0)))
    around = torch.cat(list(propagated(graphs, NODE_ROUNDS)), dim=1).numpy()
    told_of_nodes = (graphs.x.double().numpy()[rows], profile.T[rows], around[rows])
    return dict(zip(EXPLANATIONS[1:], told_of_nodes, strict=True))


def quick_scores(
    data: TaskData,
    settings: Mapping[str, Any],
    seeds: Sequence[int],
    on_score: Callable[[], None] | None = None,
) -> dict[str, dict[int, float]]:
    """The validation score of the majority and of every explanation, by seed; less is better where
    the metric says so.

    Args:
        data: The dataset.
        settings: The settings of the task, which decide the split.
        seeds: The seeds of the splits.
        on_score: Called after each score.
    """
    inputs: dict[str, Float64 | None] = {MAJORITY: None, **quick_inputs(data)}
    scores: dict[str, dict[int, float]] = {name: {} for name in inputs}
    for seed in seeds:
        split = data.task.split(data, settings, seed)
        for name, told in inputs.items():
            scores[name][seed] = _validation_score(data, told, split, seed)
            if on_score is not None:
                on_score()
    return scores


def _validation_score(data: TaskData, told: Float64 | None, split: Split, seed: int) -> float:
    train, validation = split.train, split.validation
    y = data.graphs.y
    of_classes = data.task.metric.of_classes
    if told is None and of_classes:
        both = y[torch.cat([train, validation])]
        return float(torch.bincount(both).max()) / both.numel()
    if told is None:
        outputs = _constant(y[train], data).expand(validation.numel(), -1)
    else:
        outputs = _forest(told, y, train, validation, seed, of_classes, data.entry.num_classes)
    return data.task.metric.score(outputs, y[validation])


def _constant(y: Tensor, data: TaskData) -> Tensor:
    """What is best to say about rows of which nothing is known."""
    if data.task.metric.higher_is_better:
        return y.double().mean(dim=0)
    return y.double().median(dim=0).values


def _forest(
    told: Float64,
    y: Tensor,
    train: Tensor,
    validation: Tensor,
    seed: int,
    of_classes: bool,
    num_classes: int,
) -> Tensor:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    if of_classes:
        forest = RandomForestClassifier(TREES, random_state=seed).fit(told[train], y[train])
        outputs = np.zeros((validation.numel(), num_classes))
        outputs[:, forest.classes_] = forest.predict_proba(told[validation])
        return torch.from_numpy(outputs)
    targets = y[train].squeeze(1) if y.dim() > 1 and y.size(1) == 1 else y[train]
    forest = RandomForestRegressor(TREES, max_features="sqrt", random_state=seed)
    predicted = forest.fit(told[train], targets).predict(told[validation])
    return torch.from_numpy(predicted.reshape(validation.numel(), -1))
