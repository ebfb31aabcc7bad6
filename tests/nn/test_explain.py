"""Explainers of PyG on our models: masks are put where messages are sent."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch_geometric.explain import AttentionExplainer, CaptumExplainer, Explainer, GNNExplainer
from torch_geometric.explain.algorithm.utils import clear_masks, set_masks
from torch_geometric.nn import GATConv, GATv2Conv, GCNConv, GraphConv

from panda_gnn.errors import InputError
from panda_gnn.nn import GNN, PandaConv, PandaGNN, PlainConv, WidthPartition
from panda_gnn.nn.models import BACKBONES
from tests.nn.graphs import BONDS, MIXED

COUNT = MIXED.num_edges
CONFIG = {"mode": "multiclass_classification", "task_level": "node", "return_type": "raw"}
OPTIONS: dict[str, Any] = {"width": 4, "num_layers": 2, "readout": None}


def model_of(kind: type[GNN], backbone: Any, **options: Any) -> GNN:
    torch.manual_seed(0)
    options = OPTIONS | ({"high_width": 6} if kind is PandaGNN else {}) | options
    return kind(3, 2, backbone=backbone, **options).double().eval()


def run(model: GNN, edges: Tensor | None = None, **values: Any) -> Tensor:
    edge_index = MIXED.edge_index if edges is None else edges
    high = (MIXED.high,) if isinstance(model, PandaGNN) else ()
    out: Tensor = model(MIXED.x, edge_index, *high, **values)
    return out


@pytest.mark.parametrize("backbone", ["gin", "rgin", GraphConv, "gine"])
@pytest.mark.parametrize("kind", [GNN, PandaGNN])
def test_a_mask_of_zeros_and_ones_leaves_edges_out(kind: type[GNN], backbone: Any) -> None:
    """Where nothing is normalised, a masked edge is an edge that is not there."""
    options: dict[str, Any] = {"edge_categories": BONDS} if backbone == "gine" else {}
    model = model_of(kind, backbone, **options)
    values = {"edge_attr": torch.stack([torch.arange(COUNT) % n for n in BONDS], dim=1)}
    values = values if backbone == "gine" else {}
    kept = torch.rand(COUNT) < 0.6
    fewer = {name: rows[kept] for name, rows in values.items()}
    expected = run(model, MIXED.edge_index[:, kept], **fewer)
    before = run(model, **values)
    set_masks(model, kept.double(), MIXED.edge_index, apply_sigmoid=False)
    torch.testing.assert_close(run(model, **values), expected, rtol=0, atol=1e-12)
    clear_masks(model)
    assert torch.equal(run(model, **values), before)


@pytest.mark.parametrize("kind", [GNN, PandaGNN])
def test_a_masked_gcn_is_pygs(kind: type[GNN]) -> None:
    ours = model_of(kind, "gcn", self_loops=True, bias=True, residual=False)
    theirs = model_of(kind, GCNConv)
    renamed = {
        name.replace("linear.weight", "conv.lin.weight").replace("linear.bias", "conv.bias"): value
        for name, value in ours.state_dict().items()
    }
    theirs.load_state_dict(renamed)
    mask = torch.randn(COUNT, dtype=torch.float64)
    for model in (ours, theirs):
        set_masks(model, mask, MIXED.edge_index)
    torch.testing.assert_close(run(ours), run(theirs), rtol=0, atol=1e-12)


@pytest.mark.parametrize("backbone", [*BACKBONES, GATv2Conv])
@pytest.mark.parametrize("kind", [GNN, PandaGNN])
def test_gnn_explainer(kind: type[GNN], backbone: Any) -> None:
    model = model_of(kind, backbone)
    explainer = Explainer(
        model,
        GNNExplainer(epochs=5),
        explanation_type="model",
        node_mask_type="attributes",
        edge_mask_type="object",
        model_config=CONFIG,
    )
    high = {"high": MIXED.high} if kind is PandaGNN else {}
    before = run(model)
    explanation = explainer(MIXED.x, MIXED.edge_index, index=3, **high)
    assert explanation.edge_mask.shape == (COUNT,)
    assert explanation.edge_mask.count_nonzero() > 0
    assert torch.equal(run(model), before)
    assert torch.equal(run(pickle.loads(pickle.dumps(model))), before)


@pytest.mark.parametrize("conv", [GATConv, GATv2Conv])
def test_attention_explainer(conv: Any) -> None:
    """With the weights of the plain layer on both sides, the attention is that of the plain one."""
    plain, panda = model_of(GNN, conv), model_of(PandaGNN, conv, high_width=4)
    for own, theirs in zip(panda.layers, plain.layers, strict=True):
        assert isinstance(own, PandaConv)
        assert isinstance(theirs, PlainConv)
        for half in (own.low, own.high):
            half.load_state_dict(theirs.conv.state_dict())
    masks = []
    for model, high in ((plain, {}), (panda, {"high": MIXED.high})):
        explainer = Explainer(
            model,
            AttentionExplainer(),
            explanation_type="model",
            edge_mask_type="object",
            model_config=CONFIG,
        )
        masks.append(explainer(MIXED.x, MIXED.edge_index, **high).edge_mask)
    torch.testing.assert_close(masks[0], masks[1], rtol=0, atol=1e-12)
    assert masks[0].min() > 0


def captum_masks(model: GNN, method: str) -> tuple[Tensor, Tensor]:
    """The masks of edges and of features that captum gives for node 3."""
    pytest.importorskip("captum")
    explainer = Explainer(
        model,
        CaptumExplainer(method),
        explanation_type="model",
        node_mask_type="attributes",
        edge_mask_type="object",
        model_config=CONFIG,
    )
    high = {"high": MIXED.high} if isinstance(model, PandaGNN) else {}
    explanation = explainer(MIXED.x, MIXED.edge_index, index=3, **high)
    return explanation.edge_mask, explanation.node_mask


@pytest.mark.filterwarnings("ignore:Input Tensor 0 did not already require")
@pytest.mark.parametrize("backbone", [*BACKBONES, GATv2Conv])
@pytest.mark.parametrize("kind", [GNN, PandaGNN])
def test_captums_saliency_is_the_gradient(kind: type[GNN], backbone: Any) -> None:
    model = model_of(kind, backbone)
    of_edges, of_features = captum_masks(model, "Saliency")
    mask = torch.ones(COUNT, dtype=torch.float64, requires_grad=True)
    x = MIXED.x.clone().requires_grad_()
    high = (MIXED.high,) if kind is PandaGNN else ()
    set_masks(model, mask, MIXED.edge_index, apply_sigmoid=False)
    out = model(x, MIXED.edge_index, *high)[3].max()
    expected = torch.autograd.grad(out, [mask, x])
    torch.testing.assert_close(of_edges.double(), expected[0].abs(), rtol=0, atol=1e-6)
    torch.testing.assert_close(of_features, expected[1].abs(), rtol=0, atol=1e-12)
    assert of_edges.count_nonzero() > 0


@pytest.mark.filterwarnings("ignore:Input Tensor 0 did not already require")
@pytest.mark.parametrize("kind", [GNN, PandaGNN])
def test_one_explainer_after_another(kind: type[GNN]) -> None:
    model = model_of(kind, "gcn")
    names = [name for name, _ in model.named_parameters()]
    expected = captum_masks(model, "Saliency")
    set_masks(model, nn.Parameter(torch.randn(COUNT)), MIXED.edge_index)
    assert [name for name, _ in model.named_parameters()] == names
    clear_masks(model)
    for one, other in zip(captum_masks(model, "Saliency"), expected, strict=True):
        assert torch.equal(one, other)


@pytest.mark.filterwarnings("ignore:Input Tensor 0 did not already require")
@pytest.mark.parametrize("method", ["IntegratedGradients", "InputXGradient"])
def test_captum_sees_the_plain_model_where_widths_and_weights_are_equal(method: str) -> None:
    plain, panda = model_of(GNN, GraphConv), model_of(PandaGNN, GraphConv, high_width=4)
    for own, theirs in zip(panda.layers, plain.layers, strict=True):
        assert isinstance(own, PandaConv)
        assert isinstance(theirs, PlainConv)
        for half in (own.low, own.high):
            half.load_state_dict(theirs.conv.state_dict())
    found, expected = captum_masks(panda, method), captum_masks(plain, method)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-6)


def test_layers_alone_can_be_explained() -> None:
    layer = model_of(PandaGNN, "gin").layers[0]
    partition = WidthPartition(MIXED.edge_index, MIXED.high)
    pair = partition.split(MIXED.x)
    set_masks(nn.ModuleList([layer]), torch.ones(COUNT), MIXED.edge_index, apply_sigmoid=False)
    masked = layer(pair, partition)
    clear_masks(nn.ModuleList([layer]))
    for one, other in zip(masked, layer(pair, partition), strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-12)
    assert partition.whole.mask is None


def test_a_mask_of_another_graph_is_refused() -> None:
    model = model_of(PandaGNN, "gcn")
    set_masks(model, torch.ones(COUNT - 1), MIXED.edge_index)
    with pytest.raises(InputError, match="the mask to explain has"):
        run(model)
