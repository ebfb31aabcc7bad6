"""The model of a diagnosis."""

from __future__ import annotations

from panda_gnn.reports.diagnose.model_choice import ModelChoice


def test_the_model_unless_told_otherwise() -> None:
    assert ModelChoice() == ModelChoice("panda-gcn", 64, 128, 4, 3, "betweenness", 0)
    assert ModelChoice().backbone == "gcn"
    assert ModelChoice().width_aware
    assert not ModelChoice("gin").width_aware
