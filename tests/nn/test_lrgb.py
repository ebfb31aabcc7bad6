"""Models of the long-range benchmark against literal twins."""

from __future__ import annotations

from typing import Any, TypeVar

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GINEConv

from panda_gnn.errors import InputError
from panda_gnn.nn import Edges, GCNLayer, PandaConv, PlainConv
from panda_gnn.nn.categories import CategoryEncoder, GINELayer
from panda_gnn.nn.lrgb import Finish, LongRangeGNN, PandaLongRangeGNN
from panda_gnn.testing import assert_batch_invariant, assert_permutation_equivariant
from tests.odd_graphs import ODD_GRAPHS

ATOMS, BONDS = (4, 3), (2, 5, 3)
RECIPES: dict[str, dict[str, Any]] = {
    "dwivedi": {"batch_norm": True, "unit_norm": True},
    "toenshoff": {"activation": "gelu", "batch_norm": False, "residual": True, "head_layers": 3},
}


Model = TypeVar("Model", bound=LongRangeGNN)


def molecules() -> list[Data]:
    """Odd graphs with categories on nodes and edges, some nodes high."""
    made = []
    generator = torch.Generator().manual_seed(0)
    for graph in ODD_GRAPHS.values():
        nodes, edges = int(graph.num_nodes or 0), graph.num_edges
        columns = [torch.randint(size, (nodes,), generator=generator) for size in ATOMS]
        bonds = [torch.randint(size, (edges,), generator=generator) for size in BONDS]
        made.append(
            Data(
                x=torch.stack(columns, dim=1),
                edge_index=graph.edge_index,
                edge_attr=torch.stack(bonds, dim=1),
                high=torch.rand(nodes, generator=generator) < 0.4,
                num_nodes=nodes,
            )
        )
    return made


def run(model: LongRangeGNN, data: Data) -> Tensor:
    batch = data.batch if isinstance(data, Batch) else None
    options = {"batch": batch, "edge_attr": data.edge_attr}
    high = (data.high,) if isinstance(model, PandaLongRangeGNN) else ()
    out: Tensor = model(data.x, data.edge_index, *high, **options)
    return out


def trained_statistics(model: Model) -> Model:
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


def test_categories_are_sums_of_rows_of_tables() -> None:
    encoder = CategoryEncoder(ATOMS, 6)
    x = molecules()[0].x
    tables = encoder.weight.split(ATOMS)
    expected = sum(table[column] for table, column in zip(tables, x.t(), strict=True))
    torch.testing.assert_close(encoder(x), expected)
    assert repr(encoder) == "CategoryEncoder([4, 3] -> 6)"
    with pytest.raises(InputError, match=r"whole numbers of shape \[n, 2\], got torch.float32"):
        encoder(torch.zeros(3, 2))


def test_gine_is_pygs_gine_with_embedded_bonds() -> None:
    data = molecules()[-1]
    layer = GINELayer(6, 4, BONDS).double()
    x = torch.randn(int(data.num_nodes or 0), 6, dtype=torch.float64)
    edges = Edges.of_graph(data.edge_index, x.size(0), edge_attr=data.edge_attr)
    expected = GINEConv(layer.mlp)(x, data.edge_index, layer.edge_encoder(data.edge_attr))
    torch.testing.assert_close(layer(x, edges), expected)
    with pytest.raises(InputError, match="give edge_attr"):
        layer(x, Edges.of_graph(data.edge_index, x.size(0)))


@pytest.mark.parametrize("recipe", RECIPES)
def test_gcn_is_the_literal_recipe(recipe: str) -> None:
    model = LongRangeGNN(3, ATOMS, width=6, num_layers=3, **RECIPES[recipe])
    model = trained_statistics(model)
    for data in molecules():
        nodes = int(data.num_nodes or 0)
        matrix = torch.eye(nodes, dtype=torch.float64)
        source, target = data.edge_index
        matrix[target, source] = 1.0
        scale = matrix.sum(1).rsqrt()
        matrix = scale.view(-1, 1) * matrix * scale
        x = model.encoder(data.x)
        for layer, finish in zip(model.layers, model.finish, strict=True):
            assert isinstance(layer, PlainConv)
            assert isinstance(layer.conv, GCNLayer)
            assert isinstance(finish, Finish)
            out = matrix @ x @ layer.conv.linear.weight.t()
            if finish.norm is not None:
                x = finish.norm(out).relu()
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
def test_panda_without_high_nodes_is_the_plain_model(
    panda_layers: str, backbone: str, recipe: str
) -> None:
    options: dict[str, Any] = {"width": 6, "num_layers": 3, "backbone": backbone}
    options |= RECIPES[recipe]
    plain = LongRangeGNN(3, ATOMS, BONDS, **options)
    plain = trained_statistics(plain)
    panda = PandaLongRangeGNN(
        3, ATOMS, BONDS, high_width=9, panda_layers=panda_layers, **options
    ).double()
    for name in ("encoder", "finish", "head"):
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
def test_node_order_and_batching_change_nothing(panda_layers: str, backbone: str) -> None:
    model = PandaLongRangeGNN(
        2, ATOMS, BONDS, high_width=9, panda_layers=panda_layers, backbone=backbone, width=6,
        num_layers=3, residual=True,
    )  # fmt: skip
    model = trained_statistics(model)
    graphs = molecules()
    for data in graphs:
        assert_permutation_equivariant(lambda d: run(model, d), data, level="graph")
    assert_batch_invariant(lambda d: run(model, d), graphs)


@pytest.mark.parametrize("panda_layers", ["last", "all"])
def test_everything_that_should_learn_gets_a_gradient(panda_layers: str) -> None:
    model = PandaLongRangeGNN(
        2, ATOMS, BONDS, high_width=9, panda_layers=panda_layers, width=6, num_layers=3
    )
    run(model, Batch.from_data_list(molecules())).square().sum().backward()
    for name, parameter in model.named_parameters():
        assert (parameter.grad is not None) == parameter.requires_grad, name
        assert "eta" in name or parameter.requires_grad, name


def test_one_layer_and_one_high_node() -> None:
    for panda_layers in ("last", "all"):
        model = PandaLongRangeGNN(
            2, ATOMS, high_width=9, panda_layers=panda_layers, width=6, num_layers=1, residual=True
        )
        data = molecules()[4]
        data.high = torch.arange(data.high.numel()) == 2
        assert run(model.train(), data).shape == (1, 2)


def test_the_benchmarks_gcn_has_its_published_size() -> None:
    atoms = (119, 5, 12, 12, 10, 6, 6, 2, 2)
    assert LongRangeGNN(10, atoms).num_parameters == (508210, 0)


def test_bad_input() -> None:
    with pytest.raises(InputError, match="high_width is 4, it must be at least width \\(6\\)"):
        PandaLongRangeGNN(2, ATOMS, high_width=4, width=6)
    with pytest.raises(InputError, match="unknown backbone 'gat'"):
        LongRangeGNN(2, ATOMS, backbone="gat")
    with pytest.raises(InputError, match="num_layers 0"):
        LongRangeGNN(2, ATOMS, num_layers=0)
    data = molecules()[3]
    with pytest.raises(InputError, match="high is missing"):
        PandaLongRangeGNN(2, ATOMS, high_width=9, width=6)(data.x, data.edge_index)
