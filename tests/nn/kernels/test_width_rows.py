"""The edges of a graph in rows, split by width."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from panda_gnn.nn import WidthPartition
from panda_gnn.nn.kernels.width_rows import width_source_rows, width_target_rows
from tests.nn.graphs import CASES


@pytest.mark.parametrize("data", CASES)
def test_width_rows_hold_every_edge_once(data: Any) -> None:
    partition = WidthPartition(data.edge_index, data.high)
    rows, back = width_target_rows(partition), width_source_rows(partition)
    high_row = torch.arange(2 * data.num_nodes) >= data.num_nodes
    from_high = high_row.repeat_interleave(rows.ptr.diff())
    into = torch.arange(data.num_nodes).repeat(2).repeat_interleave(rows.ptr.diff())
    source = rows.nodes[rows.column + rows.num_low * from_high]
    assert torch.equal(
        data.edge_index[:, rows.edge.long()], torch.stack([source, rows.nodes[into]])
    )
    assert torch.equal(data.high[source], from_high)
    crossing = from_high & (into < rows.num_low)
    assert torch.equal(rows.crossing_target.long(), into[crossing])
    into_high = high_row.repeat_interleave(back.ptr.diff())
    out_of = torch.arange(data.num_nodes).repeat(2).repeat_interleave(back.ptr.diff())
    entry = back.entry.long()
    assert torch.equal(rows.nodes[out_of], source[entry])
    assert torch.equal(back.column + rows.num_low * into_high, into[entry])
