"""GINE and the encoder of categories."""

from __future__ import annotations

import pytest
import torch
from torch_geometric.nn import GINEConv

from panda_gnn.errors import InputError
from panda_gnn.nn import Edges, GINELayer
from panda_gnn.nn.gine import CategoryEncoder
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
