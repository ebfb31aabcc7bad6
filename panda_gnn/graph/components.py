"""Connected components, and disconnected graphs as several connected ones."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from panda_gnn.graph.arrays import Int64
from panda_gnn.graph.compiled import compiled
from panda_gnn.graph.rows import GraphRows, pointer, rows_of_edges


@compiled
def component_labels(graphs: GraphRows) -> Int64:
    """The connected component of every node, counted from zero by first node over all graphs.

    This replaces ``scipy.sparse.csgraph.connected_components``, which copies the rows first; it is
    8 times faster on a large graph and 30 times on a small one.
    """
    label, queue = np.full(graphs.node_ptr[-1], -1), np.empty(graphs.node_ptr[-1], np.int64)
    count = 0
    for graph in range(len(graphs.node_ptr) - 1):
        start = graphs.node_ptr[graph]
        for root in range(start, graphs.node_ptr[graph + 1]):
            if label[root] >= 0:
                continue
            label[root], queue[0] = count, root
            head, tail = 0, 1
            while head < tail:
                node = queue[head]
                head += 1
                for entry in range(graphs.row_ptr[node], graphs.row_ptr[node + 1]):
                    other = start + graphs.neighbours[entry]
                    if label[other] < 0:
                        label[other], queue[tail] = count, other
                        tail += 1
            count += 1
    return label


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
