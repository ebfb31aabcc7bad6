"""The stack that plain and width-aware models share."""

from __future__ import annotations

import pickle
from functools import partial
from typing import Any, cast

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GCNConv, SAGEConv

from panda_gnn.errors import InputError
from panda_gnn.nn import (
    GNN,
    CoGNN,
    DRewGNN,
    Edges,
    GCNLayer,
    GINELayer,
    PandaConv,
    PandaGNN,
    PlainConv,
    RoleGNN,
    WidthPartition,
)
from panda_gnn.nn.explain import EdgeMask
from panda_gnn.nn.models import BACKBONES
from panda_gnn.testing import (
    assert_batch_invariant,
    assert_permutation_equivariant,
    assert_reduces_to,
)
from tests.marks import thorough
from tests.nn.graphs import ATOMS, BONDS, CASES, GRAPHS, MIXED, masked, molecules, random_graph

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
    if "edge_attr" in model.reads:
        options.setdefault("edge_attr", data.get("edge_attr"))
    high = (data.high,) if isinstance(model, PandaGNN) else ()
    out: Tensor = model(data.x, data.edge_index, *high, batch=batch, **options)
    return out


def edges_of(data: Data) -> Edges:
    return Edges.of_graph(data.edge_index, data.num_nodes)


@pytest.mark.parametrize(
    ("panda_layers", "variant"),
    [("all", "paper"), ("all", "released"), ("last", "paper"), *thorough(("last", "released"))],
)
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
def test_without_high_nodes_it_is_the_plain_model(backbone: str, options: dict[str, Any]) -> None:
    counterpart, model = plain(backbone, **options), panda(backbone, **options)
    for own, theirs in zip(model.layers, counterpart.layers, strict=True):
        own.low.load_state_dict(theirs.conv.state_dict())
    graphs = [masked(graph, graph.high & False) for graph in GRAPHS]
    assert_reduces_to(lambda d: run(model, d), lambda d: run(counterpart, d), graphs)


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
    counterpart = GNN(3, 2, backbone=lambda i, o: SAGEConv(i, o), width=5).double().eval()
    assert_batch_invariant(lambda data: run(counterpart, data), [MIXED, OTHER])


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
    with pytest.raises(InputError, match="unknown backbone 'gta': choose one of gcn, gin"):
        GNN(3, 2, backbone="gta")
    with pytest.raises(InputError, match="high_width is 32, it must be at least width \\(64\\)"):
        PandaGNN(3, 2, high_width=32)
    with pytest.raises(InputError, match=r"pass high=data\.high"):
        PandaGNN(3, 2)(MIXED.x, MIXED.edge_index)
    with pytest.raises(InputError, match="unknown panda_layers 'first'"):
        PandaGNN(3, 2, panda_layers="first")
    with pytest.raises(InputError, match="unknown readout 'max'"):
        GNN(3, 2, readout="max")
    with pytest.raises(InputError, match="num_layers must be a whole number, 1 or more, not 0"):
        GNN(3, 2, num_layers=0)
    with pytest.raises(InputError, match="last_layer_fa is an option of GNN"):
        PandaGNN(3, 2, last_layer_fa=True)
    with pytest.raises(InputError, match="unknown variant 'mine': choose one of paper, released"):
        PandaGNN(3, 2, variant="mine")
    with pytest.raises(InputError, match="unknown backbone 'gine' of the variant 'released'"):
        PandaGNN(3, 2, backbone="gine", edge_categories=BONDS, variant="released")
    with pytest.raises(InputError, match="'gine' needs edge_dim or edge_categories"):
        GNN(3, 2, backbone="gine")
    with pytest.raises(InputError, match="share_edge_encoder is for the backbone 'gine'"):
        GNN(3, 2, share_edge_encoder=True)
    with pytest.raises(InputError, match="edge_categories is for the backbone 'gine'"):
        GNN(3, 2, edge_categories=BONDS)
    with pytest.raises(InputError, match="activate_layers=False needs a model with head"):
        GNN(3, 2, activate_layers=False)
    with pytest.raises(InputError, match="unknown mlp_activation 'gelv'"):
        GNN(3, 2, backbone="gine", edge_categories=BONDS, mlp_activation="gelv")
    with pytest.raises(InputError, match="unknown activation 'tanh': choose one of relu, gelu"):
        GNN(3, 2, activation="tanh")
    with pytest.raises(InputError, match="head_layers must be a whole number, zero or more"):
        GNN(3, 2, head_layers=-1)


@pytest.mark.parametrize("kind", [GNN, PandaGNN])
@pytest.mark.parametrize(
    ("options", "says"),
    [
        *(({"dropout": p}, "dropout must be a number from 0 to 1") for p in (2, -0.1, torch.nan)),
        *(({name: 1.5}, f"{name} must be a whole number") for name in ("width", "num_layers")),
        *(({"in_channels": n}, "in_channels must be a whole") for n in (-1, 7.0, None, "7")),
        *(({"in_channels": n}, r"in_channels\[1\] must be") for n in ([3, 2.5], [3, 0])),
        ({"in_channels": []}, "in_channels is empty"),
        *(({"out_channels": n}, "out_channels must be a whole") for n in (0, 2.5, None)),
        *(({name: "no"}, f"{name} must be True or False") for name in ("batch_norm", "residual")),
        *(({name: 1}, f"{name} must be True or False") for name in ("unit_norm", "recompute")),
    ],
)
def test_options_of_the_wrong_kind_are_named(
    kind: type[GNN], options: dict[str, Any], says: str
) -> None:
    with pytest.raises(InputError, match=says):
        kind(**{"in_channels": 3, "out_channels": 2} | options)


def test_widths_of_high_nodes_and_of_numpy() -> None:
    for wrong in (0, 128.5, "128"):
        with pytest.raises(InputError, match="high_width must be a whole number, 1 or more"):
            PandaGNN(3, 2, high_width=wrong)  # type: ignore[arg-type]
    three, two, four = (cast(int, np.int64(number)) for number in (3, 2, 4))
    model = GNN(three, two, width=four)
    assert model(MIXED.x.float(), MIXED.edge_index).shape == (1, 2)


RECIPES: dict[str, dict[str, Any]] = {
    "dwivedi": {"batch_norm": True, "unit_norm": True},
    "toenshoff": {"activation": "gelu", "batch_norm": False, "residual": True, "head_layers": 3},
}


def molecule_model(kind: type[GNN] = GNN, **options: Any) -> GNN:
    """A model of categories with a head."""
    bonds = {"edge_categories": BONDS} if options.get("backbone") == "gine" else {}
    return kind(ATOMS, 3, **({"head_layers": 1, "dropout": 0.0} | bonds | options))


def trained_statistics(model: GNN) -> GNN:
    """The model in double precision with batch norms that do something."""
    torch.manual_seed(3)
    model = model.double()
    for module in model.modules():
        if isinstance(module, nn.BatchNorm1d):
            nn.init.normal_(module.weight)
            nn.init.normal_(module.bias)
            assert module.running_mean is not None
            module.running_mean.normal_()
    return model.eval()


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_gcn_with_a_head_is_the_literal_recipe(recipe: str) -> None:
    model = molecule_model(width=6, num_layers=3, **RECIPES[recipe])
    model = trained_statistics(model)
    for data in molecules():
        nodes = int(data.num_nodes or 0)
        matrix = torch.eye(nodes, dtype=torch.float64)
        source, target = data.edge_index
        matrix[target, source] = 1.0
        scale = matrix.sum(1).rsqrt()
        matrix = scale.view(-1, 1) * matrix * scale
        assert model.encoder is not None
        x = model.encoder(data.x)
        for i, layer in enumerate(model.layers):
            assert isinstance(layer, PlainConv)
            assert isinstance(layer.conv, GCNLayer)
            out = matrix @ x @ layer.conv.linear.weight.t()
            if model.norms:
                x = model.norms[i](out).relu()
                x = x / x.norm(dim=1, keepdim=True).clamp(min=1e-12)
            else:
                x = x + F.gelu(out + layer.conv.linear.bias)
        x = x.mean(0, keepdim=True)
        for i, linear in enumerate(model.head):
            x = linear(F.gelu(x) if i else x)
        torch.testing.assert_close(run(model, data), x)


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("backbone", ["gcn", "gine"])
@pytest.mark.parametrize("panda_layers", ["last", "all"])
def test_without_high_nodes_it_is_the_plain_model_on_molecules(
    panda_layers: str, backbone: str, recipe: str
) -> None:
    options: dict[str, Any] = {"width": 6, "num_layers": 3, "backbone": backbone}
    options |= RECIPES[recipe]
    plain = trained_statistics(molecule_model(**options))
    panda = molecule_model(PandaGNN, high_width=9, panda_layers=panda_layers, **options).double()
    for name in ("encoder", "norms", "head"):
        getattr(panda, name).load_state_dict(getattr(plain, name).state_dict())
    for ours, theirs in zip(panda.layers, plain.layers, strict=True):
        assert isinstance(ours, PandaConv | PlainConv)
        assert isinstance(theirs, PlainConv)
        target = ours.low if isinstance(ours, PandaConv) else ours.conv
        target.load_state_dict(theirs.conv.state_dict())
    panda.eval()
    for data in molecules():
        data.high = torch.zeros_like(data.high)
        torch.testing.assert_close(run(panda, data), run(plain, data))


@pytest.mark.parametrize("backbone", ["gcn", "gine"])
@pytest.mark.parametrize("panda_layers", ["last", "all"])
def test_order_and_batching_change_nothing_on_molecules(panda_layers: str, backbone: str) -> None:
    options: dict[str, Any] = {"width": 6, "high_width": 9, "num_layers": 3, "residual": True}
    options |= {"backbone": backbone, "panda_layers": panda_layers, "batch_norm": True}
    model = trained_statistics(molecule_model(PandaGNN, **options))
    graphs = molecules()
    for data in graphs:
        assert_permutation_equivariant(lambda d: run(model, d), data, level="graph")
    assert_batch_invariant(lambda d: run(model, d), graphs)


@pytest.mark.parametrize("panda_layers", ["last", "all"])
def test_everything_that_should_learn_gets_a_gradient(panda_layers: str) -> None:
    options: dict[str, Any] = {"width": 6, "high_width": 9, "num_layers": 3, "batch_norm": True}
    model = molecule_model(PandaGNN, panda_layers=panda_layers, **options)
    run(model, Batch.from_data_list(molecules())).square().sum().backward()
    for name, parameter in model.named_parameters():
        assert (parameter.grad is not None) == parameter.requires_grad, name
        assert "eta" in name or parameter.requires_grad, name


@pytest.mark.parametrize("kind", [GNN, PandaGNN])
def test_layers_of_one_width_share_an_edge_encoder(kind: type[GNN]) -> None:
    options: dict[str, Any] = {"backbone": "gine", "width": 6, "num_layers": 4}
    options |= {"high_width": 9, "panda_layers": "all"} if kind is PandaGNN else {}
    shared = molecule_model(kind, share_edge_encoder=True, **options).double().eval()
    apart = molecule_model(kind, **options).double().eval()
    encoders = {id(m.edge_encoder) for m in shared.modules() if isinstance(m, GINELayer)}
    assert len(encoders) == (2 if kind is PandaGNN else 1)
    rows = sum(BONDS)
    fewer = apart.num_parameters.trained - shared.num_parameters.trained
    assert fewer == rows * (3 * 6 if kind is GNN else 4 * 6 + 2 * 9)
    apart.load_state_dict(shared.state_dict())
    for data in molecules():
        assert torch.equal(run(shared, data), run(apart, data))
    other = pickle.loads(pickle.dumps(shared))
    assert other.num_parameters == shared.num_parameters


def test_one_layer_and_one_high_node() -> None:
    for panda_layers in ("last", "all"):
        options: dict[str, Any] = {"width": 6, "high_width": 9, "num_layers": 1, "residual": True}
        model = molecule_model(PandaGNN, panda_layers=panda_layers, batch_norm=True, **options)
        data = molecules()[4]
        data.high = torch.arange(data.high.numel()) == 2
        assert run(model.train(), data).shape == (1, 3)


def test_the_benchmarks_gcn_has_its_published_size() -> None:
    atoms = (119, 5, 12, 12, 10, 6, 6, 2, 2)
    model = GNN(atoms, 10, width=300, num_layers=5, batch_norm=True, head_layers=1)
    assert model.num_parameters == (508210, 0)


@pytest.mark.parametrize("head_layers", [0, 2])
@pytest.mark.parametrize("panda_layers", ["last", "all"])
@pytest.mark.parametrize("backbone", BACKBONES)
def test_norms_activation_and_head_are_options_of_every_model(
    backbone: str, panda_layers: str, head_layers: int
) -> None:
    options: dict[str, Any] = {"activation": "gelu", "batch_norm": True, "unit_norm": True}
    options |= {"residual": True, "head_layers": head_layers}
    for model in (
        plain(backbone, **options),
        panda(backbone, panda_layers=panda_layers, **options),
    ):
        assert_batch_invariant(partial(run, model), GRAPHS[::3])
        run(model.train(), Batch.from_data_list(GRAPHS)).sum().backward()
        missing = [n for n, p in model.named_parameters() if p.requires_grad and p.grad is None]
        assert missing == []


@pytest.mark.parametrize("head_layers", [0, 1])
@pytest.mark.parametrize("panda_layers", ["last", "all"])
def test_states_lead_to_the_scores(panda_layers: str, head_layers: int) -> None:
    model = panda(panda_layers=panda_layers, head_layers=head_layers)
    partition = WidthPartition(MIXED.edge_index, MIXED.high)
    states = model.states(MIXED.x, partition)
    assert len(states) == len(model.layers)
    out = model.read(partition.merge(*states[-1]), None, None)
    assert torch.equal(out, run(model, MIXED))
    other = plain(head_layers=head_layers)
    states = other.states(MIXED.x, edges_of(MIXED))
    assert torch.equal(other.read(states[-1], None, None), run(other, MIXED))


@pytest.mark.parametrize("backbone", [*BACKBONES, SAGEConv, lambda i, o: SAGEConv(i, o)])
@pytest.mark.parametrize("kind", [plain, panda])
def test_models_pickle(kind: Any, backbone: Any) -> None:
    model = kind(backbone)
    again = pickle.loads(pickle.dumps(model))
    assert torch.equal(run(again, MIXED), run(model, MIXED))
    assert again.backbone == model.backbone


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("kind", [panda, *thorough(plain)])
@pytest.mark.parametrize("backbone", ["gcn", *thorough("gin", "rgcn", "rgin")])
def test_training_compiles_into_one_graph(backbone: str, kind: Any) -> None:
    """Compiles with TorchDynamo."""
    torch._dynamo.reset()
    options: dict[str, Any] = {"dropout": 0.0, "batch_norm": True}
    if backbone.startswith("r"):
        options["num_relations"] = 2
    found, expected = kind(backbone, **options).train(), kind(backbone, **options).train()
    compiled = torch.compile(found, backend="eager", fullgraph=True)
    high = (MIXED.high,) if kind is panda else ()
    values = {"edge_type": torch.arange(MIXED.num_edges) % 2} if backbone.startswith("r") else {}
    for _ in range(2):
        outs = [m(MIXED.x, MIXED.edge_index, *high, **values) for m in (compiled, expected)]
        torch.testing.assert_close(*outs, rtol=0, atol=1e-10)
        for out in outs:
            out.square().sum().backward()
    for one, other in zip(found.parameters(), expected.parameters(), strict=True):
        torch.testing.assert_close(one.grad, other.grad, rtol=0, atol=1e-9)
    for one, other in zip(found.buffers(), expected.buffers(), strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-12)


def test_a_subclass_needs_no_constructor_of_its_own() -> None:
    class Named(GNN):
        """A model with another name."""

    edge_index = torch.tensor([[0, 1], [1, 0]])
    assert Named(3, 2, width=4, num_layers=1)(torch.ones(2, 3), edge_index).shape == (1, 2)


@pytest.mark.parametrize("model", [plain(), panda()], ids=["plain", "panda"])
def test_a_forward_pass_walks_over_no_modules(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What layers read is looked up only where edges have values; masks cost one module each."""

    def modules(*_: object, **__: object) -> Any:
        raise AssertionError

    expected = run(model, MIXED)
    masks = [module for module in model.modules() if isinstance(module, EdgeMask)]
    assert len(masks) == 3
    assert not any(list(mask.children()) for mask in masks)
    monkeypatch.setattr(nn.Module, "named_modules", modules)
    found = model(MIXED.x, MIXED.edge_index, *([MIXED.high] if isinstance(model, PandaGNN) else []))
    assert torch.equal(found, expected)


@pytest.mark.parametrize(
    ("kind", "backbone", "more"),
    [
        (GNN, "gcn", {}),
        (GNN, "rgcn", {}),
        (PandaGNN, "gcn", {"high_width": 7}),
        (PandaGNN, "rgcn", {"high_width": 7}),
        (CoGNN, "gcn", {}),
        (DRewGNN, "gcn", {}),
        (RoleGNN, "gcn", {"num_roles": 2, "rung": "widths", "widths": (5, 7)}),
    ],
)
def test_layers_that_run_again_give_the_same_gradients(
    kind: Any, backbone: str, more: dict[str, Any]
) -> None:
    """Bit for bit, dropout and chosen actions included; what is kept are the states between."""
    found = []
    values = {
        DRewGNN: {"edge_type": torch.arange(MIXED.num_edges) % 3},
        RoleGNN: {"role": MIXED.high.long()},
    }.get(kind, {})
    for recompute in (False, True):
        torch.manual_seed(0)
        options = {"recompute": recompute, "backbone": backbone, "width": 5, "num_layers": 2}
        model = kind(3, 2, **options | more).to(MIXED.x.dtype)
        kept: list[Tensor] = []

        def keep(tensor: Tensor, kept: list[Tensor] = kept) -> Tensor:
            kept.append(tensor)
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            out = run(model.train(), MIXED, **values)
        out.square().sum().backward()
        gradients = [p.grad for p in model.parameters() if p.requires_grad]
        found.append((out, gradients, sum(tensor.numel() for tensor in kept)))
    (out, gradients, size), (again, same, smaller) = found
    assert torch.equal(again, out)
    for one, other in zip(same, gradients, strict=True):
        assert (one is None) == (other is None)
        assert one is None or torch.equal(one, other)
    assert smaller < size


def test_layers_with_batch_norm_do_not_run_again() -> None:
    with pytest.raises(InputError, match="recompute=True runs every layer twice"):
        GNN(3, 2, batch_norm=True, recompute=True)
    with pytest.raises(InputError, match="this model has batch norms"):
        PandaGNN(3, 2, backbone="gin", recompute=True)
