"""The split of nodes and edges by width."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

import panda_gnn
from panda_gnn.errors import InputError
from panda_gnn.nn import PandaGCNConv, PandaGNN, WidthPartition
from tests.nn.graphs import CASES, MIXED
from tests.nn.literal import degrees


def rebuilt(partition: WidthPartition) -> dict[int, tuple[int, int]]:
    """The edge of the graph that each number in the two halves stands for."""
    low, high = partition.low_nodes.tolist(), partition.high_nodes.tolist()
    crossing = partition.crossing.t().tolist()
    edges = {}
    for half, targets in ((partition.into_low, low), (partition.into_high, high)):
        assert half.order is not None
        for number, (source, target) in zip(
            half.order.tolist(), half.edge_index.t().tolist(), strict=True
        ):
            if source < len(targets):
                u = targets[source]
            elif half is partition.into_low:
                u = high[crossing[source - len(low)][0]]
                assert low[crossing[source - len(low)][1]] == targets[target]
            else:
                u = low[source - len(high)]
            edges[number] = (u, targets[target])
    return edges


@pytest.mark.parametrize("data", CASES)
def test_every_edge_is_in_exactly_one_half(data: Data) -> None:
    partition = WidthPartition(data.edge_index, data.high)
    expected = dict(enumerate(map(tuple, data.edge_index.t().tolist())))
    assert rebuilt(partition) == expected


@pytest.mark.parametrize("data", CASES)
def test_merge_undoes_split(data: Data) -> None:
    partition = WidthPartition(data.edge_index, data.high)
    low, high = partition.split(data.x)
    assert low.size(0) == int((~data.high).sum())
    assert torch.equal(partition.merge(low, high), data.x)


@pytest.mark.parametrize("self_loops", [False, True])
@pytest.mark.parametrize("data", CASES)
def test_normalisation_is_that_of_the_whole_graph(data: Data, self_loops: bool) -> None:
    partition = WidthPartition(data.edge_index, data.high)
    degree = degrees(data.edge_index, data.num_nodes, None, self_loops)
    for half in (partition.into_low, partition.into_high):
        norm, loop = half.norm(self_loops, torch.float64)
        assert half.order is not None
        for number, weight in zip(half.order.tolist(), norm.tolist(), strict=True):
            u, v = data.edge_index[:, number].tolist()
            assert weight == pytest.approx((degree[u] * degree[v]) ** -0.5, abs=1e-14)
        assert (loop is not None) == self_loops


def test_edge_values_follow_their_edges() -> None:
    number = torch.arange(MIXED.num_edges)
    partition = WidthPartition(
        MIXED.edge_index,
        MIXED.high,
        edge_weight=number.double(),
        edge_attr=number.view(-1, 1) + 0.5,
        edge_type=number % 3,
    )
    for half in (partition.into_low, partition.into_high):
        order = half.order
        assert order is not None
        assert torch.equal(half.edge_weight, order.double())  # type: ignore[arg-type]
        assert torch.equal(half.edge_attr, order.view(-1, 1) + 0.5)  # type: ignore[arg-type]
        assert torch.equal(half.edge_type, order % 3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("edge_index", "high", "options", "says"),
    [
        (torch.zeros(3, 4, dtype=torch.long), torch.zeros(5, dtype=torch.bool), {}, "edge_index"),
        (torch.zeros(2, 4), torch.zeros(5, dtype=torch.bool), {}, "edge_index"),
        (torch.zeros(2, 4, dtype=torch.long), torch.zeros(5), {}, "high must be a boolean"),
        (
            torch.zeros(2, 4, dtype=torch.long),
            torch.zeros(5, dtype=torch.bool),
            {"edge_weight": torch.ones(3)},
            "edge_weight has 3 rows",
        ),
    ],
)
def test_wrong_inputs_are_named(
    edge_index: Tensor, high: Tensor, options: dict[str, Tensor], says: str
) -> None:
    with pytest.raises(InputError, match=says):
        WidthPartition(edge_index, high, **options)


def test_repr_counts() -> None:
    edge_index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    partition = WidthPartition(edge_index, torch.tensor([False, True, False]))
    assert repr(partition) == "WidthPartition(low=2, high=1, into_low=2, into_high=2)"


@pytest.mark.parametrize("backend", ["compiled", "torch"])
@pytest.mark.parametrize("selector", ["topk", "gated"])
def test_a_split_takes_other_values_of_the_same_edges(selector: str, backend: str) -> None:
    first, second = torch.rand(2, MIXED.num_edges)
    layer = PandaGCNConv((8, 12), (8, 12), selector=selector)
    partition = WidthPartition(MIXED.edge_index, MIXED.high, edge_weight=first)
    fresh = WidthPartition(MIXED.edge_index, MIXED.high, edge_weight=second)
    x = torch.rand(partition.low_nodes.numel(), 8), torch.rand(partition.high_nodes.numel(), 12)
    with panda_gnn.backend(backend):
        layer(x, partition)
        other = partition.with_whole(replace(partition.whole, edge_weight=second))
        for found, expected in zip(layer(x, other), layer(x, fresh), strict=True):
            torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("backbone", ["gcn", "gin", "rgcn", "gat"])
def test_width_aware_layers_run_under_autocast(backbone: str) -> None:
    torch.manual_seed(0)
    options: dict[str, Any] = {"num_relations": 1} if backbone == "rgcn" else {}
    model = PandaGNN(3, 2, width=8, high_width=12, backbone=backbone, **options).eval()
    x = torch.rand(MIXED.num_nodes, 3)
    expected = model(x, MIXED.edge_index, MIXED.high)
    with torch.autocast("cpu", torch.bfloat16):
        found = model(x, MIXED.edge_index, MIXED.high)
    torch.testing.assert_close(found.float(), expected, rtol=0.1, atol=0.1)


@pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_width_aware_model_can_be_traced() -> None:
    model = PandaGNN(3, 2, width=8, high_width=12).eval()
    x = torch.rand(MIXED.num_nodes, 3)
    given = x, MIXED.edge_index, MIXED.high
    traced: Any = torch.jit.trace(model, given)
    torch.testing.assert_close(traced(*given), model(*given))
