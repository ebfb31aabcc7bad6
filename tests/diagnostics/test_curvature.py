"""Curvatures by closed form, by their literal definitions, and on odd graphs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import networkx as nx
import numpy as np
import ot
import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from panda_gnn.diagnostics.curvature import (
    augmented_forman_curvature,
    balanced_forman_curvature,
    ollivier_ricci_curvature,
)
from panda_gnn.errors import InputError
from tests.odd_graphs import ODD_GRAPHS, clique
from tests.random_graphs import RANDOM_GRAPHS, data_of

Curvature = Callable[[Data], Tensor]
CURVATURES: dict[str, Curvature] = {
    "balanced Forman": balanced_forman_curvature,
    "Ollivier-Ricci": ollivier_ricci_curvature,
    "AFR-3": augmented_forman_curvature,
    "AFR-4": lambda data: augmented_forman_curvature(data, cycles=4),
}


def by_edge(data: Data, values: Tensor) -> dict[tuple[int, int], float]:
    columns = data.edge_index.t().tolist()
    return {(u, v): value for (u, v), value in zip(columns, values.tolist(), strict=True)}


def assert_constant(values: Tensor, expected: float) -> None:
    torch.testing.assert_close(
        values, torch.full_like(values, expected), rtol=0, atol=1e-9, check_dtype=True
    )


@pytest.mark.parametrize("n", [3, 4, 5, 6, 9])
def test_cycles(n: int) -> None:
    data = data_of(nx.cycle_graph(n))
    assert_constant(balanced_forman_curvature(data), {3: 1.5, 4: 1.0}.get(n, 0.0))
    assert_constant(ollivier_ricci_curvature(data), 0.5 if n == 3 else 0.0)
    assert_constant(augmented_forman_curvature(data), 3.0 if n == 3 else 0.0)
    assert_constant(augmented_forman_curvature(data, cycles=4), {3: 3.0, 4: 2.0}.get(n, 0.0))


@pytest.mark.parametrize("n", [3, 4, 5, 8])
def test_cliques(n: int) -> None:
    data = clique(n)
    assert_constant(balanced_forman_curvature(data), n / (n - 1))
    assert_constant(ollivier_ricci_curvature(data), (n - 2) / (n - 1))
    assert_constant(augmented_forman_curvature(data), n)
    assert_constant(augmented_forman_curvature(data, cycles=4), n + 2 * (n - 2) * (n - 3))


@pytest.mark.parametrize("d", [2, 3, 4, 5])
def test_hypercubes(d: int) -> None:
    data = data_of(nx.hypercube_graph(d))
    assert_constant(balanced_forman_curvature(data), 2 / d)
    assert_constant(ollivier_ricci_curvature(data), 0)
    assert_constant(augmented_forman_curvature(data), 4 - 2 * d)
    assert_constant(augmented_forman_curvature(data, cycles=4), 4 - 2 * d + 2 * (d - 1))


@pytest.mark.parametrize(("a", "b"), [(2, 2), (2, 5), (3, 3), (4, 7)])
def test_complete_bipartite_graphs(a: int, b: int) -> None:
    data = data_of(nx.complete_bipartite_graph(a, b))
    more = max(a, b)
    four_cycles = (a + b - 2) / ((more - 1) * more)
    assert_constant(balanced_forman_curvature(data), 2 / a + 2 / b - 2 + four_cycles)
    assert_constant(ollivier_ricci_curvature(data), 0)
    assert_constant(augmented_forman_curvature(data), 4 - a - b)
    assert_constant(augmented_forman_curvature(data, cycles=4), 4 - a - b + 2 * (a - 1) * (b - 1))


def test_petersen_graph_and_octahedron() -> None:
    petersen = data_of(nx.petersen_graph())
    assert_constant(balanced_forman_curvature(petersen), -2 / 3)
    assert_constant(ollivier_ricci_curvature(petersen), -1 / 3)
    assert_constant(augmented_forman_curvature(petersen), -2)
    assert_constant(augmented_forman_curvature(petersen, cycles=4), -2)
    octahedron = data_of(nx.octahedral_graph())
    assert_constant(ollivier_ricci_curvature(octahedron), 1 / 2)
    assert_constant(balanced_forman_curvature(octahedron), 1 - 2 + 4 / 4 + 2 / 4 + 2 / 4)


@pytest.mark.parametrize("seed", range(5))
def test_trees(seed: int) -> None:
    tree = nx.random_labeled_tree(20, seed=seed)
    data = data_of(tree)
    balanced = by_edge(data, balanced_forman_curvature(data))
    ollivier = by_edge(data, ollivier_ricci_curvature(data))
    augmented = by_edge(data, augmented_forman_curvature(data))
    for u, v in balanced:
        a, b = tree.degree[u], tree.degree[v]
        expected = 2 / a + 2 / b - 2 if min(a, b) > 1 else 0
        assert balanced[u, v] == pytest.approx(expected, abs=1e-9)
        assert ollivier[u, v] == pytest.approx(-2 * max(0, 1 - 1 / a - 1 / b), abs=1e-9)
        assert augmented[u, v] == 4 - a - b


def test_inner_edge_of_a_grid() -> None:
    data = data_of(nx.grid_2d_graph(6, 6))
    assert by_edge(data, balanced_forman_curvature(data))[14, 15] == pytest.approx(0, abs=1e-9)
    assert by_edge(data, ollivier_ricci_curvature(data))[14, 15] == pytest.approx(0, abs=1e-9)


def literal_balanced_forman(graph: nx.Graph, i: int, j: int) -> float:
    near_i, near_j = set(graph[i]), set(graph[j])
    if min(len(near_i), len(near_j)) == 1:
        return 0.0
    low, high = sorted((len(near_i), len(near_j)))
    only_i, only_j = near_i - near_j - {j}, near_j - near_i - {i}
    counts = [sum(graph.has_edge(k, w) for w in only_j) for k in only_i]
    counts += [sum(graph.has_edge(k, w) for k in only_i) for w in only_j]
    triangles = len(near_i & near_j)
    value = 2 / low + 2 / high - 2 + 2 * triangles / high + triangles / low
    if any(counts):
        value += sum(count > 0 for count in counts) / (max(counts) * high)
    return value


def literal_four_cycles(graph: nx.Graph, u: int, v: int) -> int:
    candidates = product(set(graph[u]) - {v}, set(graph[v]) - {u})
    return sum(graph.has_edge(k, w) for k, w in candidates)


def transport_by_pot(graph: nx.Graph, u: int, v: int) -> float:
    hops = dict(nx.all_pairs_shortest_path_length(graph))
    cost = np.array([[float(hops[p][q]) for q in graph[v]] for p in graph[u]])
    return float(ot.emd2(*(np.full(size, 1 / size) for size in cost.shape), cost))


@pytest.mark.parametrize("index", range(len(RANDOM_GRAPHS)))
def test_equal_to_the_definitions_on_random_graphs(index: int) -> None:
    graph = RANDOM_GRAPHS[index]
    data = data_of(graph)
    balanced = by_edge(data, balanced_forman_curvature(data))
    ollivier = by_edge(data, ollivier_ricci_curvature(data))
    augmented = by_edge(data, augmented_forman_curvature(data, cycles=4))
    for u, v in balanced:
        assert balanced[u, v] == pytest.approx(literal_balanced_forman(graph, u, v), abs=1e-12)
        triangles = len(list(nx.common_neighbors(graph, u, v)))
        expected = 4 - graph.degree[u] - graph.degree[v] + 3 * triangles
        assert augmented[u, v] == expected + 2 * literal_four_cycles(graph, u, v)
        if u < v:
            assert ollivier[u, v] == pytest.approx(1 - transport_by_pot(graph, u, v), abs=1e-9)


@pytest.mark.parametrize("curvature", CURVATURES.values(), ids=CURVATURES)
def test_node_order_does_not_matter(curvature: Curvature) -> None:
    data = data_of(nx.karate_club_graph())
    order = torch.randperm(34, generator=torch.Generator().manual_seed(0))
    moved = Data(edge_index=order[data.edge_index], num_nodes=34)
    torch.testing.assert_close(curvature(moved), curvature(data))


@pytest.mark.parametrize("curvature", CURVATURES.values(), ids=CURVATURES)
def test_one_value_per_column(curvature: Curvature) -> None:
    data = data_of(nx.karate_club_graph())
    values = curvature(data)
    assert values.dtype == torch.float64
    columns = torch.randperm(data.num_edges, generator=torch.Generator().manual_seed(1))
    columns = torch.cat([columns, columns[:5]])
    loop = torch.tensor([[3], [3]])
    shuffled = Data(edge_index=torch.cat([loop, data.edge_index[:, columns]], 1), num_nodes=34)
    found = curvature(shuffled)
    assert found[0].isnan()
    assert torch.equal(found[1:], values[columns])


@pytest.mark.parametrize("curvature", CURVATURES.values(), ids=CURVATURES)
@pytest.mark.parametrize("name", ODD_GRAPHS)
def test_odd_graphs(curvature: Curvature, name: str) -> None:
    data = ODD_GRAPHS[name]
    values = curvature(data)
    assert values.shape == (data.num_edges,)
    loops = data.edge_index[0] == data.edge_index[1]
    assert torch.equal(values.isnan(), loops)
    assert values[~loops].isfinite().all()


def test_large_graphs() -> None:
    star = torch.stack([torch.zeros(10**6, dtype=torch.long), torch.arange(1, 10**6 + 1)])
    path = torch.stack([torch.arange(10**5), torch.arange(1, 10**5 + 1)])
    for edges in (star, path):
        edge_index = torch.cat([edges, edges.flip(0)], dim=1)
        data = Data(edge_index=edge_index, num_nodes=edges.size(1) + 2)
        assert_constant(ollivier_ricci_curvature(data), 0)
        assert_constant(balanced_forman_curvature(data), 0)


def test_bad_input_gets_a_sentence() -> None:
    one_way = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2)
    for curvature in CURVATURES.values():
        with pytest.raises(InputError, match="needs an undirected graph"):
            curvature(one_way)
    with pytest.raises(InputError, match="3 or 4, not 5"):
        augmented_forman_curvature(clique(3), cycles=5)
