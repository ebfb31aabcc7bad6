"""What is special about effective resistances; their values are tested in test_families.py."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from panda_gnn.centrality import centrality, resistance
from tests.odd_graphs import ODD_GRAPHS


@pytest.mark.parametrize("name", ["grid", "barbell", "two components"])
def test_the_kernel_stays_within_its_arrays(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled, it would write beyond them unseen; interpreted, numpy says so."""
    compiled = centrality("resistance", ODD_GRAPHS[name])
    kernel: Any = resistance._resistance_sums
    monkeypatch.setattr(resistance, "_resistance_sums", kernel.py_func)
    torch.testing.assert_close(centrality("resistance", ODD_GRAPHS[name]), compiled)
