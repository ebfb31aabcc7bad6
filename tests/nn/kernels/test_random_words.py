"""Words of torch's generator, drawn by a kernel."""

from __future__ import annotations

import pytest
import torch

from panda_gnn.nn.kernels import random_words as module
from panda_gnn.nn.kernels.random_words import random_words, words_by_torch


@pytest.mark.parametrize("count", [0, 1, 311, 312, 313, 5000])
@pytest.mark.parametrize("before", [0, 1, 622, 623, 624])
def test_words_and_what_is_drawn_next_are_those_of_torch(count: int, before: int) -> None:
    found = []
    for draw in (random_words, words_by_torch):
        torch.manual_seed(count)
        torch.empty(before, dtype=torch.int32).random_()
        found.append((draw(count), torch.randn(3), torch.get_rng_state()))
    for ours, torchs in zip(*found, strict=True):
        assert torch.equal(ours, torchs)


def test_a_generator_that_is_not_known_is_left_to_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(count: int, generator: torch.Generator) -> torch.Tensor:
        raise AssertionError("the kernel was called")

    monkeypatch.setattr(module, "_knows_the_generator", lambda: False)
    monkeypatch.setattr(module, "_by_kernel", refuse)
    torch.manual_seed(1)
    found = random_words(4)
    torch.manual_seed(1)
    assert torch.equal(found, words_by_torch(4))


def test_a_state_of_another_form_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    module._knows_the_generator.cache_clear()
    assert module._knows_the_generator()
    module._knows_the_generator.cache_clear()
    monkeypatch.setattr(module, "_by_kernel", lambda count, generator: torch.zeros(count))
    assert not module._knows_the_generator()
    module._knows_the_generator.cache_clear()
