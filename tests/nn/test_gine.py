"""GINE and the encoder of categories."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch_geometric.nn import GINEConv

from panda_gnn.errors import InputError
from panda_gnn.nn import GNN, Edges, GINELayer, PandaGINEConv, PandaGNN
from panda_gnn.nn.gine import CategoryEncoder
from panda_gnn.testing import assert_reduces_to_plain
from tests.nn.graphs import ATOMS, BONDS, molecules


def test_categories_are_sums_of_rows_of_tables() -> None:
    encoder = CategoryEncoder(ATOMS, 6)
    x = molecules()[0].x
    tables = encoder.weight.split(ATOMS)
    expected = sum(table[column] for table, column in zip(tables, x.t(), strict=True))
    torch.testing.assert_close(encoder(x), expected)
    assert repr(encoder) == "CategoryEncoder([4, 3] -> 6)"
    with pytest.raises(InputError, match=r"whole numbers of shape \[n, 2\], got torch.float32"):
        encoder(torch.zeros(3, 2))
    for category in (-1, 4):  # the fifth row of all tables is that of another column
        wrong = torch.tensor([[0, 0], [category, 0]])
        with pytest.raises(InputError, match=f"{category}, but it has 4 of them|from -1 to 0, but"):
            encoder(wrong)


def test_gine_is_pygs_gine_with_embedded_bonds() -> None:
    data = molecules()[-1]
    layer = GINELayer(6, 4, edge_categories=BONDS).double()
    x = torch.randn(int(data.num_nodes or 0), 6, dtype=torch.float64)
    edges = Edges.of_graph(data.edge_index, x.size(0), edge_attr=data.edge_attr)
    expected = GINEConv(layer.mlp)(x, data.edge_index, layer.edge_encoder(data.edge_attr))
    torch.testing.assert_close(layer(x, edges), expected)
    with pytest.raises(InputError, match="give edge_attr"):
        layer(x, Edges.of_graph(data.edge_index, x.size(0)))


def test_gine_is_pygs_gine_with_features_of_edges() -> None:
    data = molecules()[-1]
    layer = GINELayer(6, 4, edge_dim=3).double()
    x = torch.randn(int(data.num_nodes or 0), 6, dtype=torch.float64)
    features = torch.randn(data.num_edges, 3, dtype=torch.float64)
    theirs = GINEConv(layer.mlp, edge_dim=3).double()
    theirs.lin.load_state_dict(layer.edge_encoder.state_dict())
    edges = Edges.of_graph(data.edge_index, x.size(0), edge_attr=features)
    torch.testing.assert_close(layer(x, edges), theirs(x, data.edge_index, features))
    single = Edges.of_graph(data.edge_index, x.size(0), edge_attr=features.float())
    torch.testing.assert_close(layer(x, single), layer(x, edges), rtol=1e-5, atol=1e-5)
    with pytest.raises(InputError, match=r"edge_dim=3: give \[num_edges, 3\]"):
        layer(x, Edges.of_graph(data.edge_index, x.size(0), edge_attr=features[:, :2]))


def test_panda_gine_reads_features_of_edges() -> None:
    assert_reduces_to_plain(
        lambda i, o: GINEConv(torch.nn.Linear(i, o), edge_dim=3), edge_attr=torch.rand(50, 3)
    )
    data = molecules()[-1]
    n = int(data.num_nodes or 0)
    x, features = torch.randn(n, 6), torch.randn(data.num_edges, 3)
    nobody = torch.zeros(n, dtype=torch.bool)
    wide = PandaGINEConv(6, (4, 8), edge_dim=3)
    low, _ = wide(x, data.edge_index, nobody, edge_attr=features)
    assert low.shape == (n, 4)
    torch.manual_seed(0)
    options: dict[str, Any] = {"backbone": "gine", "edge_dim": 3, "width": 8, "dropout": 0.0}
    plain, panda = GNN(6, 2, **options), PandaGNN(6, 2, high_width=12, **options)
    high = torch.arange(n) % 2 == 0
    for model, inputs in ((plain, (x, data.edge_index)), (panda, (x, data.edge_index, high))):
        one, other = (model(*inputs, edge_attr=values) for values in (features, features + 1))
        assert not torch.allclose(one, other)


def test_features_or_categories() -> None:
    one_of_two = r"edge_dim, .* or edge_categories, .*: give one"
    with pytest.raises(InputError, match=one_of_two):
        GINELayer(6, 4)
    with pytest.raises(InputError, match=one_of_two):
        GINELayer(6, 4, edge_dim=2, edge_categories=[3])
    with pytest.raises(InputError, match="edge_dim must be a whole number, 1 or more"):
        GINELayer(6, 4, edge_dim=0)
    with pytest.raises(InputError, match="share_edge_encoder needs edge_categories"):
        GNN(6, 2, backbone="gine", edge_dim=3, share_edge_encoder=True)
