"""Co-GNN: who listens, who speaks, and what is left of a layer then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from panda_gnn.errors import InputError
from panda_gnn.nn import CoGNN, Edges
from panda_gnn.testing import assert_batch_invariant, assert_permutation_equivariant
from tests.nn.graphs import MIXED
from tests.odd_graphs import ODD_GRAPHS


class Fixed(nn.Module):
    """An action network whose mind is made up."""

    def __init__(self, acts: Sequence[bool]) -> None:
        super().__init__()
        act = torch.tensor(acts, dtype=torch.float64)
        self.logits = torch.stack([act, 1 - act], dim=1) * 100

    def states(self, x: Tensor, edges: Edges) -> list[Tensor]:
        return [self.logits]


def literal(model: Any, x: Tensor, kept: Tensor) -> Tensor:
    """GCN on the kept edges, ``kept[u, v]`` being one where u speaks to v, with dense matrices."""
    x = (x @ model.embed.weight.t() + model.embed.bias).relu()
    for i, layer in enumerate(model.layers):
        with_loops = kept + torch.eye(len(x), dtype=x.dtype)
        scale = with_loops.sum(0).rsqrt()
        x = (scale[:, None] * with_loops * scale).t() @ x
        x = x @ layer.conv.linear.weight.t() + layer.conv.linear.bias
        if i < model.num_layers:
            x = x.relu()
    return x


@pytest.mark.parametrize("training", [True, False])
def test_an_edge_is_kept_where_one_speaks_and_one_listens(training: bool) -> None:
    model: Any = CoGNN(3, 2, width=5, num_layers=2, dropout=0.0, readout=None).double()
    model.train(training)
    speaks = [v % 2 == 0 for v in range(12)]
    listens = [v % 3 != 0 for v in range(12)]
    model.speak, model.listen = Fixed(speaks), Fixed(listens)
    kept = torch.zeros(12, 12, dtype=torch.float64)
    for u, v in MIXED.edge_index.t().tolist():
        kept[u, v] = speaks[u] and listens[v]
    expected = literal(model, MIXED.x, kept)
    torch.testing.assert_close(model(MIXED.x, MIXED.edge_index), expected, rtol=0, atol=1e-12)
    everyone = Fixed([True] * 12)
    model.speak = model.listen = everyone
    adjacency = (kept * 0).index_put(tuple(MIXED.edge_index), torch.ones(()).double())
    expected = literal(model, MIXED.x, adjacency)
    torch.testing.assert_close(model(MIXED.x, MIXED.edge_index), expected, rtol=0, atol=1e-12)


def test_draws_are_random_in_training_and_scores_are_not() -> None:
    torch.manual_seed(0)
    model = CoGNN(3, 2, width=5, num_layers=2, dropout=0.0, temperature=1.0).double()

    def scores() -> set[float]:
        outputs = (model(MIXED.x, MIXED.edge_index).detach() for _ in range(5))
        return {float(out[0, 0]) for out in outputs}

    assert len(scores()) > 1
    model.eval()
    assert len(scores()) == 1
    edges = Edges.of_graph(MIXED.edge_index, 12)
    weight = model.train().kept(model.embed(MIXED.x), edges).edge_weight
    assert weight is not None
    assert set(weight.detach().round(decimals=12).unique().tolist()) <= {0.0, 1.0}


def test_action_networks_learn() -> None:
    torch.manual_seed(0)
    model: Any = CoGNN(3, 2, width=5, num_layers=2, temperature=1.0).double()
    model(MIXED.x, MIXED.edge_index).sum().backward()
    for network in (model.listen, model.speak):
        weight = network.layers[0].conv.linear.weight
        assert weight.grad is not None
        assert bool(weight.grad.abs().sum() > 0)


def test_order_and_batches() -> None:
    model = CoGNN(3, 2, width=5, num_layers=2, backbone="gin").double().eval()

    def scores(data: Data) -> Tensor:
        out: Tensor = model(data.x, data.edge_index, batch=data.get("batch"))
        return out

    assert_permutation_equivariant(scores, MIXED, level="graph")
    assert_batch_invariant(scores, [ODD_GRAPHS[name] for name in ("grid", "star", "one node")])


def test_what_it_refuses() -> None:
    with pytest.raises(InputError, match="backbone sage does not read"):
        CoGNN(3, 2, backbone="sage")
    with pytest.raises(InputError, match="temperature"):
        CoGNN(3, 2, temperature=0.0)
    for name in ("action_width", "action_layers"):
        for wrong in (0, 1.5):
            with pytest.raises(InputError, match=f"{name} must be a whole number, 1 or more"):
                CoGNN(3, 2, **{name: wrong})  # type: ignore[arg-type]
    with pytest.raises(InputError, match="in_channels must be a whole number"):
        CoGNN(3.0, 2)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="x has 2 columns"):
        CoGNN(3, 2).double()(MIXED.x[:, :2], MIXED.edge_index)


def test_an_action_is_one_of_two() -> None:
    model = CoGNN(3, 2, width=4, num_layers=1).eval()
    for network in (model.listen, model.speak):
        assert network(torch.ones(2, 4), torch.tensor([[0, 1], [1, 0]])).shape == (2, 2)
