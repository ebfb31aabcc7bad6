from __future__ import annotations

from pathlib import Path

import pytest

from panda_gnn.errors import InputError
from panda_gnn.graph import limits
from panda_gnn.rewiring.fully_adjacent import FullyAdjacent
from tests.rewiring.rewired import GRAPHS, TU_NAMES, assert_contract, tu_graphs


def test_contract() -> None:
    assert_contract(FullyAdjacent())


@pytest.mark.parametrize("name", GRAPHS)
def test_all_ordered_pairs_are_edges(name: str) -> None:
    nodes = range(GRAPHS[name].num_nodes)
    after = FullyAdjacent()(GRAPHS[name])
    assert after.edge_index.t().tolist() == [[u, v] for u in nodes for v in nodes if u != v]


def test_real_graphs(mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    transform = FullyAdjacent()
    for name in TU_NAMES:
        for data in tu_graphs(mirror, tmp_path_factory.getbasetemp(), name):
            after = transform(data)
            assert after.num_edges == data.num_nodes * (data.num_nodes - 1)
            assert int((after.edge_type == 0).sum()) == data.num_edges


def test_large_graphs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "FULLY_ADJACENT_NODES", 11)
    with pytest.raises(InputError, match=r"over 12 nodes, and at most 11 .*: use .*last_layer_fa"):
        FullyAdjacent()(GRAPHS["grid"])
