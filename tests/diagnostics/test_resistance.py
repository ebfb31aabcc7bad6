from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from panda_gnn.diagnostics.resistance import (
    edge_resistance,
    effective_resistance,
    laplacian_pseudoinverse,
    resistance_sketch,
    total_resistance,
)
from panda_gnn.errors import InputError
from tests.odd_graphs import ODD_GRAPHS, clique, undirected
from tests.rewiring.rewired import GRAPHS, random_graph

CASES = [pytest.param(data, id=name) for name, data in GRAPHS.items()]


def cycle(num_nodes: int) -> Data:
    return undirected(num_nodes, *((i, (i + 1) % num_nodes) for i in range(num_nodes)))


def path(num_nodes: int) -> Data:
    return undirected(num_nodes, *((i, i + 1) for i in range(num_nodes - 1)))


def bipartite(m: int, n: int) -> Data:
    return undirected(m + n, *((u, m + v) for u in range(m) for v in range(n)))


def hypercube(dimension: int) -> Data:
    nodes = range(2**dimension)
    return undirected(2**dimension, *((u, u ^ 1 << bit) for u in nodes for bit in range(dimension)))


def petersen() -> Data:
    rim = [(i, (i + 1) % 5) for i in range(5)]
    spokes = [(i, i + 5) for i in range(5)]
    inner = [(5 + i, 5 + (i + 2) % 5) for i in range(5)]
    return undirected(10, *rim, *spokes, *inner)


def literal_laplacian(data: Data) -> Tensor:
    adjacency = torch.zeros(data.num_nodes, data.num_nodes, dtype=torch.float64)
    adjacency[data.edge_index[0], data.edge_index[1]] = 1
    adjacency.fill_diagonal_(0)
    return adjacency.sum(0).diag() - adjacency


def num_components(data: Data) -> int:
    return int((torch.linalg.eigvalsh(literal_laplacian(data)).abs() < 1e-9).sum())


@pytest.mark.parametrize("data", CASES)
def test_equals_the_literal_pseudoinverse(data: Data) -> None:
    expected = torch.linalg.pinv(literal_laplacian(data), hermitian=True)
    assert torch.allclose(laplacian_pseudoinverse(data), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("data", CASES)
def test_resistance_is_a_metric_within_components_and_infinite_between(data: Data) -> None:
    found = effective_resistance(data)
    assert torch.equal(found.diagonal(), torch.zeros(data.num_nodes, dtype=torch.float64))
    assert torch.equal(found, found.t())
    reachable = torch.linalg.matrix_power(
        torch.eye(data.num_nodes, dtype=torch.float64) + (literal_laplacian(data) < 0), 12
    )
    assert torch.equal(found.isfinite(), reachable > 0)
    assert (found[:, :, None] <= found[:, None, :] + found.t()[None, :, :] + 1e-9).all()


@pytest.mark.parametrize("data", CASES)
def test_edges_obey_foster_and_agree_with_the_matrix(data: Data) -> None:
    found = edge_resistance(data)
    source, target = data.edge_index
    assert torch.allclose(found, effective_resistance(data)[source, target], rtol=0, atol=1e-12)
    foster = float(found[source < target].sum())
    assert foster == pytest.approx(data.num_nodes - num_components(data), abs=1e-9)


@pytest.mark.parametrize("data", CASES)
def test_total_is_the_sum_over_pairs_within_components(data: Data) -> None:
    found = effective_resistance(data)
    expected = float(found[found.isfinite()].sum()) / 2
    assert total_resistance(data) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", ["path", "cycle", "star", "clique", "barbell", "grid"])
def test_total_by_the_spectral_formula(name: str) -> None:
    data = ODD_GRAPHS[name]
    values = torch.linalg.eigvalsh(literal_laplacian(data))[1:]
    expected = data.num_nodes * float((1 / values).sum())
    assert total_resistance(data) == pytest.approx(expected, abs=1e-9)


def test_closed_forms_of_paths_cycles_cliques_and_stars() -> None:
    n = 17
    hops = (torch.arange(n)[:, None] - torch.arange(n)).abs().double()
    around = hops * (n - hops) / n
    for data, matrix, total in [
        (path(n), hops, (n**3 - n) / 6),
        (cycle(n), around, (n**3 - n) / 12),
        (clique(n), 2 / n * (1 - torch.eye(n).double()), n - 1),
    ]:
        assert torch.allclose(effective_resistance(data), matrix, rtol=0, atol=1e-9)
        assert total_resistance(data) == pytest.approx(total, abs=1e-9)
    star = undirected(n, *((0, leaf) for leaf in range(1, n)))
    assert total_resistance(star) == pytest.approx((n - 1) ** 2, abs=1e-9)


def test_closed_forms_of_complete_bipartite_graphs() -> None:
    m, n = 3, 5
    found = effective_resistance(bipartite(m, n))
    assert float(found[0, 1]) == pytest.approx(2 / n, abs=1e-9)
    assert float(found[m, m + 1]) == pytest.approx(2 / m, abs=1e-9)
    assert float(found[0, m]) == pytest.approx((m + n - 1) / (m * n), abs=1e-9)


def test_closed_forms_of_hypercubes_and_petersen() -> None:
    for dimension in (1, 2, 3, 4):
        size = 2**dimension
        data = hypercube(dimension)
        edges = edge_resistance(data)
        assert torch.allclose(
            edges, torch.full_like(edges, (size - 1) / (size * dimension / 2)), rtol=0, atol=1e-9
        )
        # The Laplacian of the d-cube has the eigenvalue 2k with multiplicity d over k.
        total = size * sum(math.comb(dimension, k) / (2 * k) for k in range(1, dimension + 1))
        assert total_resistance(data) == pytest.approx(total, abs=1e-9)
    opposite_corners = effective_resistance(hypercube(3))[0, 7]
    assert float(opposite_corners) == pytest.approx(5 / 6, abs=1e-9)
    # The Petersen graph has the Laplacian eigenvalues 2 (five times) and 5 (four times).
    assert total_resistance(petersen()) == pytest.approx(10 * (5 / 2 + 4 / 5), abs=1e-9)
    found = effective_resistance(petersen())
    for u, v in itertools.combinations(range(10), 2):
        near = (u, v) in {tuple(e) for e in petersen().edge_index.t().tolist()}
        assert float(found[u, v]) == pytest.approx(3 / 5 if near else 4 / 5, abs=1e-9)


def test_trees_have_hop_distances_and_bridges_have_resistance_one() -> None:
    generator = torch.Generator().manual_seed(0)
    parents = [(i, int(torch.randint(i, (1,), generator=generator))) for i in range(1, 60)]
    data = undirected(60, *parents)
    hops = torch.full((60, 60), torch.inf, dtype=torch.float64).fill_diagonal_(0)
    for child, parent in parents:
        hops[child, :child] = hops[:child, child] = hops[parent, :child] + 1
    assert torch.allclose(effective_resistance(data), hops, rtol=0, atol=1e-9)
    assert torch.allclose(edge_resistance(data), torch.ones(118).double(), rtol=0, atol=1e-9)


def test_defined_values_without_edges() -> None:
    for size in (0, 1, 3):
        data = undirected(size)
        assert total_resistance(data) == 0
        assert edge_resistance(data).shape == (0,)
        expected = torch.full((size, size), torch.inf, dtype=torch.float64).fill_diagonal_(0)
        assert torch.equal(effective_resistance(data), expected)
        sketch = resistance_sketch(data, probes=2)
        assert (sketch.resistance.numel(), sketch.total, sketch.total_error) == (0, 0, 0)


@pytest.mark.parametrize("data", CASES)
def test_sketch_stays_within_its_error(data: Data) -> None:
    sketch = resistance_sketch(data, probes=400)
    difference = (sketch.resistance - edge_resistance(data)).abs()
    assert (difference <= 5 * sketch.standard_error + 1e-9).all()
    assert abs(sketch.total - total_resistance(data)) <= 5 * sketch.total_error + 1e-9


def test_sketch_of_chosen_pairs() -> None:
    data = ODD_GRAPHS["two components"]
    pairs = torch.tensor([[0, 3, 0], [2, 7, 5]])
    sketch = resistance_sketch(data, pairs, probes=400, seed=1)
    assert sketch.resistance[2] == torch.inf
    assert sketch.standard_error[2] == 0
    exact = effective_resistance(data)[pairs[0], pairs[1]][:2]
    assert ((sketch.resistance[:2] - exact).abs() <= 5 * sketch.standard_error[:2] + 1e-9).all()
    again = resistance_sketch(data, pairs, probes=400, seed=1)
    assert torch.equal(sketch.resistance, again.resistance)


@pytest.mark.thorough
def test_sketch_of_a_hundred_thousand_nodes() -> None:
    size = 100_000
    ring = torch.arange(size)
    forward = torch.stack([ring, (ring + 1) % size])
    data = Data(edge_index=torch.cat([forward, forward.flip(0)], dim=1), num_nodes=size)
    sketch = resistance_sketch(data, probes=8)
    assert float(sketch.resistance[:size].sum()) == pytest.approx(size - 1, rel=1e-3)
    assert abs(sketch.total - (size**3 - size) / 12) <= 5 * sketch.total_error
    side = 317
    number = torch.arange(side * side).view(side, side)
    right = torch.stack([number[:, :-1].flatten(), number[:, 1:].flatten()])
    down = torch.stack([number[:-1].flatten(), number[1:].flatten()])
    both = torch.cat([right, down, right.flip(0), down.flip(0)], dim=1)
    sketch = resistance_sketch(Data(edge_index=both, num_nodes=side * side), probes=8)
    foster = float(sketch.resistance.sum()) / 2
    assert foster == pytest.approx(side * side - 1, rel=0.01)


def test_bad_input_gets_one_sentence() -> None:
    directed = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2)
    for function in (
        effective_resistance,
        edge_resistance,
        total_resistance,
        laplacian_pseudoinverse,
        resistance_sketch,
    ):
        with pytest.raises(InputError, match=f"{function.__name__} needs an undirected graph"):
            function(directed)
    with pytest.raises(InputError, match="probes must be a whole number, 2 or more, not 1"):
        resistance_sketch(ODD_GRAPHS["path"], probes=1)
    for function in (effective_resistance, edge_resistance, total_resistance):
        with pytest.raises(InputError, match="use resistance_sketch"):
            function(random_graph(6, 1.0, 0), max_nodes=5)


def test_errors_of_a_sketch_by_hand() -> None:
    """Three probes of a cycle with a chord: standard deviations with the divisor n - 1."""
    data = undirected(5, (0, 1), (1, 2), (2, 3), (3, 4), (0, 4), (1, 3))
    ends = sorted({(min(u, v), max(u, v)) for u, v in data.edge_index.t().tolist()})
    incidence = np.zeros((len(ends), 5))
    for edge, (u, v) in enumerate(ends):
        incidence[edge, u], incidence[edge, v] = 1.0, -1.0
    signs = np.random.default_rng(6).choice([-1.0, 1.0], size=(len(ends), 3))
    z = np.linalg.pinv(incidence.T @ incidence) @ incidence.T @ signs
    squares = (z[[0, 2]] - z[[2, 4]]) ** 2
    totals = 5 * (z**2).sum(0)
    sketch = resistance_sketch(data, torch.tensor([[0, 2], [2, 4]]), probes=3, seed=6)
    np.testing.assert_allclose(sketch.resistance.numpy(), squares.mean(1), rtol=1e-6)
    expected = np.sqrt(((squares - squares.mean(1)[:, None]) ** 2).sum(1) / 2 / 3)
    np.testing.assert_allclose(sketch.standard_error.numpy(), expected, rtol=1e-6)
    assert sketch.total == pytest.approx(totals.mean(), rel=1e-6)
    spread = np.sqrt(((totals - totals.mean()) ** 2).sum() / 2)
    assert sketch.total_error == pytest.approx(spread / np.sqrt(3), rel=1e-6)
