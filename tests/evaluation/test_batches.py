"""Mini-batches by index arithmetic."""

from __future__ import annotations

import torch
from torch_geometric.data import Batch, Data, InMemoryDataset

from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.nn import GNN, PandaGNN
from tests.odd_graphs import ODD_GRAPHS


def graphs() -> list[Data]:
    made = []
    for number, graph in enumerate(ODD_GRAPHS.values()):
        data = graph.clone()
        data.y = torch.tensor([number % 3])
        data.edge_type = torch.arange(data.num_edges) % 2
        made.append(data)
    return made


def test_a_batch_is_pygs_batch() -> None:
    data = graphs()
    table = GraphTable.collate(data)
    order = torch.tensor([7, 0, 3, 3, 11, 1])
    found = table.take(order)
    expected = Batch.from_data_list([data[i] for i in order])
    assert torch.equal(found.x, expected.x)
    assert torch.equal(found.y, expected.y)
    assert torch.equal(found.graph_of_node, expected.batch)
    assert torch.equal(found.node_ptr, expected.ptr)
    assert torch.equal(found.edge_index, expected.edge_index)
    assert torch.equal(found.edge_options["edge_type"], expected.edge_type)
    assert found.num_graphs == 6


def test_models_see_the_same_graphs() -> None:
    data = graphs()
    table = GraphTable.collate(data)
    high = torch.arange(table.x.size(0)) % 3 == 0
    batch = table.with_nodes(high=high).take(torch.tensor([4, 12, 6]))
    together = Batch.from_data_list([data[i] for i in (4, 12, 6)])
    plain = GNN(3, 2, width=4).double().eval()
    expected = plain(together.x, together.edge_index, batch=together.batch)
    assert torch.equal(batch.scores(plain), expected)
    panda = PandaGNN(3, 2, width=4, high_width=6).double().eval()
    assert batch.high is not None
    expected = panda(together.x, together.edge_index, batch.high, batch=together.batch)
    assert torch.equal(batch.scores(panda), expected)


def test_batches_visit_every_graph_once() -> None:
    table = GraphTable.collate(graphs())
    chosen = torch.arange(table.num_graphs)

    visited = [batch.x.size(0) for batch in table.batches(chosen, 1)]
    assert visited == table.node_ptr.diff().tolist()
    assert [batch.num_graphs for batch in table.batches(chosen, 5)] == [5, 5, 3]
    assert [batch.num_graphs for batch in table.batches(chosen)] == [13]
    assert list(table.batches(chosen[:0], 5)) == []


def test_other_features_keep_the_high_nodes() -> None:
    table = GraphTable.collate(graphs())
    high = torch.arange(table.x.size(0)) % 3 == 0
    wide = table.with_nodes(high=high)
    assert wide.with_nodes(x=2 * table.x).high is high
    marked = [graph.clone() for graph in graphs()]
    for graph, mask in zip(marked, high.split(table.node_ptr.diff().tolist()), strict=True):
        graph.high = mask
    collated = GraphTable.collate(marked).high
    assert collated is not None
    assert torch.equal(collated, high)


def test_a_stored_dataset_is_collated_as_its_graphs_are() -> None:
    class Stored(InMemoryDataset):
        def __init__(self) -> None:
            super().__init__()
            self.data, self.slices = self.collate(graphs())

    dataset = Stored()
    some = torch.tensor([1, 4, 5])
    for stored, listed in (
        (GraphTable.collate(dataset), GraphTable.collate(graphs())),
        (GraphTable.collate(dataset[some]), GraphTable.collate([graphs()[i] for i in some])),
    ):
        for name in ("x", "y", "edge_index", "node_ptr", "edge_ptr"):
            assert torch.equal(getattr(stored, name), getattr(listed, name))
        assert torch.equal(stored.edge_options["edge_type"], listed.edge_options["edge_type"])


def test_without_edges() -> None:
    batch = GraphTable.collate(graphs()).without_edges().take(torch.tensor([3, 5]))
    assert batch.edge_index.shape == (2, 0)
    assert batch.x.size(0) == ODD_GRAPHS["path"].num_nodes + ODD_GRAPHS["star"].num_nodes
