# mypy: disable-error-code="untyped-decorator"
"""Leaf peeling: the trees that hang on a connected graph, taken off and kept as weights."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from panda_gnn.csr import Int32, Int64

Float64 = npt.NDArray[np.float64]


@njit(
    "void(int64[::1], int64[::1], int32[::1], int32[::1], int32[::1], int64[::1],"
    " float64[::1], float64[::1], float64[::1])",
    cache=True,
    nogil=True,
)
def peel(
    node_ptr: Int64,
    row_ptr: Int64,
    neighbours: Int32,
    parent: Int32,
    peeled: Int32,
    num_peeled: Int64,
    weight: Float64,
    squares: Float64,
    depth: Float64,
) -> None:
    """Take off leaves until none is left; what stays of each graph is its core.

    Args:
        parent: receives the neighbour a node hung on when it was peeled, -1 in the core.
        peeled: receives, per graph, the peeled nodes in the order they were peeled.
        num_peeled: receives their number per graph.
        weight: receives the number of nodes in the tree below a node, itself included.
        squares: receives the sum of the squared weights of a node's children.
        depth: receives the sum of the distances from a node to the nodes below it.
    """
    for graph in range(len(node_ptr) - 1):
        start, stop = node_ptr[graph], node_ptr[graph + 1]
        degree = np.empty(stop - start, np.int32)
        queue = peeled[start:stop]
        tail = 0
        for node in range(stop - start):
            position = start + node
            degree[node] = row_ptr[position + 1] - row_ptr[position]
            parent[position] = -1
            weight[position] = 1.0
            squares[position] = 0.0
            depth[position] = 0.0
            if degree[node] == 1:
                queue[tail] = node
                tail += 1
        head = 0
        while head < tail:
            leaf = queue[head]
            if degree[leaf] == 0:  # the last node of a tree: its core
                break
            head += 1
            for entry in range(row_ptr[start + leaf], row_ptr[start + leaf + 1]):
                node = neighbours[entry]
                if parent[start + node] < 0:
                    below = weight[start + leaf]
                    parent[start + leaf] = node
                    weight[start + node] += below
                    squares[start + node] += below * below
                    depth[start + node] += depth[start + leaf] + below
                    degree[node] -= 1
                    if degree[node] == 1:
                        queue[tail] = node
                        tail += 1
                    break
        num_peeled[graph] = head
