from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch_geometric.data import Data

from panda_gnn.errors import InputError
from panda_gnn.rewiring.laser import LASER
from tests.odd_graphs import ODD_GRAPHS, undirected
from tests.rewiring.rewired import (
    GRAPHS,
    TU_NAMES,
    assert_contract,
    assert_rewired,
    assert_simple,
    pairs,
    random_graph,
    tu_graphs,
    with_attributes,
)

#: The last two are wider than the ball that walks can reach, so that most nodes are never seen.
CASES = [*GRAPHS, "sparse", "dense", "ring of triangles", "ladder"]


def graph(name: str) -> Data:
    ring = [(i, (i + 1) % 60) for i in range(60)] + [(i, (i + 2) % 60) for i in range(0, 60, 3)]
    ladder = [(i, i + 2) for i in range(58)] + [(i, i + 1) for i in range(0, 60, 2)]
    larger = {
        "sparse": random_graph(40, 0.06, 0),
        "dense": random_graph(25, 0.3, 1),
        "ring of triangles": undirected(60, *ring),
        "ladder": undirected(60, *ladder),
    }
    return larger.get(name) or GRAPHS[name]


def literal(data: Data) -> tuple[torch.Tensor, torch.Tensor]:
    """All distances and the number of walks of length 8, from dense matrices."""
    n = data.num_nodes
    adjacency = torch.zeros(n, n, dtype=torch.float64)
    adjacency[data.edge_index[0], data.edge_index[1]] = 1
    step = adjacency.fill_diagonal_(1)
    distance = torch.full((n, n), 1000)
    for hops in range(n, -1, -1):
        distance[torch.linalg.matrix_power(step, hops) > 0] = hops
    return distance, torch.linalg.matrix_power(step, 8)


@pytest.mark.parametrize("name", CASES)
def test_the_pairs_with_the_fewest_walks_at_each_distance(name: str) -> None:
    data = graph(name)
    distance, walks = literal(data)
    after = LASER(snapshots=4, rho=0.5)(data)
    chosen = torch.zeros(data.num_nodes, data.num_nodes, dtype=torch.bool)
    chosen[after.edge_index[0], after.edge_index[1]] = True
    kind = torch.full_like(distance, -1)
    kind[after.edge_index[0], after.edge_index[1]] = after.edge_type
    assert torch.equal(kind[chosen], distance[chosen] - 1)
    for i in range(data.num_nodes):
        for r in (2, 3, 4):
            ring = [j for j in range(i + 1, data.num_nodes) if distance[i, j] == r]
            taken = [j for j in ring if chosen[i, j]]
            left = [j for j in ring if not chosen[i, j]]
            assert len(taken) == (max(1, len(ring) // 2) if ring else 0)
            if taken and left:
                assert max(walks[i, j] for j in taken) <= min(walks[i, j] for j in left)


def test_contract_with_one_new_relation() -> None:
    assert_contract(LASER(snapshots=2))


def test_attributes_and_symmetry_with_several_relations() -> None:
    for data in map(with_attributes, GRAPHS.values()):
        after = LASER(snapshots=4)(data)
        assert_simple(after)
        assert_rewired(data, after)
        both = {
            (u, v): int(t)
            for (u, v), t in zip(after.edge_index.t().tolist(), after.edge_type, strict=True)
        }
        assert all(both[v, u] == kind for (u, v), kind in both.items())


def test_all_pairs_up_to_the_distance_with_the_whole_fraction() -> None:
    path = ODD_GRAPHS["path"]
    after = LASER(snapshots=3, rho=1.0)(path)
    expected = {(u, v) for u in range(6) for v in range(u + 1, 6) if v - u <= 3}
    assert pairs(after.edge_index) == expected
    source, target = after.edge_index
    assert torch.equal(after.edge_type, (source - target).abs() - 1)
    assert LASER(snapshots=1)(path).num_edges == path.num_edges


def test_ties_are_broken_by_the_seed() -> None:
    star = undirected(30, *((0, leaf) for leaf in range(1, 30)))
    results = [pairs(LASER(snapshots=2, rho=0.2, seed=seed)(star).edge_index) for seed in (0, 0, 1)]
    assert results[0] == results[1] != results[2]


def test_walks_shorter_than_the_distance_are_all_equal() -> None:
    path = ODD_GRAPHS["path"]
    assert LASER(snapshots=3, walk_length=0)(path).num_edges == LASER(snapshots=3)(path).num_edges


def test_a_share_of_a_hundred_is_counted_and_not_what_floats_make_of_it() -> None:
    star = undirected(102, *((0, leaf) for leaf in range(1, 102)))
    added = LASER(snapshots=2, rho=0.29)(star).edge_index  # 0.29 * 100 is 28.999999999999996
    source, target = added
    assert int(((source == 1) & (target > 1)).sum()) == 29


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(InputError, match="snapshots must be a whole number, 1 or more, not 0"):
        LASER(snapshots=0)
    with pytest.raises(InputError, match=r"snapshots must be a whole number, .* not -1"):
        LASER(snapshots=-1)
    with pytest.raises(InputError, match=r"rho must be a fraction .* not 1.5"):
        LASER(rho=1.5)


def test_real_graphs(mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    laser = LASER()
    for name in TU_NAMES:
        for data in tu_graphs(mirror, tmp_path_factory.getbasetemp(), name):
            after = laser(data)
            assert_simple(after)
            assert after.edge_type.max() <= 2
