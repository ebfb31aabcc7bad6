"""Degree centrality: the share of the other nodes that a node is connected to."""

from __future__ import annotations

import numpy as np

from panda_gnn.graph.arrays import Float64
from panda_gnn.graph.rows import GraphRows


def degree(graphs: GraphRows) -> Float64:
    r"""The degree over :math:`n - 1`; a self-loop counts twice, a lone node has the value one."""
    others = np.repeat(graphs.sizes, graphs.sizes) - 1
    count = graphs.degrees + 2 * graphs.loops
    return np.where(others > 0, count / np.maximum(others, 1), 1.0)
