"""Modules made again with other widths."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch_geometric.nn as pyg
from torch import nn

from panda_gnn.errors import InputError
from panda_gnn.nn.rebuild import widths_of, with_width, with_widths, works_by_rows

DEGREES = torch.tensor([1, 3, 4, 2])
CONVOLUTIONS: list[Any] = [
    lambda i, o: pyg.GCNConv(i, o, add_self_loops=False, bias=False),
    lambda i, o: pyg.GCNConv(i, o, aggr="max"),
    lambda i, o: pyg.SAGEConv(i, o, aggr=["mean", "max"], root_weight=False, bias=False),
    lambda i, o: pyg.GATConv(i, o // 2, heads=2, negative_slope=0.3, dropout=0.1, edge_dim=3),
    lambda i, o: pyg.GATv2Conv(i, o, heads=2, concat=False, share_weights=True, residual=True),
    lambda i, o: pyg.TransformerConv(i, o // 2, heads=2, beta=True, bias=False),
    lambda i, o: pyg.GraphConv(i, o, aggr="mean", bias=False),
    lambda i, o: pyg.RGCNConv(i, o, num_relations=3, num_bases=2, aggr="add"),
    lambda i, o: pyg.PNAConv(
        i, o, ["mean", "std"], ["identity"], DEGREES, towers=2, pre_layers=2, act="elu"
    ),
    lambda i, o: pyg.GINConv(
        nn.Sequential(nn.Linear(i, 3 * o), nn.BatchNorm1d(3 * o), nn.ReLU(), nn.Linear(3 * o, o)),
        eps=0.5,
        train_eps=True,
    ),
    lambda i, o: pyg.GINEConv(pyg.MLP([i, o, o], norm="batch_norm", bias=[True, False])),
    lambda i, o: pyg.EdgeConv(nn.Linear(2 * i, o), aggr="add"),
]


def shapes(module: nn.Module) -> dict[str, torch.Size]:
    return {name: value.shape for name, value in module.state_dict().items()}


@pytest.mark.parametrize("make", CONVOLUTIONS, ids=lambda make: type(make(4, 6)).__name__)
def test_a_convolution_is_the_one_its_constructor_makes(make: Any) -> None:
    conv, expected = make(4, 6), make(8, 10)
    assert widths_of(conv, "conv") == (4, 6)
    found = with_widths(conv, 8, 10, "conv", {})
    assert shapes(found) == shapes(expected)
    assert repr(found) == repr(expected)
    for name, value in vars(expected).items():
        if isinstance(value, int | float | str | list):
            assert vars(found)[name] == value, name
    trained = [p.requires_grad for p in expected.parameters()]
    assert [p.requires_grad for p in found.parameters()] == trained


@pytest.mark.parametrize(
    ("make", "by_rows"),
    [
        (lambda w: nn.BatchNorm1d(w, eps=1e-3, momentum=0.2, affine=False), True),
        (lambda w: pyg.BatchNorm(w, eps=1e-3, momentum=0.2), True),
        (lambda w: nn.LayerNorm(w, elementwise_affine=False), True),
        (lambda w: pyg.LayerNorm(w, affine=False, mode="node"), True),
        (lambda w: pyg.DiffGroupNorm(w, groups=3), True),
        (lambda w: nn.PReLU(), True),
        (lambda w: nn.PReLU(w), True),
        (lambda w: nn.Dropout(0.3), True),
        (lambda w: pyg.LayerNorm(w), False),
        (lambda w: pyg.GraphNorm(w), False),
        (lambda w: pyg.InstanceNorm(w), False),
        (lambda w: pyg.PairNorm(), False),
        (lambda w: pyg.GraphSizeNorm(), False),
        (lambda w: nn.Softmax(dim=0), False),
        (lambda w: nn.Linear(w, w + 1), False),
    ],
)
def test_norms_and_activations(make: Any, by_rows: bool) -> None:
    module = make(4)
    assert works_by_rows(module, 4, extra=False) == by_rows
    if by_rows:
        found, expected = with_width(module, 4, 6, "norm"), make(6)
        assert repr(found) == repr(expected)
        assert shapes(found) == shapes(expected)
        for name in ("eps", "momentum", "affine", "mode"):
            assert getattr(found, name, None) == getattr(expected, name, None)


def test_the_graph_of_a_node_must_not_matter() -> None:
    assert works_by_rows(pyg.LayerNorm(4, mode="node"), 4, extra=True)
    assert not works_by_rows(pyg.GraphNorm(4), 4, extra=True)


def test_a_trial_changes_neither_the_module_nor_random_numbers() -> None:
    norm = nn.BatchNorm1d(4)
    torch.manual_seed(0)
    expected = torch.rand(3)
    torch.manual_seed(0)
    works_by_rows(norm, 4, extra=False)
    assert torch.equal(torch.rand(3), expected)
    assert norm.training
    assert norm.num_batches_tracked == 0


class Forgetful(nn.Linear):
    def __init__(self, in_features: int, out_features: int, factor: float = 1.0) -> None:
        super().__init__(in_features, out_features)
        self.twice = 2 * factor


def test_what_would_be_lost_is_named() -> None:
    with pytest.raises(InputError, match=r"lin \(Forgetful\).*twice would be lost"):
        with_widths(Forgetful(4, 4, factor=3.0), 8, 8, "lin", {})
    assert isinstance(with_widths(Forgetful(4, 4), 8, 8, "lin", {}), Forgetful)
    conv = pyg.GINConv(nn.Bilinear(4, 4, 4))
    with pytest.raises(InputError, match=r"conv \(Bilinear\) is neither a linear map"):
        widths_of(conv, "conv")
    with pytest.raises(InputError, match="has no linear map whose width could be changed"):
        widths_of(pyg.GINConv(nn.Sequential(nn.ReLU())), "conv")
