"""The compiled kernels against plain torch, and the switch between them."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize
from torch_geometric.data import Batch, Data

import panda_gnn
from panda_gnn.errors import InputError
from panda_gnn.nn import (
    GNN,
    Edges,
    GCNLayer,
    GINLayer,
    PandaGCNConv,
    PandaGINConv,
    PandaGNN,
    WidthPartition,
)
from panda_gnn.nn.backend import current_backend
from panda_gnn.nn.models import BACKBONES
from panda_gnn.nn.propagate import can_fuse, propagate
from tests.nn.graphs import CASES, GRAPHS, MIXED, random_states

SPLIT = (MIXED.edge_index, MIXED.high)
TOLERANCE: dict[str, Any] = {"rtol": 0, "atol": 1e-12}


def model(
    kind: type[GNN], backbone: str = "gcn", dtype: Any = torch.float64, **options: Any
) -> GNN:
    torch.manual_seed(0)
    if kind is PandaGNN:
        options["high_width"] = 7
    made = kind(3, 2, backbone=backbone, width=5, num_layers=2, **options)
    return made.to(dtype).eval()


def both(compute: Callable[[], Any]) -> tuple[Any, Any]:
    """What a computation gives with kernels and without."""
    found = compute()
    with panda_gnn.backend("torch"):
        expected = compute()
    return found, expected


def run(network: GNN, data: Data, **options: Any) -> list[Tensor]:
    """The output, and the gradients of a sum of squares with respect to inputs and parameters."""
    x = data.x.to(next(network.parameters()).dtype).requires_grad_()
    high = (data.high,) if isinstance(network, PandaGNN) else ()
    batch = data.batch if isinstance(data, Batch) else None
    out = network(x, data.edge_index, *high, batch=batch, **options)
    wanted = [x, *(p for p in network.parameters() if p.requires_grad)]
    wanted += [value for value in options.values() if value.requires_grad]
    found = torch.autograd.grad(out.square().sum(), wanted, allow_unused=True)
    return [out, *(torch.zeros(()) if value is None else value for value in found)]


def assert_same(network: GNN, data: Data, tolerance: float = 1e-12, **options: Any) -> None:
    for found, expected in zip(*both(lambda: run(network, data, **options)), strict=True):
        torch.testing.assert_close(found, expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize("data", CASES)
def test_equals_torch_on_odd_graphs(data: Data) -> None:
    for backbone in BACKBONES:
        assert_same(model(GNN, backbone), data)
        assert_same(model(PandaGNN, backbone), data)


@pytest.mark.parametrize(
    "options",
    [
        {"selector": "sorted"},
        {"selector": "gated"},
        {"selector": "linear"},
        {"selector_hidden": 6},
        {"selector_hidden": 6, "selector": "gated"},
        {"score": "relu"},
        {"variant": "released"},
        {"panda_layers": "last"},
        {"residual": True},
    ],
    ids=str,
)
@pytest.mark.parametrize("backbone", BACKBONES)
def test_equals_torch_with_options(backbone: str, options: dict[str, Any]) -> None:
    assert_same(model(PandaGNN, backbone, **options), Batch.from_data_list(GRAPHS))


@pytest.mark.parametrize("kind", [GNN, PandaGNN])
@pytest.mark.parametrize("backbone", ["gcn", "gin"])
def test_equals_torch_with_layer_options(backbone: str, kind: type[GNN]) -> None:
    options: dict[str, list[dict[str, Any]]] = {
        "gcn": [{"self_loops": True, "bias": True}, {"self_loops": False, "bias": False}],
        "gin": [{"eps": 0.3}, {"eps": 0.3, "train_eps": True}, {"hidden_norm": False}],
    }
    for layer_options in options[backbone]:
        assert_same(model(kind, backbone, **layer_options), MIXED)


@pytest.mark.parametrize("learns", [False, True])
@pytest.mark.parametrize("kind", [GNN, PandaGNN])
@pytest.mark.parametrize("backbone", BACKBONES)
def test_equals_torch_with_edge_weights(backbone: str, kind: type[GNN], learns: bool) -> None:
    weight = torch.rand(MIXED.num_edges, dtype=torch.float64) - 0.2
    assert_same(model(kind, backbone), MIXED, edge_weight=weight.requires_grad_(learns))


@pytest.mark.parametrize("kind", [GNN, PandaGNN])
@pytest.mark.parametrize("backbone", BACKBONES)
def test_equals_torch_in_float32(backbone: str, kind: type[GNN]) -> None:
    """Rounding differs; where no two logits come as close as that, the results agree."""
    assert_same(model(kind, backbone, torch.float32), MIXED, tolerance=2e-4)


def test_readouts_and_last_layers() -> None:
    batch = Batch.from_data_list(GRAPHS)
    assert_same(model(GNN, last_layer_fa=True), batch)
    assert_same(model(GNN, readout=None), batch)
    assert_same(model(PandaGNN, readout=None), batch)


def test_edges_and_states_may_lie_anyhow_in_memory() -> None:
    x, edge_index = MIXED.x.t().contiguous().t(), MIXED.edge_index.t().contiguous().t()
    high = torch.stack([MIXED.high] * 2, 1)[:, 0]
    plain, panda = model(GNN), model(PandaGNN)
    torch.testing.assert_close(*both(lambda: plain(x, edge_index)), **TOLERANCE)
    torch.testing.assert_close(*both(lambda: panda(x, edge_index, high)), **TOLERANCE)


def test_gradients_by_finite_differences() -> None:
    weight = torch.rand(MIXED.num_edges, dtype=torch.float64, requires_grad=True)
    loop = torch.rand(12, dtype=torch.float64, requires_grad=True)
    x = torch.randn(12, 4, dtype=torch.float64, requires_grad=True)
    edges = Edges.of_graph(MIXED.edge_index, 12)
    assert torch.autograd.gradcheck(lambda *a: propagate(a[0], edges, *a[1:]), (x, weight, loop))
    partition = WidthPartition(MIXED.edge_index, MIXED.high)
    conv = PandaGCNConv((4, 6), (4, 6), self_loops=True, activation=torch.tanh).double()
    low, high = (part.requires_grad_() for part in random_states(MIXED, 4, 6))
    assert torch.autograd.gradcheck(lambda a, b: conv((a, b), partition), (low, high))
    assert conv.expand is not None
    loss = sum(part.square().sum() for part in conv((low, high), partition))
    (found,) = torch.autograd.grad(loss, conv.expand.weight)
    with panda_gnn.backend("torch"):
        loss = sum(part.square().sum() for part in conv((low, high), partition))
        (expected,) = torch.autograd.grad(loss, conv.expand.weight)
    torch.testing.assert_close(found, expected, **TOLERANCE)


@pytest.mark.parametrize("backend", ["compiled", "torch"])
def test_edges_used_in_inference_mode_serve_training_too(backend: str) -> None:
    with panda_gnn.backend(backend):
        plain, edges = model(GNN), Edges.of_graph(MIXED.edge_index, 12)
        panda, partition = model(PandaGNN), WidthPartition(MIXED.edge_index, MIXED.high)
        with torch.inference_mode():
            expected = plain(MIXED.x, edges), panda(MIXED.x, partition)
        found = plain(MIXED.x, edges), panda(MIXED.x, partition)
        (found[0].sum() + found[1].sum()).backward()
    assert torch.equal(found[0], expected[0])
    assert torch.equal(found[1], expected[1])


def test_the_switch() -> None:
    assert current_backend() == "compiled"
    with panda_gnn.backend("torch"):
        assert current_backend() == "torch"
    assert current_backend() == "compiled"
    with pytest.raises(ZeroDivisionError), panda_gnn.backend("torch"):
        print(1 // 0)
    assert current_backend() == "compiled"
    panda_gnn.backend("torch")
    assert current_backend() == "torch"
    panda_gnn.backend("compiled")
    with pytest.raises(InputError, match="unknown backend 'cuda': choose one of compiled, torch"):
        panda_gnn.backend("cuda")


def test_a_stored_switch_can_be_entered_again() -> None:
    stored = panda_gnn.backend("torch")
    panda_gnn.backend("compiled")
    for _ in range(2):
        with stored:
            assert current_backend() == "torch"
            with stored:
                assert current_backend() == "torch"
            assert current_backend() == "torch"
        assert current_backend() == "compiled"
    with panda_gnn.backend("torch") as outer, panda_gnn.backend("compiled"):
        with outer:
            assert current_backend() == "torch"
        assert current_backend() == "compiled"
    assert current_backend() == "compiled"


class Doubled(nn.Module):
    """Another f."""

    def __init__(self, linear: nn.Module) -> None:
        super().__init__()
        self.linear = linear

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = 2 * self.linear(x)
        return out


@pytest.mark.parametrize("channels", [((3, 5), (4, 6)), ((9, 9), (2, 3))], ids=str)
@pytest.mark.parametrize("kind", [PandaGCNConv, PandaGINConv])
@pytest.mark.parametrize(
    "path",
    ["low", "high", "expand", "selector", "selector.eta", "selector.eta.first", "low.linear"],
)
def test_a_hooked_module_is_called(path: str, kind: Any, channels: Any) -> None:
    conv = kind(*channels).double()
    if path == "low.linear" and kind is PandaGINConv:
        path = "low.mlp.0"
    if channels[0][0] == channels[0][1] and path.startswith(("expand", "selector")):
        return
    calls = []
    module = conv.get_submodule(path)
    module.register_forward_hook(lambda *_: calls.append(path))
    states, partition = random_states(MIXED, *channels[0]), WidthPartition(*SPLIT)
    found = conv(states, partition)
    assert calls == [path]
    with panda_gnn.backend("torch"):
        expected = conv(states, partition)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, **TOLERANCE)


@pytest.mark.parametrize("kind", [PandaGCNConv, PandaGINConv])
def test_a_replaced_or_parametrised_module_is_used(kind: Any) -> None:
    conv = kind((3, 5), (4, 6)).double()
    states, partition = random_states(MIXED, 3, 5), WidthPartition(*SPLIT)
    conv.expand = Doubled(conv.expand)
    changed = conv(states, partition)[1]
    conv.expand = nn.Linear(3, 5, bias=False).double()
    conv.expand.weight.data = 2 * torch.ones_like(conv.expand.weight)
    parametrize.register_parametrization(conv.expand, "weight", nn.Identity())
    parametrize.register_parametrization(conv.selector.eta.first, "weight", nn.ReLU())
    found = conv(states, partition)
    assert not torch.equal(found[1], changed)
    with panda_gnn.backend("torch"):
        expected = conv(states, partition)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, **TOLERANCE)


def test_a_quantised_model_runs() -> None:
    network = model(PandaGNN, dtype=torch.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        quantised = torch.ao.quantization.quantize_dynamic(network, {nn.Linear})
    out = quantised(MIXED.x.float(), MIXED.edge_index, MIXED.high)
    expected = network(MIXED.x.float(), MIXED.edge_index, MIXED.high)
    torch.testing.assert_close(out, expected, rtol=0, atol=0.02)
    assert expected.detach().abs().max() > 0.2
    assert not torch.equal(out, expected)


def test_the_switch_is_seen_in_the_repr() -> None:
    layers = [PandaGCNConv((4, 6), (4, 6)), GCNLayer(3, 4), GINLayer(3, 4)]
    assert all("backend=compiled" in repr(layer) for layer in layers)
    with panda_gnn.backend("torch"):
        assert all("backend=torch" in repr(layer) for layer in layers)
        assert repr(layers[0]).endswith("selector=topk, backend=torch)")


@pytest.mark.thorough
def test_importing_compiles_nothing() -> None:
    code = (
        "import sys, panda_gnn\n"
        "assert 'torch' not in sys.modules\n"
        "import panda_gnn.nn, panda_gnn.transforms\n"
        "from panda_gnn.graph.compiled import _announcer\n"
        "assert not [kernel for kernel in _announcer.kernels if kernel.overloads]\n"
        "from panda_gnn.nn.kernels.jit import Kernel\n"
        "files = [m for n, m in sys.modules.items() if n.startswith('panda_gnn.nn.kernels.')]\n"
        "kernels = [v for m in files for v in vars(m).values() if isinstance(v, Kernel)]\n"
        "assert len(kernels) > 10 and not any(kernels)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.thorough
@pytest.mark.parametrize("backbone", ["gcn", "gin"])
def test_compile_and_export_take_the_torch_path(backbone: str) -> None:
    """Compiles with TorchDynamo, twice."""
    network = model(PandaGNN, backbone)
    inputs = (MIXED.x, MIXED.edge_index, MIXED.high)
    expected = network(*inputs)
    torch._dynamo.reset()
    traced = torch.compile(network, backend="aot_eager", fullgraph=True)
    torch.testing.assert_close(traced(*inputs), expected, **TOLERANCE)
    exported = torch.export.export(network, inputs).module()
    torch.testing.assert_close(exported(*inputs), expected, **TOLERANCE)
    others = (MIXED.x, MIXED.edge_index, ~MIXED.high)
    torch.testing.assert_close(exported(*others), network(*others), **TOLERANCE)


def test_transforms_and_other_types_take_the_torch_path() -> None:
    network = model(PandaGNN)

    def of_x(x: Tensor) -> Tensor:
        out: Tensor = network(x, MIXED.edge_index, MIXED.high)
        return out

    expected = torch.autograd.functional.jacobian(of_x, MIXED.x)
    torch.testing.assert_close(torch.func.jacrev(of_x)(MIXED.x), expected, **TOLERANCE)
    torch.testing.assert_close(torch.func.jacfwd(of_x)(MIXED.x), expected, **TOLERANCE)
    copies = torch.stack([MIXED.x, 2 * MIXED.x])
    torch.testing.assert_close(torch.func.vmap(of_x)(copies)[1], of_x(2 * MIXED.x), **TOLERANCE)
    half = network.bfloat16()(MIXED.x.bfloat16(), MIXED.edge_index, MIXED.high)
    assert half.dtype == torch.bfloat16


def test_wrong_inputs_get_a_sentence_and_no_crash() -> None:
    network, panda = model(GNN), model(PandaGNN)
    wrong = torch.tensor([[0, 12], [1, 2]])
    with pytest.raises(InputError, match=r"the edge \(12, 2\), but the graph has 12 nodes"):
        network(MIXED.x, wrong)
    with pytest.raises(InputError, match=r"the edge \(12, 2\), but the graph has 12 nodes"):
        panda(MIXED.x, wrong, MIXED.high)
    with pytest.raises(InputError, match=r"x has the shape \[12, 3\], but the edges have 20"):
        network(MIXED.x, Edges.of_graph(MIXED.edge_index, 20))
    batch = torch.full((12,), 3)
    with pytest.raises(InputError, match="node 0 into graph 3, but num_graphs is 2"):
        network(MIXED.x, MIXED.edge_index, batch=batch, num_graphs=2)
    with pytest.raises(InputError, match="batch has 11 entries, but there are 12 nodes"):
        network(MIXED.x, MIXED.edge_index, batch=batch[:11], num_graphs=4)
    edges = Edges.of_graph(MIXED.edge_index, 12)
    with pytest.raises(InputError, match="loop has 5 entries, but the edges have 12 targets"):
        propagate(MIXED.x, edges, loop=torch.ones(5))
    partition = WidthPartition(MIXED.edge_index, MIXED.high)
    conv = PandaGCNConv(4, 5).double()
    with pytest.raises(InputError, match="x has the widths 4 and 6, but the layer was made for"):
        conv(random_states(MIXED, 4, 6), partition)
    with pytest.raises(InputError, match="x has 3 low and 4 high rows"):
        conv((torch.ones(3, 4).double(), torch.ones(4, 4).double()), partition)
    x = MIXED.x.clone().requires_grad_()
    with pytest.raises(InputError, match=r"no second derivatives: call panda_gnn\.backend"):
        torch.autograd.grad(network(x, MIXED.edge_index).sum(), x, create_graph=True)


@pytest.mark.parametrize(
    ("selector", "fused"), [("topk", True), ("sorted", True), ("gated", False), ("linear", False)]
)
def test_which_layers_store_no_message(selector: str, fused: bool) -> None:
    """The numbers are the same either way: only the time tells."""
    conv = PandaGCNConv((5, 7), (5, 7), selector=selector).double()
    partition = WidthPartition(*SPLIT)
    low, high = int((~MIXED.high).sum()), int(MIXED.high.sum())
    x = torch.rand(low, 5, dtype=torch.float64), torch.rand(high, 7, dtype=torch.float64)
    assert can_fuse(x, partition, conv.expand, conv.selector) is fused
    assert can_fuse(x, partition, None, None)
    assert not can_fuse(x, partition, conv.expand, None)
    assert not can_fuse((x[0], x[1].float()), partition, conv.expand, conv.selector)
    weight = torch.rand(MIXED.num_edges, dtype=torch.float64)
    weighted = WidthPartition(*SPLIT, edge_weight=weight)
    assert can_fuse(x, weighted, conv.expand, conv.selector) is fused
    weight.requires_grad_()
    assert not can_fuse(x, weighted, conv.expand, conv.selector)
