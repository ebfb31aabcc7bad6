"""Rewirings as methods of the laboratory."""

from __future__ import annotations

import pytest

from panda_gnn.evaluation.methods import configure, parts


@pytest.mark.parametrize("method", ["sdrf", "ct-layer"])
def test_rows_from_before_a_correction_are_old(method: str) -> None:
    assert parts(configure("mutag", method=method))["method"] == f"{method}-2"
