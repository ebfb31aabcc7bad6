"""Gathering the selected dimensions."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from panda_gnn.nn.kernels.gathering import gather


def gather_arguments() -> tuple[Any, ...]:
    x = torch.randn(5, 7, dtype=torch.float64, requires_grad=True)
    source = torch.tensor([0, 0, 4, 2], dtype=torch.int32)
    index = torch.stack([torch.randperm(7)[:3] for _ in range(4)]).to(torch.int16)
    return x, source, index


def test_gather_takes_the_dimensions_of_the_sources() -> None:
    x, source, index = gather_arguments()
    expected = x[source.long()].gather(1, index.long())
    assert torch.equal(gather(x, source.long(), index), expected)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_the_operator_is_registered_as_torch_wants_it() -> None:
    torch.library.opcheck(torch.ops.panda_gnn.gather.default, gather_arguments())


def test_gradients_by_finite_differences() -> None:
    x, *rest = gather_arguments()
    assert torch.autograd.gradcheck(lambda x: torch.ops.panda_gnn.gather(x, *rest), (x,))
