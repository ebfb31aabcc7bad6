"""The weights of the entries of rows."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from panda_gnn.nn import WidthPartition
from panda_gnn.nn.kernels.edge_rows import target_rows
from panda_gnn.nn.kernels.row_weights import normalised_weights, width_normalised_weights
from panda_gnn.nn.kernels.width_rows import width_target_rows
from tests.nn.graphs import CASES

DOUBLE = torch.float64


@pytest.mark.parametrize("self_loops", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_norms_are_those_of_the_torch_path(weighted: bool, self_loops: bool) -> None:
    for case in CASES:
        data: Any = case.values[0]
        weight = torch.linspace(0, 1, data.num_edges, dtype=DOUBLE) if weighted else None
        partition = WidthPartition(data.edge_index, data.high, edge_weight=weight)
        expected, loop = partition.whole.norm(self_loops, DOUBLE)
        found, own = normalised_weights(partition.whole, self_loops, DOUBLE)
        torch.testing.assert_close(found, expected[target_rows(partition.whole).edge.long()])
        rows = width_target_rows(partition)
        width_found, width_own = width_normalised_weights(partition, self_loops, DOUBLE)
        torch.testing.assert_close(width_found, expected[rows.edge.long()])
        assert (loop is None) == (own is None) == (width_own is None) == (not self_loops)
        if loop is not None and own is not None and width_own is not None:
            torch.testing.assert_close(own, loop)
            torch.testing.assert_close(width_own, loop[rows.nodes])
