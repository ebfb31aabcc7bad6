r"""GTR where no pseudo-inverse fits: a sketch proposes edges, a solver compares them.

With the incidence matrix :math:`\mathbf{B}` and matrices :math:`\mathbf{Q}, \mathbf{P}` of random
signs over :math:`\sqrt{k}`, one column per coordinate, the rows of

.. math::
    \mathbf{Z} = \mathbf{L}^+ \mathbf{B}^\top \mathbf{Q}, \qquad
    \mathbf{Y} = \mathbf{L}^+ \mathbf{P}

have :math:`\mathbb{E} \lVert \mathbf{z}_s - \mathbf{z}_t \rVert^2 = R_{st}` and
:math:`\mathbb{E} \lVert \mathbf{y}_s - \mathbf{y}_t \rVert^2 = B^2_{st}`, both with a relative
standard error of at most :math:`\sqrt{2 / k}` (Johnson and Lindenstrauss, 1984; Spielman and
Srivastava, STOC 2008). A new edge changes :math:`\mathbf{L}^+` by a matrix of rank one, hence the
sketches by one solved system; they are then exactly those of the new graph, with the signs of the
new edge appended to :math:`\mathbf{Q}`.
"""

from __future__ import annotations

import numpy as np

from panda_gnn.graph.arrays import Float64, Int64
from panda_gnn.graph.components import component_labels
from panda_gnn.graph.laplacian_solver import LaplacianSolver
from panda_gnn.graph.rows import GraphRows
from panda_gnn.graph.ties import SOLVED_TIE

#: How many coordinates a sketch has unless told otherwise.
COORDINATES = 64
#: How many of the pairs that look best are compared exactly.
SHORTLIST = 64
#: How many entries of a matrix over pairs of nodes are made at a time (32 MB).
ENTRIES_AT_ONCE = 8_000_000


def sketched_edges(
    graph: GraphRows, iterations: int, coordinates: int, random: np.random.Generator
) -> Int64:
    """GTR's additions ``[2, t]`` in order, each as ``u < v``, the best of a shortlist every time.

    Args:
        graph: The graph.
        iterations: How many edges to add; fewer where no pair is left.
        coordinates: The number of coordinates of each sketch.
        random: Draws the signs.
    """
    num_nodes = graph.num_nodes
    solver = LaplacianSolver(graph)

    def signs(*shape: int) -> Float64:
        drawn: Float64 = random.choice([-1.0, 1.0], size=shape) / np.sqrt(coordinates)
        return drawn

    z = solver.pseudoinverse(solver.incidence @ signs(graph.edges.shape[1], coordinates))
    y = solver.pseudoinverse(signs(num_nodes, coordinates))
    component = component_labels(graph)
    old = graph.edges.astype(np.int64)
    added = np.empty((2, 0), np.int64)
    updates: list[tuple[Float64, float]] = []  # v and 1 + R of every new edge
    for _ in range(iterations):
        s, t = _shortlist(y, z, component, np.c_[old, added])
        if s.size == 0:
            break
        difference = np.zeros((num_nodes, s.size))
        difference[s, np.arange(s.size)], difference[t, np.arange(s.size)] = 1.0, -1.0
        v = solver.pseudoinverse(difference, tolerance=1e-10)
        for w, scale in updates:
            v -= w[:, None] * (w[s] - w[t]) / scale
        resistance = v[s, np.arange(s.size)] - v[t, np.arange(s.size)]
        fall = np.square(v).sum(axis=0) / (1 + resistance)
        tied = np.flatnonzero(fall >= fall.max() * (1 - SOLVED_TIE))
        best = min(tied, key=lambda place: (s[place], t[place]))
        pair, w, scale = (int(s[best]), int(t[best])), v[:, best].copy(), 1 + resistance[best]
        y -= np.outer(w, (y[pair[0]] - y[pair[1]]) / scale)
        z += np.outer(w, (signs(coordinates) - (z[pair[0]] - z[pair[1]])) / scale)
        updates.append((w, scale))
        added = np.c_[added, pair]
    return added


def _shortlist(y: Float64, z: Float64, component: Int64, closed: Int64) -> tuple[Int64, Int64]:
    """The non-adjacent pairs ``s < t`` of one component whose sketched fall is greatest."""
    order = np.argsort(component, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    near, far = np.sort(place[closed], axis=0)
    by_row = np.argsort(near, kind="stable")
    near, far = near[by_row], far[by_row]
    points = [half[order].astype(np.float32) for half in (y, z)]
    lengths = [np.square(half).sum(axis=1) for half in points]
    rows, columns = np.empty(0, np.int64), np.empty(0, np.int64)
    values = np.empty(0, np.float32)
    ends = np.cumsum(np.bincount(component))
    for begin, end in zip(np.r_[0, ends[:-1]], ends, strict=True):
        if end - begin < 3:
            continue
        step = max(1, ENTRIES_AT_ONCE // (end - begin))
        for top in range(begin, end, step):
            bottom = min(top + step, end)
            squares = [
                length[top:bottom, None]
                + length[None, top:end]
                - 2 * half[top:bottom] @ half[top:end].T
                for half, length in zip(points, lengths, strict=True)
            ]
            fall = np.triu(squares[0] / (1 + np.maximum(squares[1], 0)), 1)
            first, last = np.searchsorted(near, [top, bottom])
            fall[near[first:last] - top, far[first:last] - top] = 0
            bar = values.min() if values.size == SHORTLIST else 0
            row, column = np.nonzero(fall > bar)
            rows, columns = np.r_[rows, row + top], np.r_[columns, column + top]
            values = np.r_[values, fall[row, column]]
            if values.size > SHORTLIST:
                kept = np.argpartition(-values, SHORTLIST - 1)[:SHORTLIST]
                rows, columns, values = rows[kept], columns[kept], values[kept]
    s, t = np.sort(order[np.stack([rows, columns])], axis=0)
    return s, t
