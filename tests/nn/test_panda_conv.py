"""Any PyG convolution made width-aware."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.nn import (
    FiLMConv,
    GATv2Conv,
    GINEConv,
    GraphConv,
    PNAConv,
    ResGatedGraphConv,
    RGCNConv,
    SAGEConv,
    TransformerConv,
)

from panda_gnn.errors import InputError
from panda_gnn.nn import (
    PandaConv,
    PandaGCNConv,
    PandaGINConv,
    PandaRGCNConv,
    PandaRGINConv,
    WidthPartition,
)
from panda_gnn.nn.gcn import GCNLayer
from panda_gnn.testing import assert_batch_invariant, assert_permutation_equivariant
from tests.nn.graphs import (
    CASES,
    MIXED,
    as_list,
    assert_states,
    masked,
    random_graph,
    random_states,
)
from tests.nn.literal import message

DEGREES = torch.tensor([0, 3, 5, 3, 1])
CONVOLUTIONS: dict[str, Callable[[int, int], nn.Module]] = {
    "GraphConv": lambda i, o: GraphConv(i, o),
    "SAGEConv": lambda i, o: SAGEConv(i, o),
    "GATv2Conv": lambda i, o: GATv2Conv(i, o, edge_dim=2),
    "TransformerConv": lambda i, o: TransformerConv(i, o, edge_dim=2),
    "ResGatedGraphConv": lambda i, o: ResGatedGraphConv(i, o, edge_dim=2),
    "FiLMConv": lambda i, o: FiLMConv(i, o, num_relations=3),
    "RGCNConv": lambda i, o: RGCNConv(i, o, num_relations=3),
    "GINEConv": lambda i, o: GINEConv(nn.Linear(i, o), edge_dim=2),
    "PNAConv": lambda i, o: PNAConv(
        i, o, ["mean", "max", "std"], ["identity", "amplification"], DEGREES, edge_dim=2
    ),
}


def with_edge_values(data: Data) -> Data:
    data = data.clone()
    generator = torch.Generator().manual_seed(1)
    shape = (data.num_edges, 2)
    data.edge_attr = torch.randn(shape, generator=generator, dtype=torch.float64)
    data.edge_type = torch.arange(data.num_edges) % 3
    return data


def partition_of(data: Data) -> WidthPartition:
    return WidthPartition(
        data.edge_index, data.high, edge_attr=data.edge_attr, edge_type=data.edge_type
    )


def literal(conv: Any, data: Data, x: tuple[Tensor, Tensor]) -> list[Tensor]:
    """Every edge brings a source of its own: what f or g makes of u for v, or u as it is."""
    h = as_list(data, *x)
    out: dict[int, Tensor] = {}
    for side, own in ((conv.low, ~data.high), (conv.high, data.high)):
        nodes = own.nonzero().view(-1).tolist()
        edges = [e for e in range(data.num_edges) if own[data.edge_index[1, e]]]
        if not nodes:
            continue
        rows = [h[v] for v in nodes]
        index = []
        for e in edges:
            u, v = data.edge_index[:, e].tolist()
            if u == v:  # a convolution may treat a self-loop as one
                index.append([nodes.index(v), nodes.index(v)])
                continue
            index.append([len(rows), nodes.index(v)])
            rows.append(message(conv, data.high, h, u, v))
        sources, targets = torch.stack(rows), torch.stack(rows[: len(nodes)])
        edge_index = torch.tensor(index, dtype=torch.long).reshape(-1, 2).t()
        values = {name: data[name][edges] for name in side.reads if name in data}
        given = (sources, targets) if side.bipartite else sources
        new = side.conv(given, edge_index, **values)[: len(nodes)]
        out |= dict(zip(nodes, new, strict=True))
    return [out[v] for v in range(data.num_nodes)]


@cache
def made_once(name: str) -> Any:
    """Making one takes longer than using it, because it is tried out."""
    torch.manual_seed(0)
    return PandaConv(CONVOLUTIONS[name], (4, 6), (5, 7)).double()


@pytest.mark.parametrize("name", CONVOLUTIONS)
@pytest.mark.parametrize("data", CASES)
def test_equals_the_framework(name: str, data: Data) -> None:
    conv = made_once(name)
    data = with_edge_values(data)
    x = random_states(data, 4, 6)
    assert_states(data, conv(x, partition_of(data)), literal(conv, data, x))


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_only_pna_is_not_bipartite(name: str) -> None:
    conv: Any = PandaConv(CONVOLUTIONS[name], (4, 6), (5, 7))
    assert conv.low.bipartite == (name != "PNAConv")


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_running_on_all_sources_gives_the_same(name: str) -> None:
    torch.manual_seed(0)
    conv: Any = PandaConv(CONVOLUTIONS[name], (4, 6), (5, 7)).double()
    data = with_edge_values(MIXED)
    x = random_states(data, 4, 6)
    expected = conv(x, partition_of(data))
    conv.low.bipartite = conv.high.bipartite = False
    found = conv(x, partition_of(data))
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-12)


def test_edge_attributes_reach_their_edges() -> None:
    """Changing the attribute of one edge changes its target, and nothing else."""
    torch.manual_seed(0)  # weights that leave no ReLU silent
    conv: Any = PandaConv(CONVOLUTIONS["GINEConv"], (4, 6), (5, 7)).double()
    data = with_edge_values(MIXED)
    x = random_states(data, 4, 6)
    before = partition_of(data).merge(*(part[:, :5] for part in conv(x, partition_of(data))))
    for edge in range(0, data.num_edges, 3):
        changed = data.clone()
        changed.edge_attr = data.edge_attr.clone()
        changed.edge_attr[edge] += 10.0
        partition = partition_of(changed)
        after = partition.merge(*(part[:, :5] for part in conv(x, partition)))
        moved = (after - before).abs().sum(1).nonzero().view(-1).tolist()
        assert moved == [int(data.edge_index[1, edge])]


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_order_and_batching_change_nothing(name: str) -> None:
    torch.manual_seed(0)
    conv: Any = PandaConv(CONVOLUTIONS[name], 3, (5, 7)).double()
    second = PandaConv(CONVOLUTIONS[name], (5, 7), 2).double()

    def model(data: Data) -> Tensor:
        partition = partition_of(data)
        pair = second(conv(partition.split(data.x), partition), partition)
        return partition.merge(*pair)

    assert_permutation_equivariant(model, with_edge_values(MIXED))
    other = masked(random_graph(9, 0.4, 5), torch.arange(9) < 4)
    assert_batch_invariant(model, [with_edge_values(g) for g in (MIXED, other, MIXED)])


def test_gradients() -> None:
    torch.manual_seed(0)
    conv: Any = PandaConv(
        CONVOLUTIONS["SAGEConv"], (4, 6), (4, 6), activation=torch.tanh, residual=True
    )
    conv = conv.double()
    partition = WidthPartition(MIXED.edge_index, MIXED.high)
    low, high = (part.requires_grad_() for part in random_states(MIXED, 4, 6))
    assert torch.autograd.gradcheck(lambda a, b: conv((a, b), partition), (low, high))


def test_repr() -> None:
    conv: Any = PandaConv(CONVOLUTIONS["SAGEConv"], (4, 6), (5, 7), selector="gated")
    assert repr(conv) == "PandaConv[SAGEConv](low=4 -> 5, high=6 -> 7, selector=gated)"


@pytest.mark.parametrize(
    "kind", [PandaGCNConv, PandaGINConv, PandaRGCNConv, PandaRGINConv, partial(PandaConv, SAGEConv)]
)
def test_layers_are_called_as_pygs_are(kind: Any) -> None:
    torch.manual_seed(0)
    x, edge_index, high = MIXED.x, MIXED.edge_index, MIXED.high
    partition = WidthPartition(edge_index, high)
    one = kind(3, 4).double().eval()
    expected = partition.merge(*one(partition.split(x), partition))
    for found in (one(x, edge_index, high), one(x, partition)):
        assert torch.equal(found, expected)
    first, second = kind(3, (4, 6)).double().eval(), kind((4, 6), 2).double().eval()
    pair = first(x, edge_index, high)
    assert [part.shape for part in pair] == [(8, 4), (4, 6)]
    low, wide = second(pair, edge_index, high)
    assert torch.equal(partition.merge(low, wide), partition.merge(*second(pair, partition)))


def test_layers_called_with_something_else() -> None:
    x, edge_index, high = MIXED.x, MIXED.edge_index, MIXED.high
    conv = PandaGCNConv(3, 4).double()
    weight = torch.rand(MIXED.num_edges, dtype=torch.float64)
    partition = WidthPartition(edge_index, high, edge_weight=weight)
    assert torch.equal(conv(x, edge_index, high, weight), conv(x, partition))
    with pytest.raises(InputError, match="edge_weight was given beside WidthPartition"):
        conv(x, partition, edge_weight=weight)
    with pytest.raises(InputError, match=r"PandaGCNConv needs the mask .* high=data\.high"):
        conv(x, edge_index)
    with pytest.raises(InputError, match=r"widths \(3, 5\): give the pair"):
        PandaGCNConv((3, 5), 4).double()(x, edge_index, high)
    with pytest.raises(InputError, match="x has 2 columns, but the model was made for in_chan"):
        conv(x[:, 1:], edge_index, high)
    with pytest.raises(InputError, match="high has 12 entries, but there are 11 nodes"):
        conv(x[1:], edge_index, high)
    with pytest.raises(InputError, match="PandaGCNConv does not use edge_type"):
        conv(x, edge_index, high, edge_type=torch.zeros(MIXED.num_edges, dtype=torch.long))


def test_f_starts_by_glorots_rule_and_is_reset_by_it() -> None:
    """Uniform up to sqrt(6 / (64 + 448)) = 0.108; a plain linear map would reach 0.125."""
    torch.manual_seed(0)
    layer = PandaConv(lambda i, o: GCNLayer(i, o), (64, 448), (3, 3))
    bound = (6 / (64 + 448)) ** 0.5
    assert layer.expand is not None
    for _ in range(2):
        largest = float(layer.expand.weight.detach().abs().max())
        assert 0.99 * bound < largest <= bound
        torch.nn.init.zeros_(layer.expand.weight)
        layer.reset_parameters()
