r"""Personalised PageRank of every node without a dense matrix over the nodes, by pushing or on
classes of twins.

Let :math:`\mathbf{S} = \alpha (\mathbf{I} - (1 - \alpha) \mathbf{H})^{-1}` with :math:`\mathbf{H} =
\mathbf{D}^{-1/2} (\mathbf{A} + \mathbf{I}) \mathbf{D}^{-1/2}`. A row of :math:`\mathbf{S}` is
:math:`\mathbf{p} + \mathbf{S} \mathbf{r}`: it begins with :math:`\mathbf{p} = 0` and the unit
vector as :math:`\mathbf{r}`, and pushing a node :math:`v` moves :math:`\alpha r_v` to :math:`p_v`
and :math:`(1 - \alpha) r_v \mathbf{H}_{wv}` to :math:`r_w` (Andersen, Chung and Lang, "Local Graph
Partitioning using PageRank Vectors", FOCS 2006). Where no :math:`r_w` exceeds :math:`\tau
\sqrt{d_w}`, the entry :math:`\mathbf{S}_{uv}` exceeds :math:`p_v` by :math:`\tau \sqrt{d_v}` at
most, because :math:`\mathbf{S} \sqrt{\mathbf{d}} = \sqrt{\mathbf{d}}`, and never falls below it.
The work for the row of :math:`u` is at most :math:`\sqrt{d_u} / (\alpha \tau)`, whatever the size
of the graph.
"""

from __future__ import annotations

import numpy as np

from panda_gnn.graph.arrays import Float64, Int32, Int64
from panda_gnn.graph.compiled import compiled
from panda_gnn.graph.rows import GraphRows
from panda_gnn.graph.twins import twin_classes


@compiled
def large_entries(
    start: Int64, neighbour: Int32, alpha: float, eps: float, tolerance: float
) -> tuple[Int64, Float64]:
    """Entries ``[2, t]`` of the diffusion matrix and their values, row by row.

    A value is too small by ``tolerance`` at most. All entries of at least ``eps + tolerance`` are
    there, and none below ``eps``.

    On 2000 nodes of mean degree 4 it takes a third of PyG's dense inverse, and memory grows with
    the entries alone.
    """
    num_nodes = start.size - 1
    root = np.sqrt(start[1:] - start[:-1] + 1.0)
    most = tolerance / root.max() if num_nodes > 0 else 0.0
    estimate, residual = np.zeros(num_nodes), np.zeros(num_nodes)
    seen, waiting = np.zeros(num_nodes, np.bool_), np.zeros(num_nodes, np.bool_)
    queue, touched = np.empty(num_nodes, np.int64), np.empty(num_nodes, np.int64)
    row, column, value = [0 for _ in range(0)], [0 for _ in range(0)], [0.0 for _ in range(0)]
    for u in range(num_nodes):
        residual[u] = 1.0
        queue[0], touched[0] = u, u
        waiting[u] = seen[u] = True
        head, length, count = 0, 1, 1
        while length > 0:  # the queue is a ring, since a node waits in it once
            v = queue[head]
            head = (head + 1) % num_nodes
            length -= 1
            waiting[v] = False
            amount = residual[v]
            residual[v] = 0.0
            estimate[v] += alpha * amount
            share = (1 - alpha) * amount / root[v]
            for slot in range(start[v] - 1, start[v + 1]):
                w = v if slot < start[v] else np.int64(neighbour[slot])
                residual[w] += share / root[w]
                if not seen[w]:
                    seen[w] = True
                    touched[count] = w
                    count += 1
                if residual[w] > most * root[w] and not waiting[w]:
                    waiting[w] = True
                    queue[(head + length) % num_nodes] = w
                    length += 1
        for place in range(count):
            v = touched[place]
            if estimate[v] >= eps:
                row.append(u)
                column.append(v)
                value.append(estimate[v])
            estimate[v] = residual[v] = 0.0
            seen[v] = False
    entries = np.empty((2, len(row)), np.int64)
    values = np.empty(len(row))
    for place in range(len(row)):
        entries[0, place], entries[1, place] = row[place], column[place]
        values[place] = value[place]
    return entries, values


def twin_entries(graph: GraphRows, alpha: float, eps: float) -> tuple[Int64, Float64]:
    r"""The entries of at least ``eps``, as places ``[2, e]`` and values, exact up to rounding: a
    dense matrix over classes of twins is inverted instead of one over nodes.

    Vectors that are constant on every class are a subspace that :math:`\mathbf{H}` maps to itself,
    and so are those whose entries sum to zero on one class: on these it is the number
    :math:`1 / (d + 1)` where the twins are not adjacent, and 0 where they are.
    """
    twins = twin_classes(graph)
    size, degree = twins.size.astype(np.float64), twins.degree + 1.0
    classes = twins.graphs
    scale = np.sqrt(size / degree)
    matrix = np.diag((1 + twins.inside) / degree)
    c, b = classes.sources, classes.columns
    matrix[c, b] = scale[c] * scale[b]
    inverse = alpha * np.linalg.inv(np.eye(size.size) - (1 - alpha) * matrix)
    values = (inverse + inverse.T) / 2 / np.sqrt(np.outer(size, size))
    apart = alpha / (1 - (1 - alpha) * (twins.inside == 0) / degree)
    own = values.diagonal() + (1 - 1 / size) * apart
    np.fill_diagonal(values, np.where(size > 1, values.diagonal() - apart / size, 0.0))
    order = np.argsort(twins.label, kind="stable")
    start = np.r_[0, np.cumsum(twins.size)]
    c, b = np.nonzero(values >= eps)
    count = twins.size[c] * twins.size[b]
    pair = np.repeat(np.arange(c.size), count)
    inside = np.arange(pair.size) - np.repeat(np.cumsum(count) - count, count)
    width = twins.size[b][pair]
    u = order[start[c][pair] + inside // width]
    v = order[start[b][pair] + inside % width]
    found = values[c, b][pair]
    other, kept = u != v, own[twins.label] >= eps
    nodes = np.flatnonzero(kept)
    places = np.stack([np.r_[u[other], nodes], np.r_[v[other], nodes]]).astype(np.int64)
    return places, np.r_[found[other], own[twins.label][kept]]
