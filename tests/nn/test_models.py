"""The stack that plain and width-aware models share."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GCNConv, SAGEConv

from panda_gnn.errors import InputError
from panda_gnn.nn import GNN, Edges, PandaGNN
from panda_gnn.nn.models import BACKBONES
from panda_gnn.testing import (
    assert_batch_invariant,
    assert_permutation_equivariant,
    assert_reduces_to,
)
from tests.nn.graphs import CASES, GRAPHS, MIXED, masked, random_graph

SMALL: dict[str, Any] = {"width": 5, "num_layers": 2}
OTHER = masked(random_graph(9, 0.4, 5), torch.arange(9) < 4)


def panda(backbone: str = "gcn", **options: Any) -> Any:
    torch.manual_seed(0)
    model = PandaGNN(3, 2, backbone=backbone, high_width=7, **SMALL, **options)
    return model.double().eval()


def plain(backbone: str = "gcn", **options: Any) -> Any:
    torch.manual_seed(0)
    model = GNN(3, 2, backbone=backbone, **SMALL, **options)
    return model.double().eval()


def run(model: GNN, data: Data, **options: object) -> Tensor:
    batch = data.batch if isinstance(data, Batch) else None
    high = (data.high,) if isinstance(model, PandaGNN) else ()
    out: Tensor = model(data.x, data.edge_index, *high, batch=batch, **options)
    return out


def edges_of(data: Data) -> Edges:
    return Edges.of_graph(data.edge_index, data.num_nodes)


@pytest.mark.parametrize("variant", ["paper", "released"])
@pytest.mark.parametrize("panda_layers", ["all", "last"])
@pytest.mark.parametrize("backbone", BACKBONES)
def test_order_and_batching_change_nothing(backbone: str, panda_layers: str, variant: str) -> None:
    model = panda(backbone, panda_layers=panda_layers, variant=variant)
    assert_permutation_equivariant(lambda data: run(model, data), MIXED, level="graph")
    assert_batch_invariant(lambda data: run(model, data), GRAPHS)
    model.readout = None
    assert_permutation_equivariant(lambda data: run(model, data), MIXED)
    assert_batch_invariant(lambda data: run(model, data), GRAPHS)


@pytest.mark.parametrize(
    ("backbone", "options"),
    [
        ("gcn", {"residual": True, "self_loops": False, "bias": False}),
        ("gcn", {"residual": False, "self_loops": True, "bias": True}),
        ("gin", {"eps": 0.2}),
        ("gin", {"residual": True}),
        ("rgcn", {}),
        ("rgin", {}),
    ],
)
def test_without_high_nodes_it_is_the_plain_twin(backbone: str, options: dict[str, Any]) -> None:
    twin, model = plain(backbone, **options), panda(backbone, **options)
    for own, theirs in zip(model.layers, twin.layers, strict=True):
        own.low.load_state_dict(theirs.conv.state_dict())
    graphs = [masked(graph, graph.high & False) for graph in GRAPHS]
    assert_reduces_to(lambda d: run(model, d), lambda d: run(twin, d), graphs)


def test_the_plain_gcn_is_pygs_stack() -> None:
    model = plain()
    convs = [GCNConv(i, o).double() for i, o in ((3, 5), (5, 5), (5, 2))]
    for conv, own in zip(convs, model.layers, strict=True):
        conv.lin.weight.data = own.conv.linear.weight.data
    for graph in GRAPHS[::3]:
        x = graph.x
        for conv in convs[:-1]:
            x = conv(x, graph.edge_index).relu()
        expected = convs[-1](x, graph.edge_index).mean(0, keepdim=True)
        torch.testing.assert_close(run(model, graph), expected, rtol=0, atol=1e-12)


def test_any_pyg_convolution_is_a_backbone() -> None:
    model = PandaGNN(3, 2, backbone=lambda i, o: SAGEConv(i, o), width=5, high_width=7).double()
    assert repr(model.layers[1]) == "PandaConv[SAGEConv](low=5 -> 5, high=7 -> 7, selector=topk)"
    assert_batch_invariant(lambda data: run(model.eval(), data), [MIXED, OTHER])
    twin = GNN(3, 2, backbone=lambda i, o: SAGEConv(i, o), width=5).double().eval()
    assert_batch_invariant(lambda data: run(twin, data), [MIXED, OTHER])


@pytest.mark.parametrize("backbone", BACKBONES)
def test_last_layer_fully_adjacent(backbone: str) -> None:
    model = plain(backbone, last_layer_fa=True, readout=None)
    out = run(model, MIXED)
    before = plain(backbone, readout=None)
    mean = model.states(MIXED.x, edges_of(MIXED))[-2].mean(0, keepdim=True)
    seen = model.layers[-1].transform(mean)
    own = before.layers[-1](model.states(MIXED.x, edges_of(MIXED))[-2], edges_of(MIXED))
    expected = seen.expand(12, 2) if backbone in ("gcn", "gin") else seen + own
    torch.testing.assert_close(out, expected, rtol=0, atol=1e-12)
    assert_batch_invariant(lambda data: run(model, data), [MIXED, OTHER])


def test_every_second_layer_may_use_other_edges() -> None:
    model = plain(readout=None)
    none = torch.empty(2, 0, dtype=torch.long)
    x = model.layers[0](MIXED.x, edges_of(MIXED))
    x = model.layers[1](x, edges_of(Data(edge_index=none, num_nodes=12)))
    expected = model.layers[2](x, edges_of(MIXED))
    found = run(model, MIXED, expander_edge_index=none)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)


def test_widths_of_the_layers() -> None:
    model = panda()
    assert [layer.in_channels for layer in model.layers] == [(3, 3), (5, 7), (5, 7)]
    assert [layer.out_channels for layer in model.layers] == [(5, 7), (5, 7), (2, 2)]
    last = panda(panda_layers="last")
    assert last.layers[-1].in_channels == (5, 7)
    assert last.lift is not None
    assert last.lift.weight.shape == (7, 5)


def test_parameters_trained_and_never_trained() -> None:
    eta = 2 * ((5 + 7) * 7 + 7)  # the first layer has equal widths, the other two have an eta
    linear = 3 * 5 + 5 * 5 + 5 * 2 + 3 * 7 + 7 * 7 + 7 * 2
    expand = 2 * 5 * 7
    assert panda().num_parameters == (linear + expand, eta)
    assert panda(selector="gated").num_parameters == (linear + expand + eta, 0)
    assert plain().num_parameters == (3 * 5 + 5 + 5 * 5 + 5 + 5 * 2 + 2, 0)


@pytest.mark.parametrize("backbone", BACKBONES)
def test_every_trained_parameter_gets_a_gradient(backbone: str) -> None:
    model = panda(backbone, selector="gated").train()
    out = run(model, Batch.from_data_list([MIXED, OTHER]))
    torch.nn.functional.cross_entropy(out, torch.tensor([0, 1])).backward()
    missing = [n for n, p in model.named_parameters() if p.requires_grad and p.grad is None]
    assert missing == []


@pytest.mark.parametrize("data", CASES)
def test_training_takes_every_odd_graph(data: Data) -> None:
    for backbone in BACKBONES:
        for model in (panda(backbone), panda(backbone, panda_layers="last")):
            out = run(model.train(), data)
            assert out.shape == (1, 2)
            assert out.isfinite().all()
            out.sum().backward()


def test_wrong_options_are_named() -> None:
    with pytest.raises(InputError, match="unknown backbone 'gat': choose one of gcn, gin"):
        GNN(3, 2, backbone="gat")
    with pytest.raises(InputError, match="high_width is 32, it must be at least width \\(64\\)"):
        PandaGNN(3, 2, high_width=32)
    with pytest.raises(InputError, match=r"pass high=data\.high"):
        PandaGNN(3, 2)(MIXED.x, MIXED.edge_index)
    with pytest.raises(InputError, match="unknown panda_layers 'first'"):
        PandaGNN(3, 2, panda_layers="first")
    with pytest.raises(InputError, match="unknown readout 'max'"):
        GNN(3, 2, readout="max")
    with pytest.raises(InputError, match="num_layers 0"):
        GNN(3, 2, num_layers=0)
    with pytest.raises(InputError, match="last_layer_fa is an option of GNN"):
        PandaGNN(3, 2, last_layer_fa=True)
