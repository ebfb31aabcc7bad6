"""Untrained models by name."""

from __future__ import annotations

import pytest
import torch

from panda_gnn.errors import InputError
from panda_gnn.reports.diagnose.model_choice import ModelChoice
from panda_gnn.reports.models import MODELS, printed_name


def test_untrained_models() -> None:
    state = torch.random.get_rng_state()
    for name in MODELS:
        first, second = (ModelChoice(width=4, high_width=6).make(name, 3) for _ in range(2))
        assert not first.training
        for a, b in zip(first.parameters(), second.parameters(), strict=True):
            assert torch.equal(a, b)
    assert torch.equal(torch.random.get_rng_state(), state)
    assert [printed_name(name) for name in ("gcn", "rgin", "panda-rgcn")] == [
        "GCN",
        "R-GIN",
        "PANDA-R-GCN",
    ]
    with pytest.raises(InputError, match="unknown model 'gat'"):
        ModelChoice().make("gat", 3)
