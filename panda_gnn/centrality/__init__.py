"""Centralities of whole datasets: one function, exact scores, compiled kernels behind it.

>>> from panda_gnn.centrality import centrality
>>> from panda_gnn.datasets import transfer
>>> graphs = transfer("tree", 2, num_graphs=3)
>>> centrality("degree", graphs).shape  # a float64 score for every node, graph by graph
torch.Size([21])

============== ====================================================================================
degree         share of the other nodes that are neighbours
betweenness    share of the shortest paths between others that run through a node
closeness      inverse of the mean distance, scaled for components (Wasserman and Faust)
pagerank       where a surfer is who starts anew with probability 0.15
load           packets that pass, each divided equally at every node on its way
random         nothing but the seed and the graph
harmonic       sum of the inverse distances
eigenvector    the eigenvector of the largest eigenvalue
katz           walks of all lengths, each step damped by 0.9 over the largest eigenvalue
current-flow   inverse of the sum of effective resistances (information centrality)
resistance     sum of effective resistances: high for badly wired nodes
============== ====================================================================================
"""

from panda_gnn.centrality.families import CENTRALITIES
from panda_gnn.centrality.scores import (
    SampledScores,
    centrality,
    compile_kernels,
    sampled_centrality,
)

__all__ = ["CENTRALITIES", "SampledScores", "centrality", "compile_kernels", "sampled_centrality"]
