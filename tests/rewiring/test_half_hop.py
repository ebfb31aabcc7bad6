from __future__ import annotations

import pytest
import torch
from torch_geometric.data import Batch

from panda_gnn.errors import InputError
from panda_gnn.rewiring import Cayley, HalfHop
from tests.odd_graphs import ODD_GRAPHS
from tests.rewiring.rewired import GRAPHS, assert_same, pairs, with_attributes


@pytest.mark.parametrize("name", GRAPHS)
def test_every_directed_edge_gets_a_slow_node(name: str) -> None:
    data = with_attributes(GRAPHS[name])
    n = data.num_nodes
    directed = sorted({e for u, v in pairs(data.edge_index) for e in ((u, v), (v, u))})
    after = HalfHop(0.25)(data)
    assert after.num_nodes == n + len(directed)
    assert after.virtual.tolist() == [False] * n + [True] * len(directed)
    expected = set()
    for slow, (u, v) in enumerate(directed, n):
        expected |= {(u, slow), (slow, v), (v, slow)}
        assert torch.allclose(after.x[slow], 0.25 * data.x[u] + 0.75 * data.x[v])
    assert {tuple(edge) for edge in after.edge_index.t().tolist()} == expected
    assert (after.edge_type == 1).all()
    assert after.train_mask.tolist() == data.train_mask.tolist() + [False] * len(directed)
    assert torch.equal(after.y, data.y)
    assert "edge_attr" not in after


def test_a_share_of_the_nodes_by_the_seed() -> None:
    data = ODD_GRAPHS["grid"]
    first, again, other = (HalfHop(p=0.5, seed=seed)(data) for seed in (0, 0, 1))
    assert torch.equal(first.edge_index, again.edge_index)
    assert first.edge_index.shape != other.edge_index.shape or not torch.equal(
        first.edge_index, other.edge_index
    )
    kept = first.edge_index[:, first.edge_type == 0]
    slowed = data.num_edges - kept.size(1)
    assert 0 < slowed < data.num_edges
    assert first.num_nodes == data.num_nodes + slowed
    before = torch.get_rng_state()
    HalfHop(p=0.5)(data)
    assert torch.equal(torch.get_rng_state(), before)


def test_a_batch_is_its_graphs() -> None:
    graphs = [ODD_GRAPHS[name] for name in ("path", "grid", "star")]
    for found, graph in zip(
        HalfHop()(Batch.from_data_list(graphs)).to_data_list(), graphs, strict=True
    ):
        assert_same(found, HalfHop()(graph))


def test_what_is_refused() -> None:
    data = ODD_GRAPHS["path"].clone()
    data.edge_weight = torch.ones(data.num_edges)
    with pytest.raises(InputError, match="HalfHop writes edge_weight"):
        HalfHop()(data)
    data = ODD_GRAPHS["path"].clone()
    data.x = data.x.long()
    with pytest.raises(
        InputError, match=r"HalfHop reads .*: give x finite numbers, not torch.int64"
    ):
        HalfHop()(data)
    data.x = torch.ones(data.num_nodes - 1, 2)
    data.num_nodes = 6
    with pytest.raises(InputError, match=r"give x the shape \[6, columns\], .*, not \[5, 2\]"):
        HalfHop()(data)
    with pytest.raises(InputError, match="p must be between 0 and 1, not 2"):
        HalfHop(p=2)


def test_no_attribute_is_left_with_the_length_of_before() -> None:
    data = with_attributes(ODD_GRAPHS["path"])
    data.bond = torch.arange(data.num_edges)
    after = HalfHop()(data)
    assert "bond" not in after
    assert "edge_attr" not in after
    assert after.train_mask.numel() == after.num_nodes


def test_virtual_nodes_of_before_stay_marked() -> None:
    before = Cayley()(ODD_GRAPHS["cycle"])
    after = HalfHop()(before)
    slow = int(after.num_nodes or 0) - int(before.num_nodes or 0)
    assert int(before.virtual.sum()) == 17
    assert int(after.virtual.sum()) == 17 + slow
