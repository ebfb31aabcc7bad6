"""The edges that layers see."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch_geometric.nn.conv.gcn_conv import gcn_norm

import panda_gnn
from panda_gnn.errors import InputError
from panda_gnn.nn import GNN, Edges, PandaGNN, WidthPartition
from panda_gnn.nn.models import BACKBONES
from tests.nn.graphs import MIXED

NAN = float("nan")


def test_normalisation_with_self_loops_is_pygs() -> None:
    weight = torch.rand(MIXED.num_edges, dtype=torch.float64)
    edges = Edges.of_graph(MIXED.edge_index, 12, edge_weight=weight)
    norm, loop = edges.norm(True, torch.float64)
    assert loop is not None
    _, expected = gcn_norm(MIXED.edge_index, weight, 12)
    torch.testing.assert_close(torch.cat([norm, loop]), expected, rtol=0, atol=1e-14)


def test_relations_split_the_edges() -> None:
    types = torch.arange(MIXED.num_edges) % 3
    edges = Edges.of_graph(MIXED.edge_index, 12, edge_type=types)
    found = torch.cat([edges.relation(r).edge_index for r in range(3)], dim=1)
    assert sorted(found.t().tolist()) == sorted(MIXED.edge_index.t().tolist())
    assert edges.relation(5).edge_index.size(1) == 0


def prepared(kind: type[GNN], weight: Tensor) -> Edges | WidthPartition:
    if kind is GNN:
        return Edges.of_graph(MIXED.edge_index, 12, edge_weight=weight)
    return WidthPartition(MIXED.edge_index, MIXED.high, edge_weight=weight)


def model_of(kind: type[GNN], backbone: str) -> GNN:
    torch.manual_seed(0)
    options: dict[str, Any] = {"high_width": 6} if kind is PandaGNN else {}
    return kind(3, 2, backbone=backbone, width=4, num_layers=2, **options).double().eval()


@pytest.mark.parametrize("backend", ["compiled", "torch"])
@pytest.mark.parametrize("kind", [GNN, PandaGNN])
@pytest.mark.parametrize("backbone", BACKBONES)
def test_weights_that_learn_are_never_kept(backbone: str, kind: type[GNN], backend: str) -> None:
    """One pass without gradients takes none away, and a second backward pass finds a graph."""
    model = model_of(kind, backbone)
    weight = torch.rand(MIXED.num_edges, dtype=torch.float64, requires_grad=True)
    with panda_gnn.backend(backend):
        (expected,) = torch.autograd.grad(model(MIXED.x, prepared(kind, weight)).sum(), weight)
        edges = prepared(kind, weight)
        with torch.no_grad():
            model(MIXED.x, edges)
        with torch.inference_mode():
            model(MIXED.x, edges)
        for _ in range(2):
            (found,) = torch.autograd.grad(model(MIXED.x, edges).sum(), weight)
            torch.testing.assert_close(found, expected, rtol=0, atol=0)


@pytest.mark.parametrize("backend", ["compiled", "torch"])
@pytest.mark.parametrize("kind", [GNN, PandaGNN])
@pytest.mark.parametrize("backbone", BACKBONES)
def test_weights_changed_in_place_are_seen(backbone: str, kind: type[GNN], backend: str) -> None:
    model = model_of(kind, backbone)
    weight = torch.rand(MIXED.num_edges, dtype=torch.float64)
    with panda_gnn.backend(backend), torch.no_grad():
        edges = prepared(kind, weight)
        before = model(MIXED.x, edges)
        weight[::2] *= 3
        found = model(MIXED.x, edges)
        assert not torch.equal(found, before)
        assert torch.equal(found, model(MIXED.x, prepared(kind, weight)))


def test_features_of_edges_that_learn_are_never_kept() -> None:
    features = torch.rand(MIXED.num_edges, 2, requires_grad=True)
    partition = WidthPartition(MIXED.edge_index, MIXED.high, edge_attr=features)
    with torch.no_grad():
        assert partition.into_low.edge_attr is not None
    for half in (partition.into_low, partition.into_high):
        assert half.edge_attr is not None
        assert half.edge_attr.requires_grad


def test_a_mean_of_weighted_edges_is_divided_by_their_number() -> None:
    """(w_1 x_1 + ... + w_n x_n) / n for n edges of one relation, whatever the weights."""
    edge_index = torch.tensor([[0, 1, 2, 3, 0, 1], [2, 2, 2, 0, 0, 3]])
    weight = torch.tensor([0.5, 2.0, 3.0, 7.0, 1.0, 4.0], dtype=torch.float64)
    edges = Edges.of_graph(edge_index, 4, edge_weight=weight)
    expected = torch.tensor([0.5 / 3, 2.0 / 3, 1.0, 3.5, 0.5, 4.0], dtype=torch.float64)
    torch.testing.assert_close(edges.mean(torch.float64), expected, rtol=0, atol=1e-15)
    types = torch.tensor([0, 0, 1, 1, 1, 0])
    typed = Edges.of_graph(edge_index, 4, edge_weight=weight, edge_type=types).relation(0)
    assert typed.mean(torch.float64).tolist() == [0.25, 1.0, 4.0]


@pytest.mark.parametrize("backend", ["compiled", "torch"])
def test_weights_that_have_no_root_are_refused(backend: str) -> None:
    path = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    model = GNN(1, 2, width=4)
    with panda_gnn.backend(backend):
        for weight, total in ((torch.tensor([1.0, -3, 1, 1]), "-2"), (torch.full((4,), NAN), NAN)):
            with pytest.raises(InputError, match=f"into node 0 add up to {total}"):
                model(torch.ones(3, 1), path, edge_weight=weight)


def test_weights_of_zero_have_gradients() -> None:
    weight = torch.zeros(2, requires_grad=True)
    edges = Edges.of_graph(torch.tensor([[0, 1], [1, 0]]), 2, edge_weight=weight)
    edges.norm(False, torch.float32)[0].sum().backward()
    assert weight.grad is not None
    assert weight.grad.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("backbone", BACKBONES)
def test_a_hub_of_many_neighbours_in_half_precision(backbone: str) -> None:
    leaf, hub = torch.arange(1, 1500), torch.zeros(1499, dtype=torch.long)
    star = torch.stack([torch.cat([leaf, hub]), torch.cat([hub, leaf])])
    torch.manual_seed(0)
    options: dict[str, Any] = {"num_relations": 1} if backbone[0] == "r" else {}
    model = GNN(2, 3, width=8, num_layers=2, backbone=backbone, **options).eval()
    x = torch.rand(1500, 2)
    with torch.no_grad():
        expected = model(x, star)
        with torch.autocast("cpu", torch.bfloat16):
            cast = model(x, star)
        half = model.bfloat16()(x.bfloat16(), star)
    for found in (cast, half):
        assert float((found.float() - expected).norm() / expected.norm()) < 0.03
