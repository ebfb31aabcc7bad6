from __future__ import annotations

from collections import deque
from typing import Any

import pytest
import torch
from torch_geometric.data import Batch, Data
from torch_geometric.utils import degree

from panda_gnn.datasets import (
    TOPOLOGIES,
    hub,
    one_radius,
    transfer,
    tree_neighbors_match,
    two_radius,
)
from panda_gnn.errors import InputError


def distances(data: Data, start: int) -> list[int]:
    """Hops from ``start`` to every node, by breadth-first search."""
    neighbours: list[list[int]] = [[] for _ in range(data.num_nodes)]
    for u, v in data.edge_index.t().tolist():
        neighbours[u].append(v)
    hops = [-1] * data.num_nodes
    hops[start] = 0
    queue = deque([start])
    while queue:
        u = queue.popleft()
        for v in neighbours[u]:
            if hops[v] < 0:
                hops[v] = hops[u] + 1
                queue.append(v)
    return hops


def end(mask: torch.Tensor) -> int:
    """The one node of a mask."""
    assert mask.dtype == torch.bool
    return int(mask.nonzero())


@pytest.mark.parametrize("topology", TOPOLOGIES)
@pytest.mark.parametrize("distance", [2, 3, 4, 7])
def test_the_source_is_exactly_as_far_away_as_asked(topology: str, distance: int) -> None:
    data = transfer(topology, distance, num_graphs=1)[0]
    data.validate()
    assert data.is_undirected()
    assert not data.has_self_loops()
    assert data.is_coalesced()
    hops = distances(data, end(data.target_mask))
    assert min(hops) >= 0
    assert hops[end(data.source_mask)] == distance == max(hops)


def test_the_shapes() -> None:
    def size(topology: str) -> tuple[int, int]:
        data = transfer(topology, 4, num_graphs=1)[0]
        return data.num_nodes, data.num_edges // 2

    assert size("ring") == (8, 8)
    assert size("crossed-ring") == (8, 8 + 4)
    assert size("lollipop") == (8, 10 + 3)
    assert size("tree") == (31, 30)


def test_crossing_doubles_the_shortest_paths_at_each_step() -> None:
    data = transfer("crossed-ring", 5, num_graphs=1)[0]
    adjacency = torch.zeros(data.num_nodes, data.num_nodes)
    adjacency[data.edge_index[0], data.edge_index[1]] = 1
    walks = torch.linalg.matrix_power(adjacency, 5)
    assert walks[end(data.source_mask), end(data.target_mask)] == 2**4


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_only_the_source_knows_the_answer(topology: str) -> None:
    graphs = transfer(topology, 3, num_graphs=25)
    source, target = end(graphs[0].source_mask), end(graphs[0].target_mask)
    for data in graphs:
        assert data.x[source].tolist() == [float(data.y == c) for c in range(5)]
        assert data.x[target].tolist() == [0.0] * 5
        elsewhere = ~data.source_mask
        assert torch.equal(data.x[elsewhere], graphs[0].x[elsewhere])
        assert torch.equal(data.edge_index, graphs[0].edge_index)


def test_classes_are_balanced_and_drawn_from_the_seed() -> None:
    answers = torch.cat([data.y for data in transfer("ring", 3, num_graphs=103, seed=4)])
    assert sorted(answers.bincount().tolist()) == [20, 20, 21, 21, 21]
    again = torch.cat([data.y for data in transfer("ring", 3, num_graphs=103, seed=4)])
    other = torch.cat([data.y for data in transfer("ring", 3, num_graphs=103, seed=5)])
    assert torch.equal(answers, again)
    assert not torch.equal(answers, other)
    assert transfer("ring", 3, num_graphs=3, num_classes=2)[0].x.shape == (6, 2)


def test_graphs_can_be_batched_and_read_at_their_targets() -> None:
    graphs = transfer("tree", 2, num_graphs=6)
    batch = Batch.from_data_list(graphs)
    assert batch.x[batch.target_mask].shape == (6, 5)
    assert torch.equal(batch.x[batch.source_mask].argmax(dim=1), batch.y)


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_the_root_must_find_the_leaf_with_its_key(depth: int) -> None:
    leaves = 2**depth
    graphs = tree_neighbors_match(depth, num_graphs=3 * leaves, seed=1)
    assert torch.cat([data.y for data in graphs]).bincount().tolist() == [3] * leaves
    for data in graphs:
        assert data.is_undirected()
        root = end(data.target_mask)
        hops = torch.tensor(distances(data, root))
        is_leaf = hops == depth
        assert int(is_leaf.sum()) == leaves
        keys, values = data.x[:, :leaves], data.x[:, leaves:]
        for held in (keys[is_leaf], values[is_leaf]):
            assert torch.equal(held.sum(dim=0), torch.ones(leaves))
            assert torch.equal(held.sum(dim=1), torch.ones(leaves))
        assert not data.x[(hops > 0) & ~is_leaf].any()
        assert keys[root].sum() == 1
        assert not values[root].any()
        match = is_leaf & (keys.argmax(dim=1) == keys[root].argmax())
        assert torch.equal(match, data.source_mask)
        assert int(values[match].argmax()) == int(data.y)


def test_the_same_seed_gives_the_same_trees() -> None:
    first, again, other = (tree_neighbors_match(3, num_graphs=9, seed=seed) for seed in (2, 2, 3))
    assert all(torch.equal(a.x, b.x) for a, b in zip(first, again, strict=True))
    assert not all(torch.equal(a.x, b.x) for a, b in zip(first, other, strict=True))


def test_bad_input_is_one_sentence() -> None:
    with pytest.raises(InputError, match="unknown topology 'star': choose one of ring, "):
        transfer("star", 3)
    with pytest.raises(InputError, match="distance must be a whole number, 2 or more, not 1"):
        transfer("ring", 1)
    with pytest.raises(InputError, match="num_classes must be a whole number, 2 or more, not 1"):
        transfer("ring", 2, num_classes=1)
    with pytest.raises(InputError, match="num_graphs must be a whole number, 1 or more, not 0"):
        transfer("ring", 2, num_graphs=0)
    with pytest.raises(InputError, match="depth must be a whole number, 1 or more, not 0"):
        tree_neighbors_match(0)


def test_a_hub_carries_a_bit_for_every_target() -> None:
    graphs = hub(5, num_graphs=40, seed=2)
    for graph in graphs:
        assert degree(graph.edge_index[0]).tolist() == [1] * 10 + [10]
        assert graph.target_mask.nonzero().view(-1).tolist() == [5, 6, 7, 8, 9]
        assert graph.source_mask.nonzero().view(-1).tolist() == [0, 1, 2, 3, 4]
        for i, answer in enumerate(graph.y.tolist()):
            expected = torch.zeros(10)
            expected[i] = 2 * answer - 1
            assert torch.equal(graph.x[i], expected)
            assert torch.equal(graph.x[5 + i], torch.eye(10)[5 + i])
        assert not graph.x[10].any()
    bits = torch.stack([graph.y for graph in graphs]).float()
    assert 0.3 < float(bits.mean()) < 0.7
    assert torch.equal(hub(5, num_graphs=40, seed=2)[7].y, graphs[7].y)


def test_two_radii_are_answered_by_looking_up_the_key() -> None:
    for graph in two_radius(6, num_graphs=30, seed=1):
        assert degree(graph.edge_index[0]).tolist() == [1] * 12 + [12]
        keys, labels = graph.x[:, :7].argmax(1), graph.x[:, 7:].argmax(1)
        assert (graph.x[:, :7].sum(1) == 1).all()
        assert (graph.x[:, 7:].sum(1) == 1).all()
        assert (keys[12], graph.x.size(1)) == (6, 7 + 11)
        assert (labels[6:] == 10).all()  # a class of its own, which no label has
        assert (labels[:6] < 10).all()
        of_key = dict(zip(keys[:6].tolist(), labels[:6].tolist(), strict=True))
        assert sorted(of_key) == sorted(keys[6:12].tolist()) == list(range(6))
        assert graph.y.tolist() == [of_key[key] for key in keys[6:12].tolist()]
        assert graph.target_mask.nonzero().view(-1).tolist() == list(range(6, 12))


def test_one_radius_is_answered_by_looking_up_the_key() -> None:
    for graph in one_radius(6, num_graphs=30, seed=1):
        assert degree(graph.edge_index[0]).tolist() == [1] * 6 + [6]
        keys, labels = graph.x[:, :6].argmax(1), graph.x[:, 6:].argmax(1)
        assert sorted(keys[:6].tolist()) == list(range(6))
        assert int(labels[6]) == 10
        match = int((keys[:6] == keys[6]).nonzero())
        assert graph.y.tolist() == [int(labels[match])]
        assert graph.target_mask.nonzero().view(-1).tolist() == [6]


@pytest.mark.parametrize("make", [hub, one_radius, two_radius])
def test_a_bottleneck_without_a_message_is_refused(make: Any) -> None:
    with pytest.raises(InputError, match="size must be a whole number, 1 or more, not 0"):
        make(0)


@pytest.mark.parametrize("make", [tree_neighbors_match, hub, two_radius, one_radius])
def test_the_smallest_tasks_there_are(make: Any) -> None:
    assert len(make(1, num_graphs=1)) == 1
    for bad in ({"num_graphs": 0}, {"num_graphs": True}, {"num_graphs": 1.0}):
        with pytest.raises(InputError, match="num_graphs must be a whole number, 1 or more"):
            make(1, **bad)
    with pytest.raises(InputError, match="must be a whole number, 1 or more, not 0"):
        make(0, num_graphs=1)
    if make in (two_radius, one_radius):
        assert len(make(1, num_graphs=1, num_labels=2)) == 1
        with pytest.raises(InputError, match="num_labels must be a whole number, 2 or more, not 1"):
            make(1, num_graphs=1, num_labels=1)


def test_seed_zero_is_the_default() -> None:
    for one, other in zip(
        transfer("ring", 4, num_graphs=20), transfer("ring", 4, num_graphs=20, seed=0), strict=True
    ):
        assert torch.equal(one.x, other.x)
