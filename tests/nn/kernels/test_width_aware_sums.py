"""The fused sums of adapted messages."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from panda_gnn.nn import WidthPartition
from panda_gnn.nn.kernels.row_weights import width_normalised_weights
from panda_gnn.nn.kernels.width_rows import width_source_rows, width_target_rows
from tests.nn.graphs import MIXED, random_states

DOUBLE = torch.float64


def arguments(adapts: bool) -> tuple[Any, ...]:
    partition = WidthPartition(MIXED.edge_index, MIXED.high)
    rows = width_target_rows(partition)
    low, high = (x.requires_grad_() for x in random_states(MIXED, 4, 6 if adapts else 4))
    torch.manual_seed(0)
    expand = torch.randn(6, 4, dtype=DOUBLE, requires_grad=True) if adapts else None
    eta = (
        (torch.randn(6, 10, dtype=DOUBLE), torch.randn(6, dtype=DOUBLE)) if adapts else (None,) * 2
    )
    weight, loop = width_normalised_weights(partition, True, DOUBLE)
    back = width_source_rows(partition)
    structure = (rows.ptr, rows.column, rows.crossing_target, rows.first_crossing, *back)
    return low, high, weight, loop, expand, *eta, False, False, *structure


@pytest.mark.parametrize("adapts", [True, False])
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_the_operator_is_registered_as_torch_wants_it(adapts: bool) -> None:
    torch.library.opcheck(torch.ops.panda_gnn.width_aware_sums.default, arguments(adapts))


@pytest.mark.parametrize("adapts", [True, False])
def test_gradients_by_finite_differences(adapts: bool) -> None:
    low, high, weight, loop, expand, *rest = arguments(adapts)

    def through(*x: Tensor) -> tuple[Tensor, Tensor]:
        f = x[2] if adapts else None
        sums = torch.ops.panda_gnn.width_aware_sums(*x[:2], weight, loop, f, *rest)
        return sums[0], sums[1]

    assert torch.autograd.gradcheck(through, (low, high, expand) if adapts else (low, high))
