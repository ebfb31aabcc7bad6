"""Scores that nobody measured, for tests of what follows from scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from panda_gnn.evaluation.advice.evidence import Evidence
from panda_gnn.evaluation.advice.plan import NETWORKS
from panda_gnn.evaluation.advice.quick import EXPLANATIONS, MAJORITY


def made_up(default: float = 0.5, noise: float = 0.02, **changes: Any) -> Evidence:
    """Ten splits on which everything scores ``default`` but what ``scores`` says."""
    scores = changes.pop("scores", {})
    random = np.random.default_rng(0)
    merits = {}
    for name in (MAJORITY, *EXPLANATIONS, *NETWORKS):
        values = scores.get(name, default) + noise * random.standard_normal(10)
        merits[name] = dict(enumerate(values.tolist()))
    settings: dict[str, Any] = {
        "rows": 400,
        "of_nodes": False,
        "ratio": 1 / 8,
        "useful": 0.02,
        "out_of_reach": 0.3,
    }
    return Evidence(merits=merits, **(settings | changes))
