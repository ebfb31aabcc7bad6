"""Sums over the edges into every target."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from panda_gnn.nn import Edges
from panda_gnn.nn.kernels import row_sums as module
from panda_gnn.nn.kernels.edge_rows import source_rows, target_rows
from tests.nn.graphs import MIXED


def arguments() -> tuple[Any, ...]:
    edges = Edges.of_graph(MIXED.edge_index, 12)
    rows = target_rows(edges)
    numbers = [
        torch.rand(size, dtype=torch.float64) for size in ((12, 3), (MIXED.num_edges,), (12,))
    ]
    x, weight, loop = (values.requires_grad_() for values in numbers)
    return x, weight, loop, rows.ptr, rows.column, *source_rows(edges)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_the_operator_is_registered_as_torch_wants_it() -> None:
    torch.library.opcheck(torch.ops.panda_gnn.row_sums.default, arguments())


def test_gradients_by_finite_differences() -> None:
    x, weight, loop, *rest = arguments()

    def through(*values: Tensor) -> Any:
        return torch.ops.panda_gnn.row_sums(*values, *rest)

    assert torch.autograd.gradcheck(through, (x, weight, loop))


def test_every_row_up_to_the_last_is_its_sum() -> None:
    """More sources than targets; the first row is empty, the last has most edges and the last
    source."""
    edge_index = torch.tensor([[6, 0, 5, 1, 6, 4], [2, 1, 3, 3, 3, 2]])
    edges = Edges(edge_index, 7, 4)
    rows = target_rows(edges)
    weight = torch.tensor([0.5, 2.0, -1.0, 3.0, 0.25, 4.0], dtype=torch.float64)
    x = torch.randn(7, 3, dtype=torch.float64, requires_grad=True)
    loop = torch.tensor([1.0, -2.0, 0.5, 3.0], dtype=torch.float64)
    for own in (None, loop):
        found = module.row_sums(x, edges, weight[rows.edge.long()], own)
        dense = torch.zeros(4, 7, dtype=torch.float64)
        for (u, v), w in zip(edge_index.t().tolist(), weight.tolist(), strict=True):
            dense[v, u] += w
        if own is not None:
            dense[:, :4] += torch.diag(own)
        torch.testing.assert_close(found, dense @ x, rtol=0, atol=1e-14)
        seed = torch.randn(4, 3, dtype=torch.float64)
        (gradient,) = torch.autograd.grad(found, x, seed)
        torch.testing.assert_close(gradient, dense.t() @ seed, rtol=0, atol=1e-14)
