"""ReLU, residual connection and dropout in one pass."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

import panda_gnn
from panda_gnn.nn.kernels.dropout import dropout
from panda_gnn.nn.kernels.updating import update


def literally(out: Tensor, x: Tensor, residual: bool, p: float) -> Tensor:
    """The same, step by step."""
    out = torch.relu(out)
    return dropout(x + out if residual else out, p)


def states(dtype: torch.dtype, rows: int = 33) -> tuple[Tensor, Tensor, Tensor]:
    """States before and after a convolution with zeros among them, and a gradient."""
    out, x, gradient = torch.randn(3, rows, 7, dtype=dtype)
    out[::5, 2], out[1::5, 3] = 0.0, -0.0
    return out.clone(), x.clone(), gradient


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize("p", [0.0, 0.3, 0.5, 0.9999999])
def test_the_bits_of_the_three_steps(dtype: torch.dtype, residual: bool, p: float) -> None:
    out, x, gradient = states(dtype)
    results = []
    for fused in (True, False):
        leaves = out.clone().requires_grad_(), x.clone().requires_grad_()
        torch.manual_seed(1)
        new = update(*leaves, torch.relu, residual, p) if fused else literally(*leaves, residual, p)
        torch.autograd.backward(new, gradient)
        grads = [leaf.grad for leaf in leaves]
        results.append([new, *grads, torch.get_rng_state()])
    ours, steps = results
    assert all(
        a is b is None or (a is not None and b is not None and torch.equal(a, b))
        for a, b in zip(ours, steps, strict=True)
    )


def test_both_backends_and_shapes_that_are_not_contiguous() -> None:
    out, x, _ = states(torch.float64)
    torch.manual_seed(2)
    found = update(out.t(), x.t(), torch.relu, True, 0.4)
    torch.manual_seed(2)
    with panda_gnn.backend("torch"):
        assert torch.equal(update(out.t(), x.t(), torch.relu, True, 0.4), found)


def test_the_residual_connection_needs_equal_widths() -> None:
    out, x, _ = states(torch.float64)
    assert torch.equal(update(out, x[:, :3], torch.relu, True), torch.relu(out))
    torch.manual_seed(3)
    found = update(out, x[:, :3], torch.relu, True, 0.5)
    torch.manual_seed(3)
    assert torch.equal(found, literally(out, x, False, 0.5))


def test_other_activations_go_step_by_step() -> None:
    out, x, _ = states(torch.float64)
    for activation in (F.gelu, None):
        torch.manual_seed(4)
        found = update(out, x, activation, True, 0.5)
        torch.manual_seed(4)
        assert torch.equal(found, dropout(x + (out if activation is None else F.gelu(out)), 0.5))
    assert torch.equal(update(out, x, None, False, 1.0), torch.zeros_like(out))


def test_what_is_not_a_number_stays_so() -> None:
    """ReLU and dropout keep what is not a number, so that a training that is lost is noticed."""
    out = torch.full((40, 4), float("nan"), requires_grad=True)
    new = update(out, out, torch.relu, False, 0.5)
    assert new.isnan().all()
    new.backward(torch.ones_like(out))
    assert out.grad is not None
    assert set(out.grad.unique().tolist()) == {0.0, 2.0}


@pytest.mark.parametrize("residual", [False, True])
def test_gradients_by_finite_differences(residual: bool) -> None:
    out, x, _ = states(torch.float64, 5)
    out[out == 0] = 1.0  # ReLU has no derivative at zero

    def seeded(out: Tensor, x: Tensor) -> Tensor:
        torch.manual_seed(5)
        return update(out, x, torch.relu, residual, 0.5)

    leaves = out.requires_grad_(), x.requires_grad_()
    assert torch.autograd.gradcheck(seeded, leaves)
    assert torch.autograd.gradgradcheck(seeded, leaves)
