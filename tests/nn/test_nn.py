"""Layers and models on a device that is not the CPU, by what they compute and where."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, Data

import panda_gnn
from panda_gnn.nn import GNN, CommuteTimeGNN, PandaGNN
from panda_gnn.nn.models import BACKBONES
from panda_gnn.nn.selectors import SELECTORS
from tests.nn.elsewhere import DEVICE, Device, Elsewhere, back, sent
from tests.nn.graphs import masked, random_graph

SIZES: dict[str, Any] = {"width": 5, "num_layers": 2}


def graphs(count: int) -> Data:
    """A batch of random graphs with features, types and weights of edges, some nodes high."""
    generator = torch.Generator().manual_seed(0)
    made = []
    for seed in range(count):
        data = masked(random_graph(8, 0.4, seed), torch.arange(8) % 3 == 0)
        data.x = torch.randn(8, 3, generator=generator, dtype=torch.float64)
        data.edge_type = torch.randint(2, (data.num_edges,), generator=generator)
        data.edge_weight = torch.rand(data.num_edges, generator=generator, dtype=torch.float64)
        made.append(data)
    return Batch.from_data_list(made)


def options_of(backbone: str) -> dict[str, Any]:
    if backbone in ("rgcn", "rgin"):
        return {"num_relations": 2}
    return {"deg": torch.tensor([1, 3, 3, 2, 1])} if backbone == "pna" else {}


def plain(backbone: str = "gcn", **options: Any) -> Callable[[], nn.Module]:
    return lambda: GNN(3, 2, backbone=backbone, **SIZES, **options_of(backbone), **options)


def panda(backbone: str = "gcn", **options: Any) -> Callable[[], nn.Module]:
    return lambda: PandaGNN(
        3, 2, backbone=backbone, high_width=7, **SIZES, **options_of(backbone), **options
    )


MODELS: dict[str, Callable[[], nn.Module]] = {
    **{f"plain {name}": plain(name) for name in BACKBONES},
    **{f"panda {name}": panda(name) for name in (*BACKBONES, "sage", "gat", "pna")},
    **{f"released {name}": panda(name, variant="released") for name in BACKBONES},
    **{f"{kind} selector": panda(selector=kind) for kind in SELECTORS},
    "relu scores of a perceptron": panda(selector_hidden=4, score="relu"),
    "last layer alone": panda(panda_layers="last"),
    "norms and a head": panda(batch_norm=True, unit_norm=True, head_layers=2, residual=True),
    "one graph seen whole": plain("rgcn", last_layer_fa=True),
    "nodes": panda("gin", readout=None),
    "recomputed": panda(recompute=True),
    "commute times": lambda: CommuteTimeGNN(3, 2, centers=2, **SIZES),
}


def made(name: str) -> Any:
    torch.manual_seed(0)
    return MODELS[name]().double().eval()


def run(model: Any, data: Data, send: Callable[[Tensor], Tensor]) -> list[Tensor]:
    """Outputs and gradients of a model and of data on one device."""
    x = send(data.x.clone()).requires_grad_()
    options: dict[str, Any] = {"batch": send(data.batch)}
    if isinstance(model, PandaGNN):
        options["high"] = send(data.high)
    for name in ("edge_type", "edge_weight"):
        reads = name in model.reads and not isinstance(model, CommuteTimeGNN)
        if reads and (name == "edge_type" or isinstance(model, GNN)):
            options[name] = send(data[name])
    out = model(x, send(data.edge_index), **options)
    loss = out.square().sum() + getattr(model, "auxiliary_loss", 0.0)
    trained = [x, *(p for p in model.parameters() if p.requires_grad)]
    gradients = torch.autograd.grad(loss, trained, allow_unused=True)
    return [out, *(gradient for gradient in gradients if gradient is not None)]


@pytest.mark.parametrize("name", MODELS)
def test_another_device_computes_the_same_and_nothing_is_made_beside_it(name: str) -> None:
    model, data, more = made(name), graphs(2), graphs(4)
    with panda_gnn.backend("torch"):
        expected = run(model, data, lambda values: values)
    with Device() as device:
        found = run(sent(model), data, Elsewhere)
    for one, other in zip(found, expected, strict=True):
        assert one.device == DEVICE
        assert torch.equal(back(one), other)
    with Device() as larger:
        run(model, more, Elsewhere)
    assert larger.read == device.read  # the host waits as often however many graphs there are
