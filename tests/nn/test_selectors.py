"""g: what a low node takes of a high neighbour."""

from __future__ import annotations

import pytest
import torch

from panda_gnn.errors import InputError
from panda_gnn.nn.selectors import SELECTORS, Gated, TopK, selector
from tests.nn.literal import eta, g

WIDTH, HIGH_WIDTH = 5, 8


def inputs() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(3)
    x_low = torch.randn(4, WIDTH, generator=generator, dtype=torch.float64)
    x_high = torch.randn(3, HIGH_WIDTH, generator=generator, dtype=torch.float64)
    crossing = torch.tensor([[0, 0, 1, 2, 2, 2], [0, 1, 3, 1, 2, 3]])
    return x_low, x_high, crossing


@pytest.mark.parametrize("score", ["sigmoid", "relu"])
@pytest.mark.parametrize("hidden", [None, 7])
@pytest.mark.parametrize("kind", SELECTORS)
def test_equals_the_literal_selector(kind: str, hidden: int | None, score: str) -> None:
    torch.manual_seed(0)
    module = selector(kind, WIDTH, HIGH_WIDTH, hidden=hidden, score=score).double()
    x_low, x_high, crossing = inputs()
    expected = torch.stack([g(module, x_low[v], x_high[u]) for u, v in crossing.t().tolist()])
    torch.testing.assert_close(module(x_low, x_high, crossing), expected, rtol=0, atol=1e-12)


def test_topk_takes_the_best_in_descending_order() -> None:
    module = TopK(WIDTH, HIGH_WIDTH).double()
    x_low, x_high, crossing = inputs()
    logits = module.eta(x_low, x_high, crossing)
    index = module.select(logits)
    taken = logits.gather(1, index)
    assert (taken.diff(dim=1) <= 0).all()
    rest = logits.scatter(1, index, -torch.inf)
    assert (rest.amax(1) <= taken.amin(1)).all()


def test_sorted_takes_the_same_set_in_index_order() -> None:
    torch.manual_seed(0)
    topk = selector("topk", WIDTH, HIGH_WIDTH)
    ordered = selector("sorted", WIDTH, HIGH_WIDTH)
    assert isinstance(topk, TopK)
    assert isinstance(ordered, TopK)
    logits = torch.randn(20, HIGH_WIDTH)
    assert torch.equal(topk.select(logits).sort(1).values, ordered.select(logits))


def test_equal_scores_are_ranked_by_index() -> None:
    module = TopK(3, 6, score="relu")
    logits = torch.tensor([[-1.0, 2.0, -3.0, -0.5, 2.0, -9.0]])
    assert module.select(logits).tolist() == [[1, 4, 0]]


def test_dimensions_beyond_16_bits_are_ranked_too() -> None:
    module = TopK(2, 4)
    module.high_width = 40_000  # eta would be a matrix of 6 GB
    logits = torch.zeros(1, 40_000)
    logits[0, 39_000], logits[0, 10] = 2.0, 1.0
    assert module.select(logits).tolist() == [[39_000, 10]]


def test_gates_average_to_one_and_start_near_topk() -> None:
    torch.manual_seed(0)
    x_low, x_high, crossing = inputs()
    module = Gated(WIDTH, HIGH_WIDTH).double()
    ungated = TopK(WIDTH, HIGH_WIDTH).double()
    ungated.load_state_dict(module.state_dict())
    gates = module(x_low, x_high, crossing) / ungated(x_low, x_high, crossing)
    torch.testing.assert_close(gates.mean(1), torch.ones(6, dtype=torch.float64))
    assert gates.max() / gates.min() <= torch.e


def test_only_gated_scores_learn() -> None:
    x_low, x_high, crossing = inputs()
    for kind, learns in (
        ("topk", False),
        ("sorted", False),
        ("gated", True),
        ("gated-fixed", False),
    ):
        module = selector(kind, WIDTH, HIGH_WIDTH, hidden=6).double()
        x = x_high.clone().requires_grad_()
        module(x_low, x, crossing).pow(2).sum().backward()
        assert x.grad is not None
        assert x.grad.abs().sum() > 0
        gradients = [p.grad for p in module.parameters()]
        assert len(gradients) == 4
        assert all((grad is not None and grad.abs().sum() > 0) == learns for grad in gradients)


@pytest.mark.parametrize("kind", SELECTORS)
def test_gradients_away_from_ties(kind: str) -> None:
    torch.manual_seed(1)
    x_low, x_high, crossing = inputs()
    module = selector(kind, WIDTH, HIGH_WIDTH).double()
    if isinstance(module, TopK):  # ties are far away
        logits = torch.stack([eta(module, x_high[u], x_low[v]) for u, v in crossing.t().tolist()])
        assert logits.sort(1).values.diff(dim=1).min() > 1e-3
    low, high = x_low.requires_grad_(), x_high.requires_grad_()
    assert torch.autograd.gradcheck(lambda a, b: module(a, b, crossing), (low, high))


def test_wrong_options_are_named() -> None:
    with pytest.raises(InputError, match="high_width is 4, it must be at least width \\(5\\)"):
        TopK(5, 4)
    with pytest.raises(InputError, match="unknown selector 'best': choose one of topk, sorted"):
        selector("best", 4, 5)
    with pytest.raises(InputError, match="unknown score 'tanh'"):
        TopK(4, 5, score="tanh")
