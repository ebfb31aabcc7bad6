"""Disconnected graphs as several connected ones."""

from __future__ import annotations

import numpy as np

from panda_gnn.centrality.compiled import compiled
from panda_gnn.csr import BlockCSR, Int64


def connected_components(csr: BlockCSR) -> tuple[BlockCSR, Int64]:
    """Every connected component as a graph of its own.

    Returns the components, graph by graph, and for each of their nodes its place in ``csr``.
    """
    kernels = compiled("components")
    rows = csr.node_ptr, csr.row_ptr, csr.neighbours
    order = np.empty(csr.num_nodes, np.int64)
    component_ptr = np.empty(csr.num_nodes + 1, np.int64)
    count = kernels.components(*rows, order, component_ptr)
    component_ptr = component_ptr[: count + 1].copy()
    if np.array_equal(component_ptr, csr.node_ptr):
        return csr, order
    row_ptr, neighbours = np.empty_like(csr.row_ptr), np.empty_like(csr.neighbours)
    kernels.rows_of_components(*rows, order, component_ptr, row_ptr, neighbours)
    return BlockCSR(component_ptr, row_ptr, neighbours, csr.loops[order]), order
