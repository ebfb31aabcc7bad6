"""PyG's convolutions as backbones by name, plain and width-aware."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from panda_gnn.errors import InputError
from panda_gnn.evaluation.methods import configure
from panda_gnn.evaluation.trial import run_trial
from panda_gnn.nn import GNN, PandaGNN
from panda_gnn.nn.backbones import PYG_BACKBONES
from panda_gnn.nn.convolution import small_graph, split_result
from panda_gnn.nn.panda_conv import PandaConv
from tests.nn.graphs import MIXED

DEGREES = torch.tensor([1, 3, 3, 2, 1])


def options(name: str) -> dict[str, Any]:
    return {"deg": DEGREES} if name == "pna" else {}


@pytest.mark.parametrize("name", PYG_BACKBONES)
def test_equal_widths_and_weights_give_the_plain_convolution(name: str) -> None:
    x, partition = small_graph(6, torch.float64)
    make = PYG_BACKBONES[name]
    layer = PandaConv(lambda i, o: make(i, o, **options(name)), 6, 6).double().eval()
    expected = layer.low(x, partition.whole)
    torch.testing.assert_close(split_result(layer.low, layer.low, x, partition), expected)


@pytest.mark.parametrize("name", PYG_BACKBONES)
def test_models_by_name(name: str) -> None:
    x, partition = small_graph(5, torch.float32)
    edge_index, high = partition.whole.in_graph_order().edge_index, partition.high
    plain = GNN(5, 3, backbone=name, width=8, num_layers=2, **options(name)).eval()
    panda = PandaGNN(5, 3, backbone=name, width=8, high_width=12, num_layers=2, **options(name))
    assert plain(x, edge_index).shape == (1, 3)
    out = panda.eval()(x, edge_index, high)
    assert out.shape == (1, 3)
    assert bool(out.isfinite().all())
    assert plain.backbone == panda.backbone == name


@pytest.mark.parametrize("name", PYG_BACKBONES)
def test_a_trial_with_each(name: str) -> None:
    settings: dict[str, Any] = {"k": 3, "high_width": 80, "centrality": "degree"}
    for method, given in (("none", {}), ("panda", settings)):
        row = run_trial(configure("mutag", name, method, given, max_epochs=1), 0)
        assert row["epochs"] == 1


def test_pna_needs_the_degrees() -> None:
    with pytest.raises(InputError, match="'pna' needs deg"):
        GNN(5, 3, backbone="pna")


@pytest.mark.parametrize("backbone", ["gat", "gatv2", "pna", "transformer"])
@pytest.mark.parametrize("kind", [GNN, PandaGNN])
def test_features_of_edges_that_nobody_reads_are_refused(kind: type[GNN], backbone: str) -> None:
    model = kind(3, 2, width=4, backbone=backbone, **options(backbone))
    given: dict[str, Any] = {"edge_attr": torch.rand(MIXED.num_edges, 2)}
    if kind is PandaGNN:
        given["high"] = MIXED.high
    with pytest.raises(InputError, match="does not use edge_attr"):
        model(torch.rand(MIXED.num_nodes, 3), MIXED.edge_index, **given)


def test_features_of_edges_have_the_columns_they_were_promised() -> None:
    model = GNN(3, 2, width=4, backbone="gat", edge_dim=3)
    x, edge_attr = torch.rand(MIXED.num_nodes, 3), torch.rand(MIXED.num_edges, 4)
    with pytest.raises(InputError, match="edge_attr has 4 columns, but GATConv was made for"):
        model(x, MIXED.edge_index, edge_attr=edge_attr)
