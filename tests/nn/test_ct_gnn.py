"""A plain model behind a CT-Layer."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Batch, Data

from panda_gnn.nn import GNN, CommuteTimeGNN
from panda_gnn.testing import assert_batch_invariant, assert_reduces_to
from tests.nn.graphs import GRAPHS, MIXED


def model(backbone: str) -> CommuteTimeGNN:
    torch.manual_seed(0)
    return CommuteTimeGNN(3, 2, centers=4, backbone=backbone, width=5).double().eval()


def run(network: CommuteTimeGNN, data: Data) -> Tensor:
    batch = data.batch if isinstance(data, Batch) else None
    out: Tensor = network(data.x, data.edge_index, batch=batch)
    return out


@pytest.mark.parametrize("backbone", ["gcn", "gin"])
def test_is_the_plain_model_on_the_learned_weights(backbone: str) -> None:
    network = model(backbone)
    plain = GNN(3, 2, backbone=backbone, width=5).double().eval()
    plain.load_state_dict(
        {k: v for k, v in network.state_dict().items() if not k.startswith("commute_time")}
    )

    def expected(data: Data) -> Tensor:
        weight, _ = network.commute_time(data.x, data.edge_index)
        out: Tensor = plain(data.x, data.edge_index, edge_weight=weight)
        return out

    assert_reduces_to(lambda data: run(network, data), expected, GRAPHS[::3])
    assert_batch_invariant(lambda data: run(network, data), GRAPHS[::3])


@pytest.mark.parametrize("backbone", ["gcn", "gin"])
def test_learns_end_to_end(backbone: str) -> None:
    network = model(backbone).train()
    run(network, MIXED).sum().backward()
    gradient = network.commute_time.position.weight.grad
    assert gradient is not None
    assert gradient.abs().sum() > 0
    network.zero_grad()
    run(network, MIXED)
    assert isinstance(network.auxiliary_loss, Tensor)
    network.auxiliary_loss.backward()
    assert network.commute_time.position.weight.grad is not None
