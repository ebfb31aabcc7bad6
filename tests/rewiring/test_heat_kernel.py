from __future__ import annotations

import pytest
import torch

from panda_gnn.errors import InputError
from panda_gnn.graph import limits
from panda_gnn.rewiring import HeatKernel
from tests.rewiring.rewired import GRAPHS, assert_contract


@pytest.mark.parametrize("name", GRAPHS)
def test_equals_the_definition(name: str) -> None:
    data = GRAPHS[name]
    n = data.num_nodes
    adjacency = torch.zeros(n, n, dtype=torch.float64)
    adjacency[data.edge_index[0], data.edge_index[1]] = 1
    adjacency.fill_diagonal_(1)
    scale = adjacency.sum(0).rsqrt()
    h = scale[:, None] * adjacency * scale
    s = torch.linalg.matrix_exp(-2.0 * (torch.eye(n, dtype=torch.float64) - h))
    s[s < 0.03] = 0
    s = s / s.sum(dim=0)
    after = HeatKernel(2.0, 0.03)(data)
    found = torch.zeros(n, n, dtype=torch.float64)
    found[after.edge_index[0], after.edge_index[1]] = after.edge_weight.double()
    assert torch.allclose(found, s, rtol=0, atol=1e-6)


def test_contract() -> None:
    assert_contract(HeatKernel(self_loops=False))
    assert repr(HeatKernel()) == "HeatKernel(seed=0, eps=0.05, self_loops=True, t=3.0)"


def test_what_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="t must be above zero"):
        HeatKernel(0)
    monkeypatch.setattr(limits, "DENSE_DIFFUSION_NODES", 5)
    with pytest.raises(InputError, match=r"HeatKernel needs a dense matrix .* use DIGL instead"):
        HeatKernel()(GRAPHS["grid"])
