"""What sees a graph as a whole."""

from __future__ import annotations

import pytest
import torch

from panda_gnn.nn import GNN, Edges
from panda_gnn.nn.readout import FullyAdjacentLast
from tests.nn.graphs import MIXED


@pytest.mark.parametrize("backbone", ["gcn", "gin"])
def test_the_last_layer_by_hand(backbone: str) -> None:
    """A linear map of the mean over each graph for GCN, GIN's own MLP of it for GIN."""
    torch.manual_seed(0)
    model = GNN(3, 2, backbone=backbone, width=5, num_layers=2, last_layer_fa=True).double()
    last = model.layers[-1]
    assert isinstance(last, FullyAdjacentLast)
    maps = [m for m in last.transform.modules() if isinstance(m, torch.nn.Linear)]
    if backbone == "gin":
        norm = next(m for m in last.transform.modules() if isinstance(m, torch.nn.BatchNorm1d))
        torch.nn.init.uniform_(norm.bias)
        mean, variance = torch.rand(2, 5, dtype=torch.float64) + 0.5
        norm.load_state_dict({**norm.state_dict(), "running_mean": mean, "running_var": variance})
    last.eval()
    batch = torch.arange(12) // 7
    x = torch.randn(12, 5, dtype=torch.float64)
    edges = Edges.of_graph(MIXED.edge_index, 12, batch=batch, num_graphs=2)
    with torch.no_grad():
        found = last(x, edges)
        for node in range(12):
            h = x[batch == batch[node]].sum(0) / int((batch == batch[node]).sum())
            h = maps[0].weight @ h + maps[0].bias
            if backbone == "gin":
                h = (h - mean) / (variance + 1e-5).sqrt()
                h = (h * norm.weight + norm.bias).clamp(min=0)
                h = maps[1].weight @ h + maps[1].bias
            torch.testing.assert_close(found[node], h, rtol=0, atol=1e-12)
    assert len(maps) == (2 if backbone == "gin" else 1)
