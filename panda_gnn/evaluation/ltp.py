r"""LTP: histograms of the local topology with a random forest; no features and no network.

After `"Local Topological Profile" <https://arxiv.org/abs/2305.00724>`_. Of every node the degree
and the minimum, maximum, mean and (unbiased) standard deviation of its neighbours' degrees are
taken; of every edge the betweenness, the Jaccard index of its ends' neighbours and the local degree
score, which is the larger of both ends' :math:`1 - \log r / \log d`, where the other end has rank r
by degree among the d neighbours of this one, equal degrees sharing the best rank (1 where d = 1).
Each of these is one histogram of counts per graph, over the graph's own range. The forest is fitted
on the training graphs; nothing is chosen, so the validation graphs are not used. A trial takes
seconds; the betweenness of REDDIT-BINARY takes two minutes, once in a process.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from panda_gnn.centrality.edge_betweenness import edge_betweenness
from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.splits import Split
from panda_gnn.evaluation.train import Curves
from panda_gnn.evaluation.wl_svm import best_on_validation
from panda_gnn.graph.arrays import Float64
from panda_gnn.graph.forman import triangles_on_edges
from panda_gnn.graph.rows import GraphRows, rows_of_edges

DIGITS = 9
"""Values that differ in rounding errors alone must fall into one bin."""


def node_profile(graph: GraphRows) -> Float64:
    """Degree, and minimum, maximum, mean and deviation of the neighbours' degrees: ``[5, n]``.

    A node without neighbours has zeros, the deviation over a single neighbour is zero.
    """
    degrees = graph.degrees.astype(np.float64)
    around = degrees[graph.columns]
    some = graph.degrees > 0
    begins = graph.row_ptr[:-1][some]
    profile = np.zeros((5, graph.num_nodes))
    profile[0] = degrees
    if some.any():
        profile[1, some] = np.minimum.reduceat(around, begins)
        profile[2, some] = np.maximum.reduceat(around, begins)
        profile[3, some] = np.add.reduceat(around, begins) / degrees[some]
        away = (around - profile[3][graph.sources]) ** 2
        profile[4, some] = np.sqrt(np.add.reduceat(away, begins) / np.maximum(degrees[some] - 1, 1))
    return profile


def edge_profile(graph: GraphRows) -> Float64:
    """Betweenness, Jaccard index and local degree score of every edge ``u < v``: ``[3, m]``."""
    degrees = graph.degrees.astype(np.float64)
    source, target = graph.sources, graph.columns
    upper = source < target
    shared = triangles_on_edges(graph.row_ptr, graph.neighbours)
    jaccard = shared / np.maximum(degrees[source] + degrees[target] - shared, 1)
    score = _degree_rank_score(graph)
    opposite = np.argsort(target * graph.num_nodes + source)  # the entry of the other end
    local = np.maximum(score, score[opposite])
    return np.stack([edge_betweenness(graph), jaccard[upper], local[upper]])


def _degree_rank_score(graph: GraphRows) -> Float64:
    """For every entry of the rows, the neighbour's rank by degree as seen from the row's node."""
    source, around = graph.sources, graph.degrees[graph.columns]
    order = np.lexsort((-around, source))
    place = np.arange(order.size) - graph.row_ptr[source]
    first = np.ones(order.size, bool)
    first[1:] = (np.diff(around[order]) != 0) | (np.diff(source[order]) != 0)
    rank = np.maximum.accumulate(np.where(first, place, -1) + graph.row_ptr[source])
    rank = rank - graph.row_ptr[source] + 1
    own = graph.degrees[source]
    score = np.empty(order.size)
    score[order] = np.where(own > 1, 1 - np.log(rank) / np.log(np.maximum(own, 2)), 1.0)
    return score


@lru_cache(maxsize=2)
def histograms(graphs: GraphTable, bins: int) -> Float64:
    """The eight histograms of each graph, one after the other: ``[num_graphs, 8 * bins]``."""
    edges = graphs.edge_index.numpy()
    whole = rows_of_edges(edges[:, edges[0] != edges[1]], graphs.x.size(0))
    graph_of_node = graphs.graph_of_node.numpy()
    nodes, links = node_profile(whole).round(DIGITS), edge_profile(whole).round(DIGITS)
    node_cuts = graphs.node_ptr.numpy()[1:-1]
    link_cuts = np.searchsorted(graph_of_node[whole.edges[0]], np.arange(1, graphs.num_graphs))
    parts = [np.split(values, node_cuts) for values in nodes]
    parts += [np.split(values, link_cuts) for values in links]
    return np.array(
        [
            np.concatenate([np.histogram(values, bins)[0] for values in of_graph])
            for of_graph in zip(*parts, strict=True)
        ],
        np.float64,
    )


def fit_ltp(graphs: GraphTable, split: Split, settings: Mapping[str, Any]) -> Curves:
    """The scores of the forest, as one epoch."""
    from sklearn.ensemble import RandomForestClassifier

    features, y = histograms(graphs, settings["bins"]), graphs.y.numpy()
    forest = RandomForestClassifier(settings["trees"], random_state=0)
    forest.fit(features[split.train.numpy()], y[split.train.numpy()])
    return best_on_validation([forest], lambda part: features[part], y, split)
