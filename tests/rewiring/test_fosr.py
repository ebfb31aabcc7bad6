from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import torch
from torch_geometric.data import Data

from panda_gnn.diagnostics.spectrum import spectral_gap
from panda_gnn.errors import InputError
from panda_gnn.graph.rows import undirected_edges
from panda_gnn.rewiring.fosr import FoSR
from tests.odd_graphs import ODD_GRAPHS, clique, undirected
from tests.rewiring.rewired import (
    GRAPHS,
    TU_NAMES,
    assert_contract,
    assert_prefixes,
    assert_simple,
    pairs,
    random_graph,
    tu_graphs,
)

Floats = npt.NDArray[np.float64]


def literal_power_step(adjacency: Floats, x: Floats) -> Floats:
    degree = adjacency.sum(axis=0)
    if degree.sum() > 0:
        x = x - (x @ np.sqrt(degree)) * np.sqrt(degree) / degree.sum()
    scale = np.zeros_like(degree)
    scale[degree > 0] = degree[degree > 0] ** -0.5
    y = x + np.diag(scale) @ adjacency @ np.diag(scale) @ x
    length = np.linalg.norm(y)
    return np.asarray(y / length if length > 0 else y)


def literal_additions(data: Data, start: Floats, iterations: int) -> list[tuple[int, int]]:
    """FoSR word by word: dense matrices, and every pair tried."""
    n = data.num_nodes
    adjacency = np.zeros((n, n))
    adjacency[data.edge_index[0], data.edge_index[1]] = 1
    np.fill_diagonal(adjacency, 0)
    x = start
    for _ in range(5):
        x = literal_power_step(adjacency, x)
    added = []
    for _ in range(iterations):
        degree = adjacency.sum(axis=0)
        s = np.round(x / np.sqrt(degree + 1), 12)
        candidates = [
            (s[i] * s[j], i, j)
            for i, j in itertools.combinations(range(n), 2)
            if not adjacency[i, j]
        ]
        if not candidates:
            break
        _, i, j = min(candidates)
        adjacency[i, j] = adjacency[j, i] = 1
        added.append((i, j))
        x = literal_power_step(adjacency, x)
    return added


@pytest.mark.parametrize("name", GRAPHS)
def test_equals_the_literal_method(name: str) -> None:
    data = GRAPHS[name]
    edges, _ = undirected_edges(data, "test")
    for seed in range(3):
        fosr = FoSR(30, seed=seed)
        start = fosr.generator(edges, data.num_nodes).uniform(-1, 1, data.num_nodes)
        found = [tuple(pair) for pair in fosr.additions(edges, data.num_nodes).t().tolist()]
        assert found == literal_additions(data, start, 30)


def test_equals_the_literal_method_on_a_larger_graph() -> None:
    data = random_graph(120, 0.1, 0)
    edges, _ = undirected_edges(data, "test")
    fosr = FoSR(20)
    start = fosr.generator(edges, 120).uniform(-1, 1, 120)
    found = [tuple(pair) for pair in fosr.additions(edges, 120).t().tolist()]
    assert found == literal_additions(data, start, 20)


def test_contract() -> None:
    assert_contract(FoSR(7))
    assert_prefixes(FoSR)


def test_a_clique_gets_nothing_and_isolated_nodes_take_part() -> None:
    assert pairs(FoSR(10)(clique(6)).edge_index) == pairs(clique(6).edge_index)
    data = ODD_GRAPHS["trailing isolated node"]
    full = FoSR(1000)(data)
    assert full.num_nodes == 5
    assert pairs(full.edge_index) == pairs(clique(5).edge_index)
    empty = FoSR(2)(undirected(4))
    assert empty.edge_type.tolist() == [1] * 4


def test_the_seed_decides_and_nothing_rewired_before() -> None:
    data, other = random_graph(30, 0.1, 0), random_graph(30, 0.1, 1)
    fosr = FoSR(5, seed=3)
    first = fosr(data).edge_index
    fosr(other)
    assert torch.equal(fosr(data).edge_index, first)
    assert any(not torch.equal(FoSR(5, seed=seed)(data).edge_index, first) for seed in range(3))


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(InputError, match=r"iterations must be a whole number, .* not -1"):
        FoSR(-1)
    with pytest.raises(InputError, match=r"warmup must be a whole number, .* not -2"):
        FoSR(1, warmup=-2)


def test_repr_names_the_options() -> None:
    assert repr(FoSR(4)) == "FoSR(seed=0, iterations=4, warmup=5)"


def test_real_graphs(mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    fosr = FoSR(10)
    for name in TU_NAMES:
        for data in tu_graphs(mirror, tmp_path_factory.getbasetemp(), name):
            after = fosr(data)
            assert_simple(after)
            missing = data.num_nodes * (data.num_nodes - 1) // 2 - data.num_edges // 2
            assert int(after.edge_type.sum()) == 2 * min(10, missing)


def test_widens_the_gap_of_real_graphs(
    mirror: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    graphs = tu_graphs(mirror, tmp_path_factory.getbasetemp(), "MUTAG")
    gaps = [
        (spectral_gap(data), spectral_gap(FoSR(5)(data)), spectral_gap(FoSR(20)(data)))
        for data in graphs
    ]
    before, few, many = torch.tensor(gaps).mean(dim=0).tolist()
    assert before < 0.5 * few < 0.5 * many
