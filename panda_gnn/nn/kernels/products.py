# mypy: disable-error-code="untyped-decorator"
"""Sums over the entries of rows, means over the nodes of graphs, and dropout.

Every kernel but the mean handles the rows ``first .. last - 1`` and no others, so that threads may
share the rows: each row is summed by one thread, in one order.
"""

from __future__ import annotations

import numpy as np
from numba.np.numpy_support import carray

from panda_gnn.nn.kernels.typed import Pointer, kernels

FROM_ZERO, FROM_LOOP, FROM_OUT = 0, 1, 2
"""What the sum of a row starts with: nothing, the row's own state times a weight, or ``out``."""


@kernels(
    "void(int32*, int32*, real*, int32*, int64, real*, real*, int64, int64, real*, int64, int64)"
)
def multiply(
    ptr_: Pointer,
    column_: Pointer,
    weight_: Pointer,
    entry_: Pointer,
    transposed: int,
    x_: Pointer,
    loop_: Pointer,
    start: int,
    width: int,
    out_: Pointer,
    first: int,
    last: int,
) -> None:
    """``out[v] = sum_e weight[e] x[column[e]]``, weights being looked up where transposed."""
    ptr = carray(ptr_, (last + 1,))
    column, weight = carray(column_, (ptr[last],)), carray(weight_, (ptr[last],))
    entry, loop = carray(entry_, (ptr[last],)), carray(loop_, (last,))
    x, out = carray(x_, (last, width)), carray(out_, (last, width))
    for v in range(first, last):
        if start == FROM_ZERO:
            for d in range(width):
                out[v, d] = 0
        elif start == FROM_LOOP:
            for d in range(width):
                out[v, d] = loop[v] * x[v, d]
        for e in range(ptr[v], ptr[v + 1]):
            u = column[e]
            w = weight[entry[e]] if transposed else weight[e]
            for d in range(width):
                out[v, d] += w * x[u, d]


@kernels("void(int32*, int32*, real*, real*, int64, real*, int64, int64)")
def multiply_entries(
    ptr_: Pointer,
    column_: Pointer,
    gradient_: Pointer,
    x_: Pointer,
    width: int,
    out_: Pointer,
    first: int,
    last: int,
) -> None:
    """``out[e] = gradient[v] . x[column[e]]`` for every entry: the gradient of its weight."""
    ptr = carray(ptr_, (last + 1,))
    column, out = carray(column_, (ptr[last],)), carray(out_, (ptr[last],))
    gradient, x = carray(gradient_, (last, width)), carray(x_, (last, width))
    for v in range(first, last):
        for e in range(ptr[v], ptr[v + 1]):
            u = column[e]
            total = 0 * gradient[v, 0]
            for d in range(width):
                total += gradient[v, d] * x[u, d]
            out[e] = total


@kernels("int64(real*, int64*, int64, int64, int64, real*, real*)")
def mean(
    x_: Pointer,
    batch_: Pointer,
    num_nodes: int,
    num_graphs: int,
    width: int,
    out_: Pointer,
    count_: Pointer,
) -> int:
    """The mean over the nodes of each graph; returns -1, or the first node of no graph."""
    x, batch = carray(x_, (num_nodes, width)), carray(batch_, (num_nodes,))
    out, count = carray(out_, (num_graphs, width)), carray(count_, (num_graphs,))
    out[:] = 0
    count[:] = 0
    for v in range(num_nodes):
        graph = batch[v]
        if graph < 0 or graph >= num_graphs:
            return v
        count[graph] += 1
        for d in range(width):
            out[graph, d] += x[v, d]
    for graph in range(num_graphs):
        for d in range(width):
            out[graph, d] /= max(count[graph], 1)
    return -1


@kernels("void(real*, int16*, int64, real, real*, int64, int64)")
def drop(
    x_: Pointer,
    noise_: Pointer,
    threshold: int,
    scale: float,
    out_: Pointer,
    first: int,
    last: int,
) -> None:
    """``x`` times the scale where the noise reaches the threshold, else zero."""
    x, noise = carray(x_, (last,))[first:last], carray(noise_, (last,))[first:last]
    out = carray(out_, (last,))[first:last]
    least = np.int16(threshold)
    for i in range(last - first):
        out[i] = x[i] * (scale if noise[i] >= least else 0 * scale)
