"""The edges of a graph in rows."""

from __future__ import annotations

from typing import Any

import pytest
import torch

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
