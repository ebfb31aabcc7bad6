from __future__ import annotations

from pathlib import Path

import networkx as nx
import pytest
import torch
from torch_geometric.data import Batch, Data, HeteroData

from panda_gnn.errors import InputError
from panda_gnn.rewiring.virtual_node import VirtualNode
from tests.odd_graphs import ODD_GRAPHS
from tests.rewiring.rewired import (
    GRAPHS,
    TU_NAMES,
    assert_same,
    assert_simple,
    pairs,
    tu_graphs,
    with_attributes,
)


@pytest.mark.parametrize("name", GRAPHS)
def test_one_more_node_joined_to_all(name: str) -> None:
    data = with_attributes(GRAPHS[name])
    n = data.num_nodes
    after = VirtualNode()(data)
    assert after.num_nodes == n + 1
    assert_simple(after)
    spokes = {(v, n) for v in range(n)}
    assert pairs(after.edge_index) == pairs(data.edge_index) | spokes
    virtual = (after.edge_index == n).any(dim=0)
    assert torch.equal(after.edge_type, virtual.long())
    assert torch.equal(after.x[:n], data.x)
    assert not after.x[n].any()
    assert after.train_mask.tolist() == [*data.train_mask.tolist(), False]
    assert torch.equal(after.y, data.y)
    assert not after.edge_attr[virtual].any()
    ends = after.edge_index[:, ~virtual].sort(dim=0).values.t() + 1
    assert torch.equal(after.edge_attr[~virtual], ends)
    assert data.num_nodes == n


@pytest.mark.parametrize("name", GRAPHS)
def test_a_node_for_every_role(name: str) -> None:
    data = with_attributes(GRAPHS[name])
    n = data.num_nodes
    graph = nx.Graph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(pairs(data.edge_index))
    for rounds in (0, 1, 2, 3):
        colour = dict.fromkeys(graph, "0")
        for _ in range(rounds):  # as colour refinement is defined, with words for colours
            colour = {v: f"{colour[v]}|{sorted(colour[u] for u in graph[v])}" for v in graph}
        number = {word: place for place, word in enumerate(dict.fromkeys(colour.values()))}
        after = VirtualNode(rounds)(data)
        assert_simple(after)
        spokes = {(v, n + number[colour[v]]) for v in range(n)}
        assert pairs(after.edge_index) == pairs(data.edge_index) | spokes
        assert after.virtual.tolist() == [False] * n + [True] * len(number)
    assert VirtualNode(1)(ODD_GRAPHS["star"]).virtual.sum() == 2
    assert VirtualNode(5)(ODD_GRAPHS["cycle"]).virtual.sum() == 1


def test_a_graph_without_nodes_gets_one() -> None:
    nothing = Data(edge_index=torch.empty(2, 0, dtype=torch.long), num_nodes=0)
    for rounds in (0, 2):
        after = VirtualNode(rounds)(nothing)
        assert (after.num_nodes, after.virtual.tolist(), after.num_edges) == (1, [True], 0)


def test_weights_of_the_new_edges_are_one() -> None:
    data = ODD_GRAPHS["path"].clone()
    data.edge_weight = torch.full((data.num_edges,), 3.0)
    after = VirtualNode()(data)
    assert after.edge_weight.tolist() == [3.0] * 10 + [1.0] * 12


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match="VirtualNode needs an undirected graph"):
        VirtualNode()(Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2))
    with pytest.raises(InputError, match="VirtualNode takes graphs of type Data, not HeteroData"):
        VirtualNode()(HeteroData())


def test_composes_and_takes_batches() -> None:
    twice = VirtualNode()(VirtualNode()(ODD_GRAPHS["path"]))
    assert twice.edge_type.bincount().tolist() == [10, 12, 14]
    graphs = list(ODD_GRAPHS.values())
    found = VirtualNode()(Batch.from_data_list(graphs)).to_data_list()
    for one, graph in zip(found, graphs, strict=True):
        assert_same(one, VirtualNode()(graph))


def test_real_graphs(mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    transform = VirtualNode()
    for name in TU_NAMES:
        for data in tu_graphs(mirror, tmp_path_factory.getbasetemp(), name):
            after = transform(data)
            assert after.num_edges == data.num_edges + 2 * data.num_nodes
            assert int(after.edge_type.sum()) == 2 * data.num_nodes
