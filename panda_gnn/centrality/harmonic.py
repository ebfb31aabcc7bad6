r"""Harmonic centrality: the sum of the inverse distances to all other nodes.

.. math:: H(v) = \sum_{u \ne v} \frac{1}{d(u, v)}, \qquad 1 / \infty = 0

It is not normalised. Inverse distances do not add up along trees, so only twins are merged:
they have the same distances to all others, and one or two to each other.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from panda_gnn.centrality.compiled import compiled
from panda_gnn.centrality.components import connected_components
from panda_gnn.centrality.parallel import over_graphs
from panda_gnn.centrality.shortest_paths import merge_twins, quadratic_cost
from panda_gnn.csr import BlockCSR

Float64 = npt.NDArray[np.float64]


def harmonic(csr: BlockCSR, *, threads: int) -> Float64:
    """The harmonic centrality of every node."""
    connected, order = connected_components(csr)
    scores = np.empty(csr.num_nodes)
    scores[order] = over_graphs(
        connected, quadratic_cost(connected), _harmonic, threads=threads, description="harmonic"
    )
    return scores


def _harmonic(csr: BlockCSR) -> Float64:
    parent = np.full(csr.num_nodes, -1, np.int32)
    classes = merge_twins(csr, parent, np.ones(csr.num_nodes))
    inverse = np.empty(int(classes.class_ptr[-1]))
    compiled("harmonic").inverse_distances(
        classes.class_ptr, classes.row_ptr, classes.neighbours, classes.members, inverse
    )
    count = len(inverse)
    twins = classes.members[:count] - 1.0
    distance = np.where(classes.kinds[:count] == compiled("twins").FALSE_TWINS, 2.0, 1.0)
    _, number = classes.numbers(csr)
    scores: Float64 = (inverse + twins / distance)[number]
    return scores
