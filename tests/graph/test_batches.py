"""Batches fall into their graphs with every attribute, or are refused."""

from __future__ import annotations

import pytest
import torch
from torch_geometric.data import Batch, Data

from panda_gnn.errors import InputError
from panda_gnn.graph.batches import graphs_of_batch, is_batch, rebatched
from tests.odd_graphs import ODD_GRAPHS

GRAPHS = [ODD_GRAPHS[name].clone() for name in ("path", "one node", "isolated nodes")]


def test_attributes_added_to_a_batch_stay_with_their_graphs() -> None:
    batch = Batch.from_data_list(GRAPHS, follow_batch=["x"])
    batch.mark = torch.arange(batch.num_nodes)
    batch.weight = torch.arange(batch.num_edges).double()
    parts = graphs_of_batch(batch, "test")
    assert torch.cat([part.mark for part in parts]).tolist() == batch.mark.tolist()
    assert [part.weight.numel() for part in parts] == [data.num_edges for data in GRAPHS]
    again = rebatched(parts, batch)
    for key in ("x", "edge_index", "mark", "weight", "batch", "ptr", "x_batch", "x_ptr"):
        assert torch.equal(again[key], batch[key])


def test_what_is_a_batch() -> None:
    assert is_batch(Batch.from_data_list(GRAPHS))
    assert is_batch(Data(batch=torch.zeros(2, dtype=torch.long)))
    assert not is_batch(GRAPHS[0])


def test_batches_that_cannot_be_taken_apart_get_a_sentence() -> None:
    batch = Batch.from_data_list(GRAPHS)
    for note in ("which graph is this of?", torch.ones(1)):
        batch.note = note
        with pytest.raises(InputError, match="cannot tell which graph has which part of 'note'"):
            graphs_of_batch(batch, "test")
    batch = Batch.from_data_list(GRAPHS)
    batch.edge_index = batch.edge_index[:, 2:]
    with pytest.raises(InputError, match="test got a batch whose edge_index has another length"):
        graphs_of_batch(batch, "test")
    by_hand = Data(batch=torch.zeros(2, dtype=torch.long), num_nodes=2)
    with pytest.raises(InputError, match=r"test cannot tell the graphs .* Batch\.from_data_list"):
        graphs_of_batch(by_hand, "test")
