r"""Input features that tell a model how large its graph is, or where a node stands in it.

A network trains badly on features of very different scales, and raw centralities differ by orders
of magnitude. For a node of a graph of n nodes, a raw feature is one of these counts and shares,

===============  ================================================================================
size             :math:`1 / n`
degree           :math:`\log(1 + d)`, d being the number of neighbours
betweenness      :math:`\log(1 + b)`, b being the pairs of other nodes that the node lies between
load             as betweenness
PageRank         :math:`\log(1 + n r)`: a node of average rank r has :math:`n r = 1`
closeness        as it is, between 0 and 1
===============  ================================================================================

and then shifted and scaled to mean 0 and standard deviation 1 over the nodes of the training graphs
(of a node set: over the training nodes); the size has the same over training graphs. A relative
feature is a centrality over the largest of its graph, between 0 and 1, and is left as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from panda_gnn.centrality import centrality
from panda_gnn.evaluation.tasks import TaskData

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
    graphs = data.graphs
    graph_of_node = graphs.graph_of_node
    sizes = graphs.node_ptr.diff().double()[graph_of_node]
    scores = torch.stack([centrality(name, data.dataset) for name in names], dim=1)
    largest = torch.zeros(graphs.num_graphs, len(names), dtype=torch.float64)
    largest.scatter_reduce_(0, graph_of_node.view(-1, 1).expand_as(scores), scores, "amax")
    relative = scores / largest.clamp(min=torch.finfo(torch.float64).tiny)[graph_of_node]
    raw = torch.stack(
        [_raw(name, column, sizes) for name, column in zip(names, scores.t(), strict=True)], dim=1
    )
    rows = data.task.split(data, settings, seed).train
    if graphs.target_nodes is None:
        seen = torch.isin(graph_of_node, rows)
    else:
        seen = graphs.target_nodes[rows]
    return torch.cat([_standardised(raw, raw[seen]), relative], dim=1)


def _raw(name: str, scores: Tensor, sizes: Tensor) -> Tensor:
    """A centrality as a count, on a logarithmic scale; closeness as it is."""
    if name == "closeness":
        return scores
    others = (sizes - 1).clamp(min=0)
    counts = {
        "degree": others,
        "betweenness": others * (sizes - 2).clamp(min=0) / 2,
        "load": others * (sizes - 2).clamp(min=0) / 2,
        "pagerank": sizes,
    }
    return torch.log1p(scores * counts[name])


def _standardised(values: Tensor, seen: Tensor) -> Tensor:
    """The columns with mean 0 and deviation 1 over the rows ``seen``, a constant one being 0."""
    mean, deviation = seen.mean(dim=0), seen.std(dim=0, unbiased=False)
    constant = deviation <= 1e-12 * mean.abs().clamp(min=1)
    scaled = (values - mean) / torch.where(constant, 1.0, deviation)
    return torch.where(constant, 0.0, scaled)
