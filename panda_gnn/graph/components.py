"""Connected components, by scipy, and disconnected graphs as several connected ones."""

from __future__ import annotations

import numpy as np
import torch
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components as scipy_components
from torch import Tensor

from panda_gnn.graph.arrays import Int64
from panda_gnn.graph.rows import GraphRows, pointer, rows_of_edges


def component_labels(graphs: GraphRows) -> Int64:
    """The connected component of every node, counted from zero by first node over all graphs."""
    size = graphs.num_nodes
    adjacency = csr_array(
        (np.ones(len(graphs.neighbours), np.int8), graphs.columns, graphs.row_ptr),
        shape=(size, size),
    )
    _, label = scipy_components(adjacency, directed=False)
    return np.asarray(label, dtype=np.int64)


def components(edges: Tensor, num_nodes: int) -> Tensor:
    """The connected component of every node, counted from zero by first node.

    ``edges`` are those of one graph, ``[2, m]``, each in one direction or in both.
    """
    label = component_labels(rows_of_edges(edges.cpu().numpy(), num_nodes))
    return torch.from_numpy(label).to(edges.device)


def connected_components(graphs: GraphRows) -> tuple[GraphRows, Int64]:
    """Every connected component as a graph of its own.

    Returns the components, graph by graph, and for each of their nodes its place in ``graphs``.
    """
    label = component_labels(graphs)
    order = np.argsort(label, kind="stable")
    node_ptr = pointer(np.bincount(label))
    if np.array_equal(node_ptr, graphs.node_ptr):
        return graphs, order
    number = np.empty(graphs.num_nodes, np.int32)
    number[order] = np.arange(graphs.num_nodes) - np.repeat(node_ptr[:-1], np.diff(node_ptr))
    row_ptr = pointer(graphs.degrees[order])
    shift = np.repeat(graphs.row_ptr[:-1][order] - row_ptr[:-1], np.diff(row_ptr))
    entries = np.arange(len(graphs.neighbours)) + shift
    neighbours = number[graphs.columns[entries]]
    return GraphRows(node_ptr, row_ptr, neighbours, graphs.loops[order]), order
