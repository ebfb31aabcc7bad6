"""Existing models made width-aware."""

from __future__ import annotations

import io
import pickle
from copy import deepcopy
from typing import Any

import pytest
import torch
import torch_geometric.nn as pyg
from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv, SAGEConv
from torch_geometric.utils import dropout_edge

from panda_gnn.errors import InputError
from panda_gnn.nn import PandaConv, PandaGNN, to_panda
from panda_gnn.testing import assert_permutation_equivariant
from tests.marks import thorough
from tests.nn.graphs import random_graph

PNA = {
    "aggregators": ["mean", "max", "std"],
    "scalers": ["identity", "amplification"],
    "deg": torch.tensor([1, 3, 4, 2]),
}
BASIC: dict[str, dict[str, Any]] = {
    "GCN": {},
    "GraphSAGE": {"aggr": "max"},
    "GIN": {"train_eps": True},
    "GAT": {"heads": 2},
    "PNA": PNA,
    "EdgeCNN": {},
}
STACKS: list[dict[str, Any]] = [
    {},
    {"norm": "batch_norm", "act": "elu", "out_channels": 4},
    {"norm": "batch_norm", "jk": "cat", "act_first": True, "out_channels": 4},
    {"norm": "layer_norm", "norm_kwargs": {"mode": "node"}, "jk": "max"},
    {"norm": "diff_group_norm", "norm_kwargs": {"groups": 2}, "jk": "last"},
    {"norm": nn.LayerNorm(8, elementwise_affine=False), "jk": "last"},
    {"jk": "lstm", "act": "prelu", "out_channels": 4, "dropout": 0.3},
]
GRAPH = random_graph(14, 0.3, 3)
HIGH = torch.arange(14) % 3 == 0
BATCH = torch.arange(14) // 7
X = torch.randn(14, 6, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
ROWS = {
    "edge_weight": torch.rand(GRAPH.num_edges, dtype=torch.float64) + 0.1,
    "edge_attr": torch.rand(GRAPH.num_edges, 3, dtype=torch.float64),
    "edge_type": torch.arange(GRAPH.num_edges) % 2,
}


def basic(name: str, hidden: int = 8, **options: Any) -> Any:
    torch.manual_seed(1)
    make = getattr(pyg.models, name)
    return perturbed(make(6, hidden, 3, **BASIC[name], **options))


def perturbed(model: nn.Module) -> Any:
    """A model with weights and running statistics unlike those it starts with, in float64."""
    model = model.double().eval()
    with torch.no_grad():
        for value in model.state_dict().values():
            if value.is_floating_point():
                value.add_(0.1 * torch.rand_like(value))
    return model


def convert(model: nn.Module, high_width: int, **options: Any) -> Any:
    return to_panda(model, high_width, **options)


def tied(model: nn.Module) -> Any:
    """A converted model whose high side has the weights of its low side."""
    for module in model.modules():
        sides = dict(module.named_children())
        if {"low", "high"} <= set(sides):
            sides["high"].load_state_dict(sides["low"].state_dict())
    return model


class Residual(nn.Module):
    """Encoder, residual blocks, a learned number, joined states, read-out and head."""

    def __init__(self) -> None:
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(6, 8), nn.ReLU())
        self.blocks = nn.ModuleList(Block() for _ in range(2))
        self.mlp = pyg.MLP([16, 12, 8], norm="batch_norm")
        self.scale = nn.Parameter(torch.tensor(0.7))
        self.last = SAGEConv(8, 5)
        self.head = nn.Sequential(nn.Linear(5, 5), nn.Tanh(), nn.Linear(5, 2))

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        x = first = self.encode(x)
        for block in self.blocks:
            x = x + self.scale * block(x, edge_index)
        x = self.mlp(torch.cat([x, first], dim=-1))
        x = self.last(F.dropout(x, 0.2, self.training), edge_index).relu()
        out: Tensor = self.head(pyg.global_mean_pool(x, batch))
        return out


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm = GCNConv(8, 8), nn.BatchNorm1d(8)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        return F.leaky_relu(self.norm(self.conv(x, edge_index)), 0.2)


class Around(nn.Module):
    """A model of PyG, a pooling module and a head, called with a graph."""

    def __init__(self) -> None:
        super().__init__()
        self.gnn = pyg.GIN(6, 8, 2, norm="batch_norm")
        self.pool = pyg.SumAggregation()
        self.head = nn.Linear(8, 2)

    def forward(self, data: Any) -> Tensor:
        out: Tensor = self.head(self.pool(self.gnn(data.x, data.edge_index), data.batch))
        return out


class Stack(nn.Module):
    """Convolutions with an activation between them, given all that edges have."""

    def __init__(self, *convs: nn.Module, between: nn.Module | None = None) -> None:
        super().__init__()
        self.convs = nn.ModuleList(convs)
        self.between = nn.ReLU() if between is None else between

    def forward(self, x: Tensor, edge_index: Tensor, **_: Any) -> Tensor:
        for i, conv in enumerate(self.convs):
            x = conv(self.between(x) if i else x, edge_index)
        return x


class Attributed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = pyg.GATv2Conv(6, 4, heads=2, edge_dim=3)
        self.second = pyg.RGCNConv(8, 8, num_relations=2, aggr="add")
        self.third = pyg.GraphConv(8, 4, aggr="max")

    def forward(
        self, x: Tensor, edge_index: Tensor, weight: Tensor, attr: Tensor, kind: Tensor
    ) -> Tensor:
        x = self.first(x, edge_index, edge_attr=attr).tanh()
        x = self.second(x, edge_index, kind).tanh()
        out: Tensor = self.third(x, edge_index, weight)
        return out


@pytest.mark.parametrize("stack", STACKS, ids=str)
@pytest.mark.parametrize("name", BASIC)
def test_with_equal_widths_and_weights_it_is_the_model(name: str, stack: dict[str, Any]) -> None:
    model = basic(name, **stack)
    converted = tied(convert(model, 8, keep_weights=True))
    found = converted(X, GRAPH.edge_index, HIGH)
    torch.testing.assert_close(found, model(X, GRAPH.edge_index), rtol=0, atol=1e-12)
    convs = [module for module in converted.modules() if isinstance(module, PandaConv)]
    assert len(convs) == 3
    assert found.requires_grad


def test_residual_blocks_joined_states_and_a_head() -> None:
    model = perturbed(Residual())
    converted = tied(convert(model, 8, keep_weights=True))
    expected = model(X, GRAPH.edge_index, BATCH)
    found = converted(X, GRAPH.edge_index, HIGH, BATCH)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)
    wide = convert(model, 12)
    assert wide.blocks.get_submodule("0").conv.in_channels == (8, 12)
    assert wide.mlp.high.channel_list == [24, 18, 12]
    assert wide.last.out_channels == (5, 5)
    assert isinstance(wide.head.get_submodule("0"), nn.Linear)
    assert wide(X, GRAPH.edge_index, HIGH, BATCH).shape == (2, 2)


def test_a_model_of_pyg_inside_another_one() -> None:
    model = perturbed(Around())
    data = Data(x=X, edge_index=GRAPH.edge_index, batch=BATCH)
    converted = tied(convert(model, 8, keep_weights=True))
    torch.testing.assert_close(converted(data, HIGH), model(data), rtol=0, atol=1e-12)


def test_values_of_edges_reach_the_layers() -> None:
    model = perturbed(Attributed())
    converted = tied(convert(model, 8, keep_weights=True))
    expected = model(X, GRAPH.edge_index, *ROWS.values())
    found = converted(X, GRAPH.edge_index, HIGH, *ROWS.values())
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)
    torch.testing.assert_close(
        tied(convert(basic("GCN"), 8, keep_weights=True))(
            X, GRAPH.edge_index, HIGH, ROWS["edge_weight"]
        ),
        basic("GCN")(X, GRAPH.edge_index, ROWS["edge_weight"]),
        rtol=0,
        atol=1e-12,
    )


def test_it_is_the_models_own_width_aware_counterpart() -> None:
    """A converted GCN is PandaGNN with PyG's GCNConv, given the same weights."""
    options: dict[str, Any] = {
        "width": 8,
        "high_width": 12,
        "num_layers": 2,
        "dropout": 0.0,
        "readout": None,
    }
    expected = PandaGNN(6, 4, backbone=GCNConv, **options).double().eval()
    converted = convert(basic("GCN", out_channels=4), 12)
    for layer, other in zip(converted.convs.children(), expected.layers, strict=True):
        layer.load_state_dict(other.state_dict())
    torch.testing.assert_close(
        converted(X, GRAPH.edge_index, HIGH), expected(X, GRAPH.edge_index, HIGH)
    )


@pytest.mark.parametrize("name", BASIC)
def test_high_nodes_are_wider_and_the_order_of_nodes_does_not_matter(name: str) -> None:
    converted = convert(basic(name, norm="batch_norm", jk="cat", out_channels=4), 12)
    widths = [m.out_channels for m in converted.modules() if isinstance(m, PandaConv)]
    assert widths == [(8, 12)] * 3
    assert converted.lin.high.in_features == 36
    data = Data(x=X, edge_index=GRAPH.edge_index, high=HIGH)
    assert_permutation_equivariant(lambda d: converted(d.x, d.edge_index, d.high), data)


@pytest.mark.parametrize("name", ["GCN", "PNA", *thorough("GraphSAGE", "GIN", "GAT", "EdgeCNN")])
def test_it_learns_is_pickled_and_keeps_its_state(name: str) -> None:
    torch.manual_seed(0)
    model = convert(basic(name, norm="batch_norm", dropout=0.1, out_channels=2).train(), 12)
    target = torch.arange(14) % 2
    optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=0.03)
    losses = []
    for _ in range(25):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(X, GRAPH.edge_index, HIGH), target)
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.7 * losses[0]
    for parameter in model.parameters():
        assert parameter.grad is not None or not parameter.requires_grad
    model.eval()
    expected = model(X, GRAPH.edge_index, HIGH)
    buffer = io.BytesIO()
    torch.save(model.state_dict(), buffer)
    buffer.seek(0)
    fresh = convert(basic(name, norm="batch_norm", dropout=0.1, out_channels=2), 12)
    assert not torch.equal(fresh(X, GRAPH.edge_index, HIGH), expected)
    fresh.load_state_dict(torch.load(buffer))
    for other in (fresh, pickle.loads(pickle.dumps(model)), deepcopy(model)):
        assert torch.equal(other(X, GRAPH.edge_index, HIGH), expected)


def test_a_residual_model_is_pickled_too() -> None:
    model = convert(perturbed(Residual()), 12)
    other = pickle.loads(pickle.dumps(model))
    given = (X, GRAPH.edge_index, HIGH, BATCH)
    assert torch.equal(other(*given), model(*given))


def test_low_nodes_keep_trained_weights_only_if_asked_to() -> None:
    model = basic("GIN", norm="batch_norm", jk="cat", out_channels=4)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    kept, fresh = convert(model, 12, keep_weights=True), convert(model, 12)
    for name, value in model.state_dict().items():
        assert torch.equal(value, before[name])
    for i in range(3):
        own = model.convs[i].state_dict()
        low = kept.convs.get_submodule(str(i)).low.conv.state_dict()
        assert all(torch.equal(low[name], value) for name, value in own.items())
        reset = fresh.convs.get_submodule(str(i)).low.conv.state_dict()
        assert not torch.equal(reset["nn.lins.0.weight"], own["nn.lins.0.weight"])
    assert torch.equal(kept.lin.low.weight, model.lin.weight)
    assert torch.equal(
        kept.norms.get_submodule("0").low.module.running_mean, model.norms[0].module.running_mean
    )
    none_high = torch.zeros(14, dtype=torch.bool)
    torch.testing.assert_close(
        kept(X, GRAPH.edge_index, none_high), model(X, GRAPH.edge_index), rtol=0, atol=1e-12
    )


def test_dropout_follows_the_mode_of_the_new_model() -> None:
    converted = convert(perturbed(Residual()), 12)
    given = (X, GRAPH.edge_index, HIGH, BATCH)
    assert torch.equal(converted(*given), converted(*given))
    converted.train()
    assert not torch.equal(converted(*given), converted(*given))


class Gate(nn.Module):
    """A model with a gate of one column, and dropout as it is told."""

    def __init__(self, drops: str = "training", adds: bool = False) -> None:
        super().__init__()
        self.first, self.gate, self.second = GCNConv(6, 8), nn.Linear(8, 1), GCNConv(8, 3)
        self.drops, self.adds = drops, adds

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        x = self.first(x, edge_index)
        x = x * torch.sigmoid(self.gate(x))
        x = F.dropout(x, 0.5, training=self.training or self.drops == "always")
        if self.adds and self.training:
            x = x + 1
        out: Tensor = self.second(x, edge_index)
        return out


def test_a_gate_of_one_column_stays_one_column() -> None:
    model = convert(Gate(), 12)
    assert model(X.float(), GRAPH.edge_index, HIGH).shape == (GRAPH.num_nodes, 3)
    assert model.get_submodule("gate.high").weight.shape == (1, 12)


def test_what_differs_between_the_modes_is_not_lost() -> None:
    with pytest.raises(InputError, match="dropout with the same training in both modes"):
        convert(Gate("always"), 12)
    for mode in (True, False):
        with pytest.raises(InputError, match="something else in training than in evaluation"):
            convert(Gate(adds=True).train(mode), 12)


class Turned(nn.Module):
    """A model that turns its edges round, and needs one more argument."""

    def __init__(self) -> None:
        super().__init__()
        self.convs = nn.ModuleList([GCNConv(6, 8), GCNConv(8, 8)])
        self.head = nn.Linear(8, 3)

    def forward(self, x: Tensor, edge_index: Tensor, scale: Tensor) -> Tensor:
        turned = edge_index.flip(0)
        for conv in self.convs:
            x = F.relu(conv(x, turned))
        out: Tensor = self.head(x) * scale
        return out


def test_high_stands_behind_the_edges_where_the_model_changes_them() -> None:
    data = random_graph(9, 0.4, 0)
    data.x = torch.rand(9, 6, dtype=torch.float64)
    converted = convert(Turned().double(), 12)
    names = [node.name for node in converted.graph.nodes if node.op == "placeholder"]
    assert names == ["x", "edge_index", "high", "scale"]
    high = torch.arange(9) % 3 == 0
    out = converted(data.x, data.edge_index, high, torch.tensor(2.0))
    assert torch.equal(out, 2 * converted(data.x, data.edge_index, high, torch.tensor(1.0)))


def test_selector_options_and_functions_that_make_layers() -> None:
    model = basic("GCN")
    converted = convert(model, 12, selector="gated", score="relu")
    assert converted.convs.get_submodule("1").selector_kind == "gated"
    calls = []

    def make(conv: GCNConv, i: int, o: int) -> GCNConv:
        calls.append((i, o))
        return GCNConv(i, o)

    convert(model, 12, make={GCNConv: make})
    assert (8, 8) in calls
    assert (12, 12) in calls


class Keeping(SAGEConv):
    """A convolution that does not keep what it was made with."""

    def __init__(self, in_channels: int, out_channels: int, depth: int = 1) -> None:
        super().__init__(in_channels, out_channels)
        self.inner = nn.Linear(depth, depth)


class Branching(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = GCNConv(6, 6)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        if x.sum() > 0:
            return x
        out: Tensor = self.conv(x, edge_index)
        return out


class InputAdded(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = GCNConv(6, 6), GCNConv(6, 6)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        out: Tensor = self.second(x + self.first(x, edge_index), edge_index)
        return out


class EdgesDropped(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = GCNConv(6, 6)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        edge_index, _ = dropout_edge(edge_index, training=self.training)
        out: Tensor = self.conv(x, edge_index)
        return out


class Shared(nn.Module):
    """One norm for states between layers and for scores, which have one width."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second, self.norm = GCNConv(6, 8), GCNConv(8, 8), nn.BatchNorm1d(8)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        out: Tensor = self.norm(self.second(self.norm(self.first(x, edge_index)), edge_index))
        return out


class InputJoined(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = GCNConv(6, 8), GCNConv(14, 8)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        out: Tensor = self.second(torch.cat([x, self.first(x, edge_index)], dim=1), edge_index)
        return out


class Scaled(nn.Module):
    """A number for every column, which a wider state has none for."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = GCNConv(6, 8), GCNConv(8, 8)
        self.scale = nn.Parameter(torch.ones(8))

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        out: Tensor = self.second(self.scale * self.first(x, edge_index), edge_index)
        return out


class Pooled(nn.Module):
    """Every layer is read out, so that all its states need one width."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = GCNConv(6, 8), GCNConv(8, 8)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        x = self.first(x, edge_index)
        read = pyg.global_add_pool(x, batch)
        out: Tensor = read + pyg.global_add_pool(self.second(x, edge_index), batch)
        return out


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (pyg.GCN(6, 8, 3, norm="graph_norm"), r"convs\.1 \(GCNConv\).*norms\.0 \(GraphNorm\)"),
        (pyg.GCN(6, 8, 3, norm="layer_norm"), r"norms\.0 \(LayerNorm\) needs all nodes"),
        (pyg.GCN(6, 8, 1), "no states between two layers"),
        (nn.Linear(6, 8), "calls no convolution"),
        (Branching(), "cannot be traced by torch.fx"),
        (InputAdded(), "the function add needs all nodes of a graph at one width"),
        (EdgesDropped(), "dropout_edge, which must know whether the model is training"),
        (Scaled(), "the function mul needs all nodes of a graph at one width"),
        (InputJoined(), r"second \(GCNConv\).*the function cat needs"),
        (Shared(), "norm of Shared is called with states of different widths"),
        (Pooled(), r"second \(GCNConv\).*the function global_add_pool"),
        (pyg.GraphSAGE(-1, 8, 2), r"convs\.0 \(SAGEConv\) has the widths -1 and 8"),
        (pyg.GAT(6, 8, 3, heads=4), "has 4 heads.*choose a high_width that 4 divides"),
        (Stack(SAGEConv(6, 8), Keeping(8, 8, depth=2)), r"convs\.1 \(Keeping\).*make=\{Keeping"),
        (Stack(SAGEConv(6, 8), pyg.SGConv(8, 8, K=3)), "SGConv cannot be made width-aware"),
        (Stack(SAGEConv(6, 8), SAGEConv(8, 8), between=nn.Softmax(0)), r"between \(Softmax\)"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, nn.Module) else None,
)
def test_what_cannot_be_converted_is_named(model: nn.Module, message: str) -> None:
    with pytest.raises(InputError, match=message):
        convert(model, 10)


def test_arguments_are_checked() -> None:
    with pytest.raises(InputError, match="high_width is 7, it must be a whole number of at least"):
        convert(basic("GCN"), 7)
    with pytest.raises(InputError, match=r"unknown option 'selecter' of to_panda: .*did you mean"):
        convert(basic("GCN"), 12, selecter="gated")
