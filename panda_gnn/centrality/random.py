"""Random scores: the control that a choice of nodes by centrality has to beat."""

from __future__ import annotations

import hashlib

import numpy as np

from panda_gnn.graph.arrays import Float64
from panda_gnn.graph.rows import GraphRows


def random(graphs: GraphRows, seed: int) -> Float64:
    r"""Scores in :math:`[0, 1)` that depend on ``seed``, the graph and the node, and nothing else.

    A graph has the same scores alone, in a batch and in a dataset, today and on another machine;
    equal graphs have equal scores. A hash of the seed and of the sorted edges starts splitmix64,
    and node :math:`v` gets its :math:`v`-th number.
    """
    keys = np.empty(graphs.num_graphs, np.uint64)
    for graph in range(graphs.num_graphs):
        alone = graphs.part(graph, graph + 1)
        digest = hashlib.blake2b(f"{seed}:{alone.num_nodes}:".encode(), digest_size=8)
        for array in (alone.row_ptr, alone.neighbours, alone.loops):
            digest.update(np.ascontiguousarray(array).tobytes())
        keys[graph] = int.from_bytes(digest.digest(), "little")
    node = np.arange(graphs.num_nodes) - np.repeat(graphs.node_ptr[:-1], graphs.sizes)
    word = np.repeat(keys, graphs.sizes) + (node + 1).astype(np.uint64) * np.uint64(
        0x9E3779B97F4A7C15
    )
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    word = word ^ (word >> np.uint64(31))
    score: Float64 = (word >> np.uint64(11)) * 2.0**-53
    return score
