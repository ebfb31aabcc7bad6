"""The curvature of Jost and Liu: a lower bound of Ollivier's that needs triangles alone."""

from __future__ import annotations

import numpy as np

from panda_gnn.graph.arrays import Float64, Int64
from panda_gnn.graph.forman import triangles_on_edges
from panda_gnn.graph.rows import GraphRows


def jost_liu(graph: GraphRows) -> Float64:
    """The curvature of the edge of every slot, that is of every edge in both directions."""
    degree = graph.degrees
    triangles = triangles_on_edges(graph.row_ptr, graph.neighbours)
    return of_degrees(degree[graph.sources], degree[graph.columns], triangles)


def of_degrees(first: Int64, second: Int64, triangles: Int64) -> Float64:
    """The curvature of edges whose ends have these degrees, with so many triangles on them."""
    open_ends = 1 - 1 / first - 1 / second
    more, less = np.maximum(first, second), np.minimum(first, second)
    value: Float64 = (
        triangles / more
        - np.maximum(open_ends - triangles / less, 0)
        - np.maximum(open_ends - triangles / more, 0)
    )
    return value
