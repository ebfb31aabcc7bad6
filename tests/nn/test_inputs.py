"""Whatever does not fit together is refused in one sentence."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch_geometric import EdgeIndex
from torch_geometric.nn import GatedGraphConv, GINConv, SAGEConv

import panda_gnn
from panda_gnn.errors import InputError
from panda_gnn.nn import (
    GNN,
    ADGNLayer,
    CommuteTimeGNN,
    Edges,
    GCNLayer,
    GINLayer,
    PandaConv,
    PandaGCNConv,
    PandaGNN,
    PlainConv,
    RGCNLayer,
    RGINLayer,
)
from panda_gnn.nn import WidthPartition as Partition
from tests.nn.graphs import MIXED

X, EDGES, HIGH = MIXED.x, MIXED.edge_index, MIXED.high
COUNT = EDGES.size(1)


def plain(backbone: Any = "gcn", **options: Any) -> GNN:
    return GNN(3, 2, backbone=backbone, width=4, num_layers=1, **options).double().eval()


def panda(backbone: Any = "gcn", **options: Any) -> GNN:
    options = {"high_width": 6, "width": 4, "num_layers": 1} | options
    return PandaGNN(3, 2, backbone=backbone, **options).double().eval()


@pytest.mark.parametrize(
    ("x", "says"),
    [
        (X[0, 0], r"x must have the shape \[num_nodes, 3\], got \[\]"),
        (X[0], r"x must have the shape \[num_nodes, 3\], got \[3\]"),
        (X.long(), r"x is torch.int64, but node features are floating-point"),
        (X[:, :2], "x has 2 columns, but the model was made for in_channels=3"),
        (X.tolist(), r"x must have the shape \[num_nodes, 3\], got list"),
    ],
)
def test_x(x: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        plain()(x, EDGES)
    with pytest.raises(InputError, match=says):
        panda()(x, EDGES, HIGH)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("batch", torch.zeros(11, dtype=torch.long), "batch has 11 entries, but there are 12"),
        ("batch", torch.zeros(12), "batch must be the number of each node's graph, got torch.f"),
        ("edge_weight", torch.ones(COUNT - 1), f"edge_weight has {COUNT - 1} rows"),
        ("edge_weight", torch.tensor(1.0), "edge_weight has no rows"),
        ("edge_weight", torch.ones(COUNT, 2), "edge_weight has the shape"),
        ("edge_type", torch.ones(COUNT + 1).long(), f"edge_type has {COUNT + 1} rows"),
        ("edge_type", torch.ones(COUNT), "edge_type is torch.float32"),
    ],
)
def test_what_belongs_to_nodes_and_edges(name: str, value: Tensor, says: str) -> None:
    for model, high in ((plain("rgcn"), ()), (panda("rgcn"), (HIGH,))):
        with pytest.raises(InputError, match=says):
            model(X, EDGES, *high, **{name: value})


def test_high() -> None:
    for backend_input in (HIGH[:10], torch.cat([HIGH, HIGH])):
        with pytest.raises(InputError, match="entries, but there are 12 nodes"):
            panda()(X, EDGES, backend_input)
    with pytest.raises(InputError, match="high must be a boolean mask"):
        panda()(X, EDGES, HIGH.long())


def test_one_column_of_weights_is_a_weight_for_each_edge() -> None:
    weight = torch.rand(COUNT, dtype=torch.float64)
    model = plain()
    assert torch.equal(model(X, EDGES, weight.view(-1, 1)), model(X, EDGES, weight))


def test_nothing_is_given_beside_prepared_edges() -> None:
    edges, partition = Edges.of_graph(EDGES, 12), Partition(EDGES, HIGH)
    weight = torch.ones(COUNT)
    with pytest.raises(InputError, match="edge_weight was given beside Edges"):
        plain()(X, edges, edge_weight=weight)
    with pytest.raises(InputError, match="edge_weight was given beside WidthPartition"):
        panda()(X, partition, edge_weight=weight)
    with pytest.raises(InputError, match="high was given beside WidthPartition"):
        panda()(X, partition, HIGH)
    with pytest.raises(InputError, match=r"x has the shape \[11, 3\], but the edges have 12"):
        panda()(X[1:], partition)
    with pytest.raises(InputError, match="Edges, which knows no high nodes"):
        panda()(X, edges)


def test_prepared_edges_know_their_graphs() -> None:
    batch = torch.arange(12) // 6
    for options in ({}, {"last_layer_fa": True}):
        model = plain(**options)
        expected = model(X, EDGES, batch=batch)
        assert torch.equal(model(X, Edges.of_graph(EDGES, 12, batch=batch)), expected)
        assert torch.equal(model(X, Edges.of_graph(EDGES, 12), batch=batch), expected)


def test_values_that_no_layer_reads() -> None:
    with pytest.raises(InputError, match="gcn does not use edge_type: it reads edge_weight"):
        plain()(X, EDGES, edge_type=torch.zeros(COUNT, dtype=torch.long))
    with pytest.raises(InputError, match="gin does not use edge_attr: it reads edge_weight"):
        panda("gin")(X, EDGES, HIGH, edge_attr=torch.ones(COUNT, 2))
    with pytest.raises(InputError, match="SAGEConv does not use edge_weight: it reads no values"):
        plain(SAGEConv)(X, EDGES, edge_weight=torch.ones(COUNT))
    model = CommuteTimeGNN(3, 2, centers=2, width=4, num_layers=1).double()
    with pytest.raises(InputError, match="CommuteTimeGNN learns it"):
        model(X, EDGES, torch.ones(COUNT))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: plain(self_lops=True), "unknown option 'self_lops' .*did you mean self_loops?"),
        (lambda: plain(widht=3), "unknown option 'widht' of GNN .*did you mean width?"),
        (lambda: panda("gin", trian_eps=True), "did you mean train_eps?"),
        (lambda: panda(selektor="topk"), "'selektor' of PandaGNN with backbone gcn"),
        (lambda: plain(SAGEConv, agr="max"), "backbone SAGEConv: .*did you mean aggr?"),
        (lambda: plain(partial(SAGEConv), agr="max"), "backbone SAGEConv: .*did you mean aggr?"),
        (lambda: plain(lambda i, o: SAGEConv(i, o), aggr="max"), "unknown option 'aggr'"),
        (lambda: PandaGCNConv(3, 4, self_lops=True), "of PandaGCNConv: .*did you mean self_loops?"),
        (lambda: plain(num_relations=2), "unknown option 'num_relations'"),
        (lambda: plain(selector="topk"), "unknown option 'selector'"),
    ],
)
def test_options_that_nobody_takes(make: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        make()


def test_options_reach_the_class_of_a_convolution() -> None:
    assert plain(SAGEConv, aggr="max").layers[0].conv.conv.aggr == "max"  # type: ignore[union-attr]
    layer: Any = panda(SAGEConv, aggr="max", selector="sorted").layers[0]
    assert (layer.low.conv.aggr, layer.high.conv.aggr) == ("max", "max")
    last = panda(SAGEConv, aggr="max", panda_layers="last").layers[0]
    assert last.conv.conv.aggr == "max"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "make",
    [
        lambda conv: plain(conv),
        lambda conv: panda(conv),
        lambda conv: PandaConv(conv, 3, 4),
        lambda conv: PlainConv(conv, 3, 4),
    ],
)
def test_what_makes_no_convolutions(make: Any) -> None:
    with pytest.raises(InputError, match="is a SAGEConv, one module with one width"):
        make(SAGEConv(3, 4))
    with pytest.raises(InputError, match="is 7: give a class or function"):
        make(7)
    for kind in (GINConv, GatedGraphConv):
        with pytest.raises(InputError, match="is not made from input and output width"):
            make(kind)


def test_the_default_high_width_follows_the_width() -> None:
    assert PandaGNN(3, 2).high_width == 128
    assert PandaGNN(3, 2, width=16).high_width == 128
    assert PandaGNN(3, 2, width=256).high_width == 512


def test_other_kinds_of_edges() -> None:
    expected = plain()(X, EDGES)
    model = plain()
    model.load_state_dict(plain().state_dict())
    expected, found = model(X, EDGES), model(X, EdgeIndex(EDGES, sparse_size=(12, 12)))
    assert torch.equal(found, expected)
    for wrong in (torch.eye(12).to_sparse(), None, [[0], [1]]):
        with pytest.raises(InputError, match=r"to_edge_index\(adj_t.t\(\)\) as edge_index"):
            model(X, wrong)
        with pytest.raises(InputError, match=r"to_edge_index\(adj_t.t\(\)\) as edge_index"):
            panda()(X, wrong, HIGH)
    with pytest.raises(InputError, match="edge_index must be integers"):
        model(X, EDGES.bool())


def test_pygs_order_of_arguments() -> None:
    weight, batch = torch.rand(COUNT, dtype=torch.float64), torch.arange(12) // 6
    model = plain()
    found = model(X, EDGES, weight, None, batch, 2)
    assert torch.equal(found, model(X, EDGES, batch=batch, num_graphs=2, edge_weight=weight))
    aware = panda()
    found = aware(X, EDGES, HIGH, weight, None, batch, 2)
    expected = aware(X, EDGES, HIGH, batch=batch, num_graphs=2, edge_weight=weight)
    assert torch.equal(found, expected)


def test_functions_without_a_name_have_one() -> None:
    class Maker:
        def __call__(self, i: int, o: int) -> nn.Module:
            conv: nn.Module = SAGEConv(i, o)
            return conv

    assert plain(Maker()).backbone == "Maker"


def test_lists_are_no_tensors() -> None:
    with pytest.raises(InputError, match="high is of type list: give a tensor with one entry for"):
        panda()(X, EDGES, HIGH.tolist())
    with pytest.raises(InputError, match="batch is of type list"):
        plain()(X, EDGES, batch=[0] * 12)
    with pytest.raises(InputError, match=r"edge_weight is of type list: .* one row for each edge"):
        plain()(X, EDGES, edge_weight=[1.0] * COUNT)


def test_the_number_of_graphs_fits_the_batch() -> None:
    batch = torch.arange(12) // 6
    for model, high in ((plain(), ()), (panda(), (HIGH,))):
        with pytest.raises(InputError, match="num_graphs is 3, but without batch there is one"):
            model(X, EDGES, *high, num_graphs=3)
        with pytest.raises(InputError, match=r"num_graphs is 2.5, it must be a whole number"):
            model(X, EDGES, *high, batch=batch, num_graphs=2.5)
        assert model(X, EDGES, *high, num_graphs=1).shape == (1, 2)
        assert model(X, EDGES, *high, batch=batch, num_graphs=3).shape == (3, 2)
        with pytest.raises(InputError, match=r"batch must be the number of .*, got torch.uint8"):
            model(X, EDGES, *high, batch=batch.to(torch.uint8))


@pytest.mark.parametrize("name", ["compiled", "torch"])
@pytest.mark.parametrize("backbone", ["gcn", "gin", "rgcn", "sage"])
def test_edges_to_nodes_that_are_not_there(backbone: str, name: str) -> None:
    """Torch would take a negative number for a node counted from the end."""
    with panda_gnn.backend(name):
        for wrong in (-1, 12):
            for row in (0, 1):
                edges = EDGES.clone()
                edges[row, 3] = wrong
                for model, high in ((plain(backbone), ()), (panda(backbone), (HIGH,))):
                    with pytest.raises(
                        InputError, match=rf"edge .*{wrong}.*, but the graph has 12"
                    ):
                        model(X, edges, *high)


@pytest.mark.parametrize("kind", [torch.int32, torch.int16, torch.uint8])
def test_nodes_may_be_numbered_by_any_whole_numbers(kind: torch.dtype) -> None:
    """Torch would take uint8 for a mask."""
    for model, high in ((plain(), ()), (panda(), (HIGH,)), (panda("sage"), (HIGH,))):
        assert torch.equal(model(X, EDGES.to(kind), *high), model(X, EDGES, *high))


def test_pairs_of_states_fit_the_partition() -> None:
    partition = Partition(EDGES, HIGH)
    low, high = partition.split(torch.rand(12, 6))
    for layer in (PandaGCNConv((4, 6), 2), PandaConv(SAGEConv, (4, 6), 2)):
        assert len(layer((low[:, :4], high), partition)) == 2
        with pytest.raises(InputError, match=r"x has .* low and .* high rows, but the partition"):
            layer((low[1:, :4], high), partition)
        with pytest.raises(
            InputError, match="x has the widths 6 and 6, but the layer was made for 4"
        ):
            layer((low, high), partition)
        with pytest.raises(InputError, match="x has the widths"):
            layer((low[:, 0], high[:, 0]), partition)
        with pytest.raises(InputError, match=r"x is torch.int64"):
            layer((low[:, :4].long(), high.long()), partition)
        with pytest.raises(InputError, match=r"the pair \(x_low, x_high\)"):
            layer((low[:, :4], high, high), partition)


@pytest.mark.parametrize("widths", [1.5, 0, (3,), (1, 2, 3), "8", (8, 1.5), True, None])
def test_widths_are_one_or_two_positive_numbers(widths: Any) -> None:
    with pytest.raises(InputError, match=r"in_channels is .*, it must be one or two positive"):
        PandaGCNConv(widths, 4)
    with pytest.raises(InputError, match=r"out_channels is .*, it must be one or two positive"):
        PandaConv(SAGEConv, 4, widths)


@pytest.mark.parametrize("kind", [GCNLayer, GINLayer, RGCNLayer, RGINLayer, ADGNLayer])
def test_a_convolution_is_called_with_states_and_edges_that_fit(kind: Any) -> None:
    layer, edges = kind(3, 4).double(), Edges.of_graph(EDGES, 12)
    with pytest.raises(InputError, match=f"{kind.__name__} is called with Edges, not with Tensor"):
        layer(X, EDGES)
    for rows in (X[1:], torch.cat([X, X])):
        with pytest.raises(InputError, match=r"x has the shape .*, but the edges have 12 sources"):
            layer(rows, edges)
    with pytest.raises(InputError, match=r"x is torch.int64, but states of nodes are floating"):
        layer(X.long(), edges)
