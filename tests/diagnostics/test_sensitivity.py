"""The Jacobian against finite differences, PyG, closed forms and the paper's bound."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import cast

import pytest
import torch
from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.nn import GCN
from torch_geometric.utils.influence import jacobian_l1

from panda_gnn.diagnostics import (
    ModelConstants,
    hop_distances,
    node_states,
    sensitivity,
    sensitivity_bound,
)
from panda_gnn.diagnostics.sensitivity import Sensitivity
from panda_gnn.errors import InputError
from panda_gnn.nn import GNN, PandaGNN
from tests.odd_graphs import ODD_GRAPHS, undirected

BACKBONES = ("gcn", "gin", "rgcn", "rgin")


def with_high(data: Data, *nodes: int) -> Data:
    data = data.clone()
    data.high = torch.zeros(int(data.num_nodes or 0), dtype=torch.bool)
    data.high[list(nodes)] = True
    return data


def shift_matrix(data: Data) -> Tensor:
    """D^-1/2 (A + I) D^-1/2, written out; a node's own loop counts once."""
    num_nodes = int(data.num_nodes or 0)
    adjacency = torch.zeros(num_nodes, num_nodes, dtype=torch.float64)
    adjacency[data.edge_index[1], data.edge_index[0]] = 1
    adjacency.fill_diagonal_(1)
    scale = torch.diag(adjacency.sum(1) ** -0.5)
    return scale @ adjacency @ scale


def literal_jacobian(model: nn.Module, data: Data, layer: int, v: int, u: int) -> Tensor:
    """Central differences of the state of v by every feature of u."""
    step, columns = 1e-6, []
    for feature in range(data.x.size(1)):
        ends = []
        for sign in (1, -1):
            x = data.x.clone()
            x[u, feature] += sign * step
            ends.append(node_states(model, data, x)[layer].values[v].detach())
        columns.append((ends[0] - ends[1]) / (2 * step))
    return torch.stack(columns, dim=1)


@pytest.mark.parametrize("backbone", BACKBONES)
@pytest.mark.parametrize("panda", [False, True])
def test_finite_differences(backbone: str, panda: bool) -> None:
    data = with_high(ODD_GRAPHS["barbell"], 3, 4)
    torch.manual_seed(0)
    model: nn.Module = GNN(3, 2, backbone=backbone, width=4, num_layers=2)
    if panda:
        model = PandaGNN(3, 2, backbone=backbone, width=4, high_width=6, num_layers=2)
    model = model.double().eval()
    by_operator = sensitivity(model, data).norms
    by_entries = sensitivity(model, data, norm="entrywise").norms
    assert by_operator.shape == (3, 9, 9)
    for layer, v, u in ((0, 4, 3), (1, 0, 4), (1, 4, 0), (2, 3, 6), (2, 8, 8)):
        jacobian = literal_jacobian(model, data, layer, v, u).abs()
        torch.testing.assert_close(
            by_operator[layer, v, u], jacobian.sum(0).max(), atol=1e-7, rtol=1e-6
        )
        torch.testing.assert_close(by_entries[layer, v, u], jacobian.sum(), atol=1e-7, rtol=1e-6)


@pytest.mark.parametrize("name", ODD_GRAPHS)
def test_linear_gcn_is_the_power_of_the_shift_matrix(name: str) -> None:
    data = ODD_GRAPHS[name]
    shift = shift_matrix(data)

    def states(x: Tensor, batch: Data) -> list[Tensor]:
        count = x.size(0) // int(data.num_nodes or 1)
        hidden = [x.view(count, -1, x.size(1))]
        for _ in range(3):
            hidden.append(shift @ hidden[-1])
        return [layer.reshape(x.shape) for layer in hidden[1:]]

    powers = torch.stack([torch.linalg.matrix_power(shift, layer) for layer in (1, 2, 3)])
    torch.testing.assert_close(sensitivity(states, data).norms, powers, atol=1e-13, rtol=0)
    constants = ModelConstants(lipschitz=1, max_weight=1, width=1, num_layers=3)
    torch.testing.assert_close(sensitivity_bound(constants, data), powers, atol=1e-13, rtol=0)


@pytest.mark.parametrize("name", ODD_GRAPHS)
def test_bound_holds_for_plain_gcn(name: str) -> None:
    data = ODD_GRAPHS[name]
    torch.manual_seed(1)
    model = GNN(3, 5, width=8, num_layers=3).double()
    norms, bound = sensitivity(model, data).norms, sensitivity_bound(model, data)
    assert norms.shape == bound.shape
    assert bool((norms <= bound + 1e-12).all())
    chosen = torch.arange(int(data.num_nodes or 0)).flip(0)[:2]
    torch.testing.assert_close(sensitivity_bound(model, data, sources=chosen), bound[..., chosen])


def test_bound_is_met_by_equal_weights() -> None:
    """One linear layer whose weights are all w: the column sums are w p S_vu, exactly the bound."""
    data = ODD_GRAPHS["barbell"]
    model = GNN(3, 2, width=4, num_layers=1).double()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.fill_(0.5 if name.endswith("weight") else 0.0)
    data = data.clone()
    data.x = data.x.abs()
    torch.testing.assert_close(sensitivity(model, data).norms[0], sensitivity_bound(model, data)[0])


def test_bound_refuses_what_it_does_not_cover() -> None:
    data = ODD_GRAPHS["path"]
    for model in (GNN(3, 2, backbone="gin"), GNN(3, 2, residual=True), PandaGNN(3, 2)):
        with pytest.raises(InputError, match="ModelConstants"):
            sensitivity_bound(model, data)


def test_agrees_with_influence_of_pyg() -> None:
    data = ODD_GRAPHS["grid"]
    torch.manual_seed(0)
    model = GCN(3, 8, num_layers=2, out_channels=4).double().eval()
    norms = sensitivity(model, data, norm="entrywise").norms
    assert norms.size(0) == 1
    for v in (0, 5, 11):
        torch.testing.assert_close(norms[0, v], jacobian_l1(model, data, 6, v, "cpu"))


@pytest.mark.parametrize("norm", ["operator", "entrywise"])
def test_forward_and_reverse_agree(norm: str) -> None:
    data = with_high(ODD_GRAPHS["two components"], 1, 4, 5)
    torch.manual_seed(0)
    model = PandaGNN(3, 2, width=4, high_width=5, num_layers=2).double()
    forward = sensitivity(model, data, norm=norm, mode="forward")
    reverse = sensitivity(model, data, norm=norm, mode="reverse")
    torch.testing.assert_close(forward.norms, reverse.norms)
    assert bool((forward.norms[:, :3, 3:] == 0).all())
    assert model.training
    assert not forward.norms.requires_grad


class NoForwardDerivative(torch.autograd.Function):
    """A custom operation as compiled extensions have it."""

    @staticmethod
    def forward(ctx: object, x: Tensor) -> Tensor:
        return 2 * x

    @staticmethod
    def backward(ctx: object, gradient: Tensor) -> Tensor:
        return 2 * gradient


def test_falls_back_to_reverse() -> None:
    data = ODD_GRAPHS["path"]
    doubled = cast("Callable[[Tensor], Tensor]", NoForwardDerivative.apply)
    found = sensitivity(lambda x, _: doubled(x), data)
    torch.testing.assert_close(found.norms[0], 2 * torch.eye(6, dtype=torch.float64))


def test_samples_of_sources_are_right_on_average_and_as_wrong_as_they_say() -> None:
    """Over all pairs of sources, the mean is the exact one and so is the mean squared error."""
    data = ODD_GRAPHS["barbell"]
    torch.manual_seed(0)
    model = GNN(3, 2, width=4, num_layers=2).double()
    exact = sensitivity(model, data, norm="entrywise")
    assert exact.exact
    assert bool((exact.standard_error() == 0).all())
    samples = [
        sensitivity(model, data, norm="entrywise", sources=torch.tensor(pair))
        for pair in itertools.combinations(range(9), 2)
    ]
    assert not any(sample.exact for sample in samples)
    means = torch.stack([sample.mean() for sample in samples])
    torch.testing.assert_close(means.mean(0), exact.mean(), rtol=1e-12, atol=0)
    claimed = torch.stack([sample.standard_error() for sample in samples]).square().mean(0)
    found = (means - exact.mean()).square().mean(0)
    torch.testing.assert_close(claimed, found, rtol=1e-12, atol=0)


def test_drawn_sources_are_different_nodes() -> None:
    found = sensitivity(GNN(3, 2, width=4).double(), ODD_GRAPHS["grid"], sources=11, seed=3)
    assert len(set(found.sources.tolist())) == 11
    assert not found.exact


def test_some_features_stand_for_all() -> None:
    """Of features that count 1, 2 and 4, two are drawn for every source and scaled by 3 / 2."""
    data = undirected(600)
    weights = torch.tensor([1.0, 2.0, 4.0], dtype=torch.float64)
    found = sensitivity(
        lambda x, _: weights * x, data, norm="entrywise", sources=600, input_features=2
    )
    own = found.norms[0].diagonal()
    assert set(own.tolist()) == {4.5, 7.5, 9.0}
    assert bool((own.unique(return_counts=True)[1] > 150).all())
    assert not found.exact


def test_large_graphs_are_sampled() -> None:
    path = undirected(700, *((i, i + 1) for i in range(699)))
    model = GNN(3, 2, width=4, num_layers=2).double()
    found = sensitivity(model, path)
    assert found.norms.shape == (3, 700, 64)
    assert not found.exact
    named = sensitivity(model, path, sources=found.sources[:5])
    torch.testing.assert_close(named.norms, found.norms[:, :, :5])


def test_means_by_distance() -> None:
    data = ODD_GRAPHS["path"]
    model = GNN(3, 2, width=8, num_layers=3).double()
    found = sensitivity(model, data)
    distance = hop_distances(data, torch.arange(6))
    means = found.by_distance(distance, 6)
    assert means.shape == (4, 7)
    assert bool((means[1, 3:6] == 0).all())
    assert bool(means[:, 6].isnan().all())
    pairs = torch.tensor([6.0, 10, 8, 6, 4, 2], dtype=torch.float64)
    total = (means[:, 1:6] * pairs[1:]).sum(1) / 30
    torch.testing.assert_close(found.mean(), total)


@pytest.mark.parametrize("name", ["one node", "no edges"])
def test_odd_graphs_have_defined_values(name: str) -> None:
    data = ODD_GRAPHS[name]
    torch.manual_seed(0)
    found = sensitivity(GNN(3, 2, width=16).double(), data)
    assert bool((found.mean() == 0).all())
    assert bool((found.norms.diagonal(dim1=1, dim2=2) > 0).all())


def test_bad_input_gets_one_sentence() -> None:
    data = ODD_GRAPHS["path"]
    model = GNN(3, 2, width=4).double()
    bare = data.clone()
    bare.x = None
    empty = Data(x=torch.zeros(0, 3), edge_index=torch.zeros(2, 0, dtype=torch.long))
    cases = [
        (model, data, {"norm": "frobenius"}, "unknown norm 'frobenius'"),
        (model, data, {"mode": "sideways"}, "unknown mode 'sideways'"),
        (model, data, {"sources": 0}, "sources must be a whole number, 1 or more, not 0"),
        (model, data, {"sources": torch.tensor([6])}, "among 0..5"),
        (model, data, {"input_features": 1}, "norm='entrywise' only"),
        (model, bare, {}, "no node features"),
        (model, empty, {}, "no nodes"),
        (PandaGNN(3, 2).double(), data, {}, "ExpandWidth"),
        (lambda x, _: x.sum(0), data, {}, "one state for each of the 6 nodes"),
    ]
    for subject, graph, options, message in cases:
        with pytest.raises(InputError, match=message):
            sensitivity(subject, graph, **options)  # type: ignore[arg-type]


def test_the_standard_error_of_a_sample_without_replacement() -> None:
    """Sources of means 1, 3, 5 and 7 of ten nodes: variance 20/3, times (1 - 4/10) / 4."""
    sources = torch.tensor([0, 2, 4, 9])
    norms = torch.tensor([1.0, 3.0, 5.0, 7.0], dtype=torch.float64).expand(1, 10, 4).clone()
    found = Sensitivity(norms, sources, exact=False)
    assert float(found.mean()) == pytest.approx(4.0)
    assert float(found.standard_error()) == pytest.approx((20 / 3 * 0.6 / 4) ** 0.5, rel=1e-12)
    every = Sensitivity(norms[:, :4], torch.arange(4), exact=False)  # some features were left out
    assert float(every.standard_error()) == pytest.approx((20 / 3 / 4) ** 0.5, rel=1e-12)
