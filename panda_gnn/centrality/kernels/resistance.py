# mypy: disable-error-code="untyped-decorator"
"""Sums of effective resistances inside the cores of connected graphs, by dense factorisation."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from panda_gnn.csr import Int32, Int64

Float64 = npt.NDArray[np.float64]


@njit(cache=True, nogil=True, error_model="numpy")
def _inverse_factor(matrix: Float64) -> None:
    r"""Replace :math:`M`, positive definite, by the upper triangular :math:`X` with
    :math:`X X^\top = M^{-1}`. Only the upper triangle is read and written.
    """
    size = len(matrix)
    for pivot in range(size):  # Cholesky: M = U^T U
        upper = matrix[pivot]
        scale = 1.0 / np.sqrt(upper[pivot])
        for column in range(pivot, size):
            upper[column] *= scale
        for row in range(pivot + 1, size):
            factor = upper[row]
            if factor != 0.0:
                below = matrix[row]
                for column in range(row, size):
                    below[column] -= factor * upper[column]
    work = np.empty(size)
    for row in range(size - 1, -1, -1):  # X = U^-1, from the last row up
        upper = matrix[row]
        for column in range(row, size):
            work[column] = 0.0
        for pivot in range(row + 1, size):
            factor = upper[pivot]
            if factor != 0.0:
                inverse = matrix[pivot]
                for column in range(pivot, size):
                    work[column] -= factor * inverse[column]
        scale = 1.0 / upper[row]
        upper[row] = scale
        for column in range(row + 1, size):
            upper[column] = work[column] * scale


@njit(
    "void(int64[::1], int64[::1], int32[::1], int64[::1], int64[::1], float64[::1], float64[::1])",
    cache=True,
    nogil=True,
    error_model="numpy",
)
def resistance_sums(
    node_ptr: Int64,
    row_ptr: Int64,
    neighbours: Int32,
    core_ptr: Int64,
    core: Int64,
    weight: Float64,
    sums: Float64,
) -> None:
    r"""For each node of a core, add up weight times effective resistance over its core.

    ``core[core_ptr[g] : core_ptr[g + 1]]`` are the places of the core's nodes in the order of
    elimination, low degrees first. The last one is grounded: with :math:`G` the inverse of the
    Laplacian without its row and column (and zero in them),
    :math:`R_{uv} = G_{uu} + G_{vv} - 2 G_{uv}`.
    """
    number = np.full(node_ptr[-1], -1, np.int64)
    for graph in range(len(node_ptr) - 1):
        nodes = core[core_ptr[graph] : core_ptr[graph + 1]]
        size = len(nodes) - 1
        for place in range(size + 1):
            number[nodes[place]] = place
        matrix = np.zeros((size, size))
        for place in range(size):
            node = nodes[place]
            for entry in range(row_ptr[node], row_ptr[node + 1]):
                other = number[node_ptr[graph] + neighbours[entry]]
                if other >= 0:
                    matrix[place, place] += 1.0
                    if other < size:
                        matrix[place, other] = -1.0
        _inverse_factor(matrix)
        potential = np.zeros(size)  # X^T w, w the weights
        total = weight[nodes[size]]
        for place in range(size):
            total += weight[nodes[place]]
            for column in range(place, size):
                potential[column] += matrix[place, column] * weight[nodes[place]]
        trace = 0.0
        for place in range(size):
            own, mixed = 0.0, 0.0
            for column in range(place, size):
                own += matrix[place, column] * matrix[place, column]
                mixed += matrix[place, column] * potential[column]
            trace += weight[nodes[place]] * own
            sums[nodes[place]] = total * own - 2.0 * mixed
        sums[nodes[size]] = 0.0
        for place in range(size + 1):
            sums[nodes[place]] += trace
