"""Graphs side by side: what is read, what is collapsed, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch_geometric.data import Batch, Data, HeteroData, InMemoryDataset
from torch_geometric.transforms import BaseTransform

from panda_gnn.errors import InputError
from panda_gnn.graph.rows import (
    GraphRows,
    edge_index_of,
    per_column,
    read_graph,
    read_graphs,
    rows_of_edges,
    undirected_edges,
)
from tests.odd_graphs import ODD_GRAPHS, undirected

GRAPHS = list(ODD_GRAPHS.values())


class Stored(InMemoryDataset):
    """Some graphs in the collated storage of a dataset that is nowhere on disk."""

    def __init__(self, graphs: list[Data], transform: BaseTransform | None = None) -> None:
        super().__init__(None, transform)
        self.data, self.slices = self.collate(graphs)


def equal(first: GraphRows, second: GraphRows) -> bool:
    pairs: list[Any] = list(zip(first, second, strict=True))
    return all(np.array_equal(a, b) for a, b in pairs)


def dense(rows: GraphRows, graph: int) -> torch.Tensor:
    alone = rows.part(graph, graph + 1)
    matrix = torch.zeros(alone.num_nodes, alone.num_nodes)
    for node in range(alone.num_nodes):
        matrix[node, alone.neighbours[alone.row_ptr[node] : alone.row_ptr[node + 1]]] = 1
        matrix[node, node] = float(alone.loops[node])
    return matrix


def test_every_row_holds_its_neighbours_and_loops_are_flags() -> None:
    rows = read_graphs(GRAPHS)
    assert rows.num_graphs == len(GRAPHS)
    for number, data in enumerate(GRAPHS):
        expected = torch.zeros(data.num_nodes, data.num_nodes)
        expected[data.edge_index[0], data.edge_index[1]] = 1
        assert torch.equal(dense(rows, number), expected)


def test_all_ways_to_hand_over_graphs_agree() -> None:
    rows = read_graphs(GRAPHS)
    assert equal(rows, read_graphs(Batch.from_data_list(GRAPHS)))
    assert equal(rows, read_graphs(tuple(GRAPHS)))
    assert equal(rows, read_graphs(Stored(GRAPHS)))
    bare = [Data(edge_index=g.edge_index, num_nodes=g.num_nodes) for g in GRAPHS]
    assert equal(rows, read_graphs(Stored(bare)))
    union = Data(
        edge_index=Batch.from_data_list(GRAPHS).edge_index,
        num_nodes=rows.num_nodes,
        batch=Batch.from_data_list(GRAPHS).batch,
    )
    assert equal(rows, read_graphs(union))


def test_a_part_of_a_dataset_is_read_in_its_order() -> None:
    selected = [7, 2, 2, 9]
    part = Stored(GRAPHS)[selected]
    assert equal(read_graphs(part), read_graphs([GRAPHS[index] for index in selected]))


def test_a_transform_that_changes_edges_is_seen() -> None:
    class Isolate(BaseTransform):
        def forward(self, data: Data) -> Data:
            data.edge_index = data.edge_index[:, :0]
            return data

    assert read_graphs(Stored(GRAPHS, Isolate())).neighbours.size == 0


def test_order_and_repetition_of_edges_do_not_matter() -> None:
    data = ODD_GRAPHS["self-loops"]
    shuffled = torch.cat([data.edge_index, data.edge_index[:, :3]], dim=1)
    shuffled = shuffled[:, torch.randperm(shuffled.size(1))]
    messy = Data(edge_index=shuffled, num_nodes=data.num_nodes)
    assert equal(read_graphs([data, messy]), read_graphs([data, data]))
    twice = Data(edge_index=torch.tensor([[0, 0, 1, 1], [1, 1, 0, 0]]), num_nodes=2)  # in order
    assert read_graphs([twice]).degrees.tolist() == [1, 1]


def test_no_graphs_and_empty_graphs_are_graphs() -> None:
    assert read_graphs([]).num_graphs == 0
    rows = read_graphs([undirected(0), undirected(2, (0, 1)), undirected(0)])
    assert rows.sizes.tolist() == [0, 2, 0]
    empty = torch.empty(2, 0, dtype=torch.long)
    assert read_graphs(Data(edge_index=empty, num_nodes=3)).num_nodes == 3


def test_pieces_cover_all_graphs_once() -> None:
    rows = read_graphs(GRAPHS)
    for count in (1, 3, 100):
        pieces = list(rows.pieces(rows.sizes.astype(float), count))
        covered = [graph for first, last in pieces for graph in range(first, last)]
        assert covered == list(range(rows.num_graphs))
        assert len(pieces) <= count


@pytest.mark.parametrize(
    "edges", [[[0, 1], [1, 2]], [[0, 1, 1], [1, 0, 2]], [[2, 0, 1, 1], [1, 1, 0, 1]]]
)
def test_directed_graphs_are_refused_with_a_way_out(edges: list[list[int]]) -> None:
    data = Data(edge_index=torch.tensor(edges), num_nodes=3)
    with pytest.raises(InputError, match=r"my function needs an undirected graph.*ToUndirected"):
        read_graphs(data, "my function")


def test_edges_that_leave_their_graph_are_refused() -> None:
    outside = torch.tensor([[0, 5], [5, 0]])
    with pytest.raises(InputError, match="a node that its graph does not have"):
        read_graphs(Data(edge_index=outside, num_nodes=3))
    with pytest.raises(InputError, match="a node that its graph does not have"):
        read_graphs(Data(edge_index=-outside, num_nodes=3))
    across = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=2, batch=torch.arange(2))
    with pytest.raises(InputError, match="a node that its graph does not have"):
        read_graphs(across)


def test_other_things_are_refused() -> None:
    with pytest.raises(InputError, match="takes a Data, a Batch, a dataset or a list"):
        read_graphs(3)
    with pytest.raises(InputError, match="graphs of type Data, not HeteroData"):
        read_graphs([HeteroData()])
    with pytest.raises(InputError, match="only adj_t"):
        read_graphs(Data(adj_t=torch.eye(2), num_nodes=2))
    edge_index = torch.empty(2, 0, dtype=torch.long)
    mixed = Data(edge_index=edge_index, num_nodes=3, batch=torch.tensor([0, 1, 0]))
    with pytest.raises(InputError, match="sort batch first"):
        read_graphs(mixed)
    with pytest.raises(InputError, match=r"but this graph has none: set it, .*torch\.empty"):
        read_graphs(Data(num_nodes=3))
    with pytest.raises(InputError, match=r"not HeteroData: use to_homogeneous"):
        read_graphs(HeteroData())


EDGES = torch.tensor([[0, 1], [1, 0]])


@pytest.mark.parametrize(
    ("edge_index", "sentence"),
    [
        (EDGES.float(), r"Thing needs whole numbers in edge_index, not torch\.float32"),
        (EDGES.double() + 0.5, r"Thing needs whole numbers in edge_index, not torch\.float64"),
        (EDGES.bool(), r"Thing needs whole numbers in edge_index, not torch\.bool"),
        (EDGES.to_sparse(), "Thing takes edge_index as a dense tensor"),
        (EDGES.flatten(), r"Thing needs edge_index of shape \[2, num_edges\], not \[4\]"),
        (EDGES.repeat(2, 1)[:3], r"shape \[2, num_edges\], not \[3, 2\]"),
    ],
)
def test_other_edge_indices_are_refused(edge_index: Tensor, sentence: str) -> None:
    data = Data(edge_index=edge_index, num_nodes=2)
    for read in (read_graphs, read_graph, undirected_edges, edge_index_of):
        with pytest.raises(InputError, match=sentence):
            read(data, "Thing")
    with pytest.raises(InputError, match=sentence):
        read_graphs([data], "Thing")


def test_short_whole_numbers_do_not_overflow() -> None:
    ends = torch.tensor([[0, 69_999, 40_000, 69_999], [69_999, 0, 69_999, 40_000]])
    data = Data(edge_index=ends.int(), num_nodes=70_000)
    edges, place = undirected_edges(data, "test")
    assert edges.tolist() == [[0, 40_000], [69_999, 69_999]]
    assert place.tolist() == [0, 2, 1, 3]
    values = np.array([1.0, 2.0])
    assert per_column(data, read_graph(data, "test"), values).tolist() == [1, 1, 2, 2]


@pytest.mark.parametrize("name", ODD_GRAPHS)
def test_every_edge_once_and_where_it_stood(name: str) -> None:
    data = ODD_GRAPHS[name]
    edges, place = undirected_edges(data, "test")
    expected = {(u, v) for u, v in data.edge_index.t().tolist() if u < v}
    assert sorted(expected) == list(map(tuple, edges.t().tolist()))
    both = torch.cat([edges, edges.flip(0)], dim=1)
    assert torch.equal(data.edge_index[:, place], both)


def test_duplicates_count_once() -> None:
    edge_index = torch.tensor([[0, 1, 0, 1, 1, 2], [1, 0, 1, 0, 2, 1]])
    edges, place = undirected_edges(Data(edge_index=edge_index, num_nodes=3), "test")
    assert edges.tolist() == [[0, 1], [1, 2]]
    assert place.tolist() == [0, 4, 1, 5]


def test_directed_graphs_are_refused() -> None:
    data = Data(edge_index=torch.tensor([[0, 1, 1], [1, 0, 2]]), num_nodes=3)
    with pytest.raises(InputError, match=r"Thing needs an undirected graph.*ToUndirected"):
        undirected_edges(data, "Thing")


def test_nodes_outside_are_refused() -> None:
    data = Data(edge_index=torch.tensor([[0, 5], [5, 0]]), num_nodes=3)
    with pytest.raises(InputError, match=r"outside 0\.\.2"):
        undirected_edges(data, "Thing")


@pytest.mark.parametrize("name", sorted(set(ODD_GRAPHS) - {"self-loops"}))
def test_rows_from_edges_are_the_rows_of_the_graph(name: str) -> None:
    data = ODD_GRAPHS[name]
    edges, _ = undirected_edges(data, "test")
    for some in (edges, data.edge_index):
        rows = rows_of_edges(some.numpy(), data.num_nodes)
        assert equal(rows, read_graphs(data))
        assert np.array_equal(rows.edges, edges.numpy())
