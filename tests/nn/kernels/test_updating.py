"""ReLU, residual connection and dropout in one pass."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

import panda_gnn
from panda_gnn.errors import InputError
from panda_gnn.nn.kernels.dropout import dropout
from panda_gnn.nn.kernels.jit import addresses
from panda_gnn.nn.kernels.updating import _update_gradients, _update_states, update


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


@pytest.mark.parametrize("residual", [False, True])
def test_every_level_of_noise_is_kept_or_dropped_as_by_dropout(residual: bool) -> None:
    """Of so many numbers some have just the least noise that keeps a number."""
    out, x, gradient = torch.randn(3, 2**16, 7)
    leaves = out.requires_grad_(), x.requires_grad_()
    results = []
    for fused in (True, False):
        torch.manual_seed(6)
        new = (
            update(*leaves, torch.relu, residual, 0.5)
            if fused
            else literally(*leaves, residual, 0.5)
        )
        results.append((new, torch.autograd.grad(new, leaves[0], gradient)[0]))
    assert all(torch.equal(a, b) for a, b in zip(*results, strict=True))


@pytest.mark.parametrize("residual", [False, True])
def test_gradients_that_can_be_differentiated_are_the_same(residual: bool) -> None:
    out, x, gradient = states(torch.float64, 2**16)
    results = []
    for again in (False, True):
        leaves = out.clone().requires_grad_(), x.clone().requires_grad_()
        torch.manual_seed(7)
        new = update(*leaves, torch.relu, residual, 0.3)
        asked = leaves[: 1 + residual]
        results.append(torch.autograd.grad(new, asked, gradient, create_graph=again))
    assert all(torch.equal(a, b) for a, b in zip(*results, strict=True))


def test_a_batch_of_gradients() -> None:
    out, x, _ = states(torch.float64)
    gradients = torch.randn(3, *out.shape, dtype=out.dtype)
    new = update(out.requires_grad_(), x, torch.relu, True, 0.5)

    def back(gradient: Tensor) -> Tensor:
        (of_out,) = torch.autograd.grad(new, out, gradient, retain_graph=True)
        return of_out

    assert torch.equal(torch.vmap(back)(gradients), torch.stack(list(map(back, gradients))))
    with pytest.raises(InputError, match="compiled layers take one gradient at a time"):
        torch.autograd.grad(new, out, gradients, is_grads_batched=True)


def test_one_step_of_the_graph_instead_of_three() -> None:
    out, x, _ = states(torch.float64)
    new = update(out.requires_grad_(), x, torch.relu, True, 0.5)
    assert new.grad_fn is not None
    assert [function for function, _ in new.grad_fn.next_functions if function is not None] == [
        torch.autograd.graph.get_gradient_edge(out).node
    ]


def test_states_that_differ_in_shape_or_type_go_step_by_step() -> None:
    out, x, _ = states(torch.float32)
    for other in (x[:1], x.double()):
        torch.manual_seed(8)
        found = update(out, other, torch.relu, True, 0.5)
        torch.manual_seed(8)
        expected = literally(out, other, True, 0.5)
        assert found.dtype == expected.dtype
        assert torch.equal(found, expected)


def test_half_precision_goes_step_by_step() -> None:
    out, x, _ = states(torch.float16)
    torch.manual_seed(9)
    found = update(out, x, torch.relu, True, 0.5)
    torch.manual_seed(9)
    assert torch.equal(found, literally(out, x, True, 0.5))


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
    for rows in (3, 7):
        deep = torch.randn(4, rows, 7)
        assert torch.equal(update(deep, deep[..., :3], torch.relu, True), torch.relu(deep))


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


@pytest.mark.parametrize("adds", [False, True])
def test_a_piece_of_the_states_is_changed_and_nothing_beside_it(adds: bool) -> None:
    """Threads take a piece each."""
    out, x, gradient, new, of_out, of_x = torch.ones(6, 40, dtype=torch.float64)
    noise = torch.zeros(40, dtype=torch.int16)
    new[:], of_out[:], of_x[:] = 7.0, 7.0, 7.0
    how = adds, 0, 2.0, 10, 20
    _update_states[torch.float64](*addresses(out, x, noise, new), *how)
    _update_gradients[torch.float64](*addresses(gradient, out, noise, of_out, of_x), *how)
    inside = torch.arange(40).div(10, rounding_mode="floor") == 1
    assert torch.equal(new, torch.where(inside, 4.0 if adds else 2.0, 7.0).double())
    assert torch.equal(of_out, torch.where(inside, 2.0, 7.0).double())
    assert torch.equal(of_x, torch.where(inside & adds, 2.0, 7.0).double())


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
