"""The edges of a graph in rows."""

from __future__ import annotations

import re
from typing import Any

import pytest
import torch

from panda_gnn.errors import InputError
from panda_gnn.nn import Edges
from panda_gnn.nn.kernels.edge_rows import source_rows, target_rows
from tests.nn.graphs import CASES


@pytest.mark.parametrize("data", CASES)
def test_rows_hold_every_edge_once(data: Any) -> None:
    edges = Edges.of_graph(data.edge_index, data.num_nodes)
    rows, back = target_rows(edges), source_rows(edges)
    target = torch.arange(data.num_nodes).repeat_interleave(rows.ptr.diff())
    assert torch.equal(data.edge_index[:, rows.edge.long()], torch.stack([rows.column, target]))
    source = torch.arange(data.num_nodes).repeat_interleave(back.ptr.diff())
    assert torch.equal(rows.column[back.entry.long()].long(), source)
    assert torch.equal(target[back.entry.long()], back.column.long())


@pytest.mark.parametrize("wrong", [[[0, 3], [1, 0]], [[0, 1], [1, 5]], [[-1, 1], [1, 0]]])
def test_edges_that_leave_the_graph_are_named_before_memory_is_read(wrong: list[list[int]]) -> None:
    (place,) = [i for i in range(2) if not (0 <= wrong[0][i] < 3 and 0 <= wrong[1][i] < 2)]
    named = f"({wrong[0][place]}, {wrong[1][place]}), but the graph has 3 and 2 nodes"
    with pytest.raises(InputError, match=re.escape(named)):
        target_rows(Edges(torch.tensor(wrong), num_sources=3, num_targets=2))


def test_more_nodes_than_32_bits_can_number_are_refused() -> None:
    edges = Edges(torch.empty(2, 0, dtype=torch.long), num_sources=1 << 30, num_targets=1)
    with pytest.raises(InputError, match=r"too large for compiled layers: call panda_gnn\.backend"):
        target_rows(edges)
