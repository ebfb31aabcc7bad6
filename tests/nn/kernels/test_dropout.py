"""Dropout from 16 bits for each number."""

from __future__ import annotations

import pytest
import torch

import panda_gnn
from panda_gnn.nn.kernels.dropout import dropout


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_drops_the_share_it_should_and_keeps_the_mean(p: float, dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    x = torch.ones(1000, 101, dtype=dtype)
    out = dropout(x, p)
    dropped = out == 0
    assert dropped.double().mean().item() == pytest.approx(p, abs=0.005)
    kept = torch.full_like(out[~dropped], 1 / (1 - p))
    torch.testing.assert_close(out[~dropped], kept, rtol=1e-4, atol=0)


def test_neighbours_are_dropped_independently() -> None:
    torch.manual_seed(0)
    kept = (dropout(torch.ones(400_000), 0.5) > 0).double().view(-1, 4) - 0.5
    correlation = kept.t() @ kept / kept.size(0) / 0.25
    torch.testing.assert_close(correlation, torch.eye(4).double(), rtol=0, atol=0.01)


def test_both_backends_drop_the_same() -> None:
    x = torch.randn(7, 11, dtype=torch.float64)
    torch.manual_seed(3)
    found = dropout(x, 0.3)
    torch.manual_seed(3)
    with panda_gnn.backend("torch"):
        assert torch.equal(dropout(x, 0.3), found)
    assert not torch.equal(dropout(x, 0.3), found)


def test_what_is_dropped_gets_no_gradient() -> None:
    x = torch.randn(50, 4, requires_grad=True)
    out = dropout(x, 0.25)
    out.sum().backward()
    assert x.grad is not None
    torch.testing.assert_close(x.grad, (out != 0) / 0.75, rtol=0, atol=1e-4)


def test_the_ends_of_the_scale() -> None:
    x = torch.randn(5, 3)
    assert dropout(x, 0.5, training=False) is x or torch.equal(dropout(x, 0.5, False), x)
    assert torch.equal(dropout(x, 0.0), x)
    assert torch.equal(dropout(x, 1.0), torch.zeros_like(x))
    assert torch.equal(dropout(x, 0.9999999), torch.zeros_like(x))
    assert dropout(torch.empty(0, 4), 0.5).shape == (0, 4)
    with pytest.raises(ValueError, match="between 0 and 1"):
        dropout(x, 1.5)


def test_gradients_by_finite_differences() -> None:
    x = torch.randn(5, 7, dtype=torch.float64, requires_grad=True)

    def seeded(x: torch.Tensor) -> torch.Tensor:
        torch.manual_seed(4)
        return dropout(x, 0.5)

    assert torch.autograd.gradgradcheck(seeded, (x,))
