r"""Input features that tell a model how large its graph is, or where a node stands in it.

A network trains badly on features of very different scales, and raw centralities differ by orders
of magnitude. A raw feature is :math:`1 / n` for the size n of a graph, or a centrality on the scale
``log`` of :mod:`panda_gnn.transforms.encoding`, shifted and scaled to mean 0 and standard deviation
1 over the nodes of the training graphs (of a node set: over the training nodes); the size has the
same over training graphs. A relative feature is a centrality over the largest of its graph, between
0 and 1, and is left as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from panda_gnn.evaluation.tasks import TaskData
from panda_gnn.transforms import CentralityEncoding

FIVE_CENTRALITIES = ("degree", "betweenness", "closeness", "pagerank", "load")
"""The paper's centralities that are not random."""


def size_feature(data: TaskData, settings: Mapping[str, Any], seed: int) -> Tensor:
    """One over the number of nodes, standardised over the training graphs: ``[num_nodes, 1]``."""
    inverse = 1 / data.graphs.node_ptr.diff().double().view(-1, 1)
    rows = data.task.split(data, settings, seed).train
    return _standardised(inverse, inverse[rows])[data.graphs.graph_of_node]


def centrality_features(
    data: TaskData,
    settings: Mapping[str, Any],
    seed: int,
    names: Sequence[str] = FIVE_CENTRALITIES,
) -> Tensor:
    """The centralities of all nodes, raw and standardised, then relative to their graph's largest:
    ``[num_nodes, 2 * len(names)]``."""
    raw, relative = CentralityEncoding(names, ("log", "relative")).by_scale(data.dataset)
    seen = training_nodes(data, settings, seed)
    return torch.cat([_standardised(raw, raw[seen]), relative], dim=1)


def training_nodes(data: TaskData, settings: Mapping[str, Any], seed: int) -> Tensor:
    """The nodes of the training graphs as a mask or, of a node set, the training nodes."""
    rows = data.task.split(data, settings, seed).train
    if data.graphs.target_nodes is None:
        return torch.isin(data.graphs.graph_of_node, rows)
    return data.graphs.target_nodes[rows]


def _standardised(values: Tensor, seen: Tensor) -> Tensor:
    """The columns with mean 0 and deviation 1 over the rows ``seen``, a constant one being 0."""
    mean, deviation = seen.mean(dim=0), seen.std(dim=0, unbiased=False)
    constant = deviation <= 1e-12 * mean.abs().clamp(min=1)
    scaled = (values - mean) / torch.where(constant, 1.0, deviation)
    return torch.where(constant, 0.0, scaled)
