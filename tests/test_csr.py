"""Graphs side by side: what is read, what is collapsed, what is refused."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch_geometric.data import Batch, Data, HeteroData, InMemoryDataset
from torch_geometric.transforms import BaseTransform

from panda_gnn.csr import BlockCSR, block_csr
from panda_gnn.errors import InputError

from .odd_graphs import ODD_GRAPHS, undirected

GRAPHS = list(ODD_GRAPHS.values())


class Stored(InMemoryDataset):
    """Some graphs in the collated storage of a dataset that is nowhere on disk."""

    def __init__(self, graphs: list[Data], transform: BaseTransform | None = None) -> None:
        super().__init__(None, transform)
        self.data, self.slices = self.collate(graphs)


def equal(first: BlockCSR, second: BlockCSR) -> bool:
    return all(
        np.array_equal(a, b)
        for a, b in zip(vars(first).values(), vars(second).values(), strict=True)
    )


def dense(csr: BlockCSR, graph: int) -> torch.Tensor:
    alone = csr.graphs(graph, graph + 1)
    matrix = torch.zeros(alone.num_nodes, alone.num_nodes)
    for node in range(alone.num_nodes):
        matrix[node, alone.neighbours[alone.row_ptr[node] : alone.row_ptr[node + 1]]] = 1
        matrix[node, node] = float(alone.loops[node])
    return matrix


def test_every_row_holds_its_neighbours_and_loops_are_flags() -> None:
    csr = block_csr(GRAPHS)
    assert csr.num_graphs == len(GRAPHS)
    for number, data in enumerate(GRAPHS):
        expected = torch.zeros(data.num_nodes, data.num_nodes)
        expected[data.edge_index[0], data.edge_index[1]] = 1
        assert torch.equal(dense(csr, number), expected)


def test_all_ways_to_hand_over_graphs_agree() -> None:
    csr = block_csr(GRAPHS)
    assert equal(csr, block_csr(Batch.from_data_list(GRAPHS)))
    assert equal(csr, block_csr(tuple(GRAPHS)))
    assert equal(csr, block_csr(Stored(GRAPHS)))
    bare = [Data(edge_index=g.edge_index, num_nodes=g.num_nodes) for g in GRAPHS]
    assert equal(csr, block_csr(Stored(bare)))
    union = Data(
        edge_index=Batch.from_data_list(GRAPHS).edge_index,
        num_nodes=csr.num_nodes,
        batch=Batch.from_data_list(GRAPHS).batch,
    )
    assert equal(csr, block_csr(union))


def test_a_part_of_a_dataset_is_read_in_its_order() -> None:
    chosen = [7, 2, 2, 9]
    part = Stored(GRAPHS)[chosen]
    assert equal(block_csr(part), block_csr([GRAPHS[index] for index in chosen]))


def test_a_transform_that_changes_edges_is_seen() -> None:
    class Isolate(BaseTransform):
        def forward(self, data: Data) -> Data:
            data.edge_index = data.edge_index[:, :0]
            return data

    assert block_csr(Stored(GRAPHS, Isolate())).neighbours.size == 0


def test_order_and_repetition_of_edges_do_not_matter() -> None:
    data = ODD_GRAPHS["self-loops"]
    shuffled = torch.cat([data.edge_index, data.edge_index[:, :3]], dim=1)
    shuffled = shuffled[:, torch.randperm(shuffled.size(1))]
    messy = Data(edge_index=shuffled, num_nodes=data.num_nodes)
    assert equal(block_csr([data, messy]), block_csr([data, data]))


def test_no_graphs_and_empty_graphs_are_graphs() -> None:
    assert block_csr([]).num_graphs == 0
    csr = block_csr([undirected(0), undirected(2, (0, 1)), undirected(0)])
    assert csr.sizes.tolist() == [0, 2, 0]
    assert block_csr(Data(num_nodes=3)).num_nodes == 3


def test_pieces_cover_all_graphs_once() -> None:
    csr = block_csr(GRAPHS)
    for count in (1, 3, 100):
        pieces = list(csr.pieces(csr.sizes.astype(float), count))
        covered = [graph for first, last in pieces for graph in range(first, last)]
        assert covered == list(range(csr.num_graphs))
        assert len(pieces) <= count


@pytest.mark.parametrize(
    "edges", [[[0, 1], [1, 2]], [[0, 1, 1], [1, 0, 2]], [[2, 0, 1, 1], [1, 1, 0, 1]]]
)
def test_directed_graphs_are_refused_with_a_way_out(edges: list[list[int]]) -> None:
    data = Data(edge_index=torch.tensor(edges), num_nodes=3)
    with pytest.raises(InputError, match=r"my function needs an undirected graph.*ToUndirected"):
        block_csr(data, "my function")


def test_edges_that_leave_their_graph_are_refused() -> None:
    outside = torch.tensor([[0, 5], [5, 0]])
    with pytest.raises(InputError, match="a node that its graph does not have"):
        block_csr(Data(edge_index=outside, num_nodes=3))
    with pytest.raises(InputError, match="a node that its graph does not have"):
        block_csr(Data(edge_index=-outside, num_nodes=3))
    across = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=2, batch=torch.arange(2))
    with pytest.raises(InputError, match="a node that its graph does not have"):
        block_csr(across)


def test_other_things_are_refused() -> None:
    with pytest.raises(InputError, match="takes a Data, a Batch, a dataset or a list"):
        block_csr(3)
    with pytest.raises(InputError, match="graphs of type Data, not HeteroData"):
        block_csr([HeteroData()])
    with pytest.raises(InputError, match="only adj_t"):
        block_csr(Data(adj_t=torch.eye(2), num_nodes=2))
    with pytest.raises(InputError, match="sort batch first"):
        block_csr(Data(num_nodes=3, batch=torch.tensor([0, 1, 0])))
