"""Read-outs against a literal loop over graphs."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from panda_gnn.evaluation.methods.readouts import RoleReadout, SizeReadout, SumReadout
from panda_gnn.nn import GNN, Edges
from panda_gnn.nn.models import BACKBONES

EDGES = torch.tensor([[0, 1, 1, 2, 3, 4], [1, 0, 2, 1, 4, 3]])
BATCH = torch.tensor([0, 0, 0, 1, 1, 2])


def features(columns: int) -> Tensor:
    torch.manual_seed(0)
    return torch.randn(6, columns, dtype=torch.float64)


def node_scores(model: GNN, x: Tensor) -> Tensor:
    """What the layers of ``model`` give for every node."""
    return model.states(x, Edges.of_graph(EDGES, 6))[-1]


def make(kind: type[GNN], backbone: str, in_channels: int) -> GNN:
    torch.manual_seed(1)
    options: dict[str, Any] = {"num_relations": 1} if backbone.startswith("r") else {}
    model = kind(in_channels, 2, backbone=backbone, width=5, num_layers=2, **options)
    return model.double().eval()


@pytest.mark.parametrize("backbone", BACKBONES)
def test_sum(backbone: str) -> None:
    x = features(3)
    model = make(SumReadout, backbone, 3)
    nodes = node_scores(model, x)
    expected = torch.stack([nodes[g == BATCH].sum(dim=0) for g in range(3)])
    torch.testing.assert_close(model(x, EDGES, batch=BATCH, num_graphs=3), expected)


@pytest.mark.parametrize("backbone", BACKBONES)
def test_mean_and_size(backbone: str) -> None:
    sizes = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64)
    x = torch.cat([features(3), sizes[BATCH].view(-1, 1)], dim=1)
    model = make(SizeReadout, backbone, 4)
    assert isinstance(model, SizeReadout)
    nodes = node_scores(model, x[:, :3])
    expected = [
        nodes[g == BATCH].mean(dim=0) + model.size.weight[:, 0] * sizes[g] + model.size.bias
        for g in range(3)
    ]
    torch.testing.assert_close(model(x, EDGES, batch=BATCH, num_graphs=3), torch.stack(expected))


@pytest.mark.parametrize("backbone", BACKBONES)
def test_mean_per_role_does_not_tell_shares(backbone: str) -> None:
    """The second graph has no node that is high, the third no other; shares have no effect."""
    high = torch.tensor([1.0, 0, 0, 0, 0, 1], dtype=torch.float64)
    x = torch.cat([features(3), high.view(-1, 1)], dim=1)
    model = make(RoleReadout, backbone, 4)
    nodes = node_scores(model, x[:, :3])
    expected = torch.zeros(3, 2, dtype=torch.float64)
    for graph in range(3):
        for role, columns in ((1, slice(0, 2)), (0, slice(2, 4))):
            members = (graph == BATCH) & (high == role)
            if members.any():
                expected[graph] += nodes[members][:, columns].mean(dim=0)
    torch.testing.assert_close(model(x, EDGES, batch=BATCH, num_graphs=3), expected)
    assert expected[:2].abs().min() > 0


def test_what_the_read_out_gets_is_no_input_of_the_layers() -> None:
    """A graph of high nodes alone has the mean of the first scores, marks being no feature."""
    x = torch.cat([features(3), torch.ones(6, 1, dtype=torch.float64)], dim=1)
    model = make(RoleReadout, "gcn", 4)
    assert model.in_channels == 3
    expected = node_scores(model, x[:, :3])[:, :2].mean(dim=0, keepdim=True)
    torch.testing.assert_close(model(x, EDGES), expected)
