"""Sums over the edges into every target."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from panda_gnn.nn import Edges
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
