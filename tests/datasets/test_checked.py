"""Graphs of one's own, checked."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch_geometric.data import Batch, Data, HeteroData

from panda_gnn.datasets.checked import checked_graphs
from panda_gnn.errors import InputError

EDGES = torch.tensor([[0, 1], [1, 0]])


def graph(**values: Any) -> Data:
    return Data(**{"x": torch.ones(2, 3), "edge_index": EDGES, **values})


def test_features_of_every_kind() -> None:
    assert checked_graphs(graph(x=torch.tensor([1, 2])))[0].x.tolist() == [[1.0], [2.0]]
    assert checked_graphs(graph(x=torch.eye(2).to_sparse()))[0].x.tolist() == [[1, 0], [0, 1]]
    bare = Data(edge_index=EDGES, num_nodes=3)
    assert checked_graphs([bare])[0].x.tolist() == [[1.0]] * 3
    degree = checked_graphs([bare], "degree")[0].x.view(-1).tolist()
    assert degree == pytest.approx([math.log(2), math.log(2), 0])
    away = Data(edge_index=torch.tensor([[0, 0], [1, 2]]), num_nodes=3)  # edges that leave count
    degree = checked_graphs([away], "degree")[0].x.view(-1).tolist()
    assert degree == pytest.approx([math.log(3), 0, 0])
    assert checked_graphs(graph(), "constant")[0].x.tolist() == [[1.0]] * 2


def test_the_given_graphs_stay_as_they_are() -> None:
    data = graph(
        y=torch.tensor([1]), edge_attr=torch.ones(2, 1), edge_weight=torch.ones(2).double()
    )
    checked = checked_graphs([data])[0]
    checked.y = torch.tensor([5])
    assert data.y.tolist() == [1]
    assert checked.edge_weight.dtype == torch.float32
    assert torch.equal(checked.edge_attr, torch.ones(2, 1))


@pytest.mark.parametrize(
    ("graphs", "message"),
    [
        ([], "graphs is empty"),
        (7, "graphs is int"),
        ([graph(), "text"], "graph 1 is str"),
        ([HeteroData()], "graph 0 is HeteroData"),
        (Batch.from_data_list([graph(), graph()]), "graphs is one Batch"),
        ([graph(), Data(edge_index=EDGES, num_nodes=2)], "graph 1 has no x and others have"),
        ([graph(), graph(x=torch.ones(2, 4))], "graph 1 has 4 features per node, graph 0 has 3"),
        ([graph(x=torch.tensor([[1.0], [math.nan]]))], r"no finite numbers \(node 1\)"),
        ([graph(x=torch.ones(5, 3), num_nodes=2)], "but 2 nodes"),
        ([graph(x=torch.ones(2, 0))], "one row of numbers"),
        ([graph(edge_attr=torch.ones(3, 2))], r"edge_attr of shape \[3, 2\], but 2 edges"),
        ([graph(edge_attr=torch.full((2, 1), math.inf))], r"no finite numbers \(edge 0\)"),
        (
            [graph(edge_attr=torch.ones(2, 1)), graph(edge_attr=torch.ones(2, 3))],
            "graph 1 has 3 features per edge, graph 0 has 1",
        ),
        ([graph(edge_index=torch.tensor([[0], [7]]))], "outside 0..1"),
        ([graph(edge_index=EDGES.float())], "whole numbers"),
        ([Data(x=torch.ones(2, 1))], "reads edge_index, but this graph has none"),
        ([graph(edge_weight=torch.ones(5))], "no finite edge_weight for each"),
        ([Data(edge_index=torch.tensor([[0], [10**12]]))], "at most 10000000 nodes"),
        ([Data(edge_index=EDGES[:, :0], num_nodes=0)], "graph 0 has no nodes"),
    ],
)
def test_what_no_model_can_be_given(graphs: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        checked_graphs(graphs)


def test_unknown_features() -> None:
    with pytest.raises(InputError, match="unknown features 'degrees'"):
        checked_graphs([graph()], "degrees")
    with pytest.raises(InputError, match="graph 0 has no x"):
        checked_graphs([Data(edge_index=EDGES, num_nodes=2)], "x")
