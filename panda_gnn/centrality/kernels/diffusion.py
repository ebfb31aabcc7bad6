# mypy: disable-error-code="untyped-decorator"
"""Linear systems of diffusion on undirected graphs, solved by conjugate gradients."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from panda_gnn.csr import Int32, Int64

Float64 = npt.NDArray[np.float64]


@njit(
    "void(int64[::1], int64[::1], int32[::1], boolean[::1], float64[::1], float64[::1],"
    " float64, int64, float64[::1])",
    cache=True,
    nogil=True,
    error_model="numpy",
)
def solve(
    node_ptr: Int64,
    row_ptr: Int64,
    neighbours: Int32,
    loops: npt.NDArray[np.bool_],
    scale: Float64,
    strength: Float64,
    tolerance: float,
    max_steps: int,
    solution: Float64,
) -> None:
    r"""Solve :math:`(I - \alpha S A S) x = s` for every graph, with :math:`S` diagonal.

    ``scale`` holds the diagonal :math:`s` of :math:`S`, ``strength`` one :math:`\alpha` per graph,
    and ``solution`` receives :math:`x`. The matrix must be positive definite. A graph is done when
    its residual falls below ``tolerance`` times the right-hand side, or after ``max_steps``.
    """
    for graph in range(len(node_ptr) - 1):
        start = node_ptr[graph]
        size = node_ptr[graph + 1] - start
        rows = row_ptr[start : start + size + 1]
        diagonal = scale[start : start + size]
        loop = loops[start : start + size]
        x = solution[start : start + size]
        alpha = strength[graph]
        residual = diagonal.copy()
        direction = diagonal.copy()
        scaled = np.empty(size)
        product = np.empty(size)
        x[:] = 0.0
        norm = 0.0
        for node in range(size):
            norm += residual[node] * residual[node]
        goal = tolerance * tolerance * norm
        step = 0
        while norm > goal and step < max_steps:
            step += 1
            for node in range(size):
                scaled[node] = diagonal[node] * direction[node]
            curvature = 0.0
            for node in range(size):
                total = scaled[node] if loop[node] else 0.0
                for entry in range(rows[node], rows[node + 1]):
                    total += scaled[neighbours[entry]]
                product[node] = direction[node] - alpha * diagonal[node] * total
                curvature += direction[node] * product[node]
            length = norm / curvature
            before = norm
            norm = 0.0
            for node in range(size):
                x[node] += length * direction[node]
                residual[node] -= length * product[node]
                norm += residual[node] * residual[node]
            turn = norm / before
            for node in range(size):
                direction[node] = residual[node] + turn * direction[node]
