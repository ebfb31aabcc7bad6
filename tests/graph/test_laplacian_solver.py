from __future__ import annotations

import numpy as np
import pytest
from torch_geometric.data import Data

from panda_gnn.diagnostics.resistance import laplacian_pseudoinverse
from panda_gnn.graph.laplacian_solver import LaplacianSolver
from panda_gnn.graph.rows import read_graph
from tests.odd_graphs import undirected
from tests.rewiring.rewired import GRAPHS, random_graph


def solver_of(data: Data, seed: int = 0) -> LaplacianSolver:
    return LaplacianSolver(read_graph(data, "test"), seed)


@pytest.mark.parametrize("name", GRAPHS)
def test_solutions_are_those_of_the_pseudoinverse(name: str) -> None:
    data = GRAPHS[name]
    solver, inverse = solver_of(data), laplacian_pseudoinverse(data).numpy()
    b = solver.multiply(np.random.default_rng(0).standard_normal((data.num_nodes, 5)))
    found = solver.solve(b, tolerance=1e-12)
    np.testing.assert_allclose(solver.multiply(found), b, rtol=0, atol=1e-9)
    up_to_constants = inverse @ solver.multiply(found)
    np.testing.assert_allclose(up_to_constants, inverse @ b, rtol=0, atol=1e-9)
    np.testing.assert_allclose(solver.multiply(inverse @ b), b, rtol=0, atol=1e-9)


def test_elimination_is_exact_on_trees() -> None:
    data = undirected(200, *((child, child // 3) for child in range(1, 200)))
    solver = solver_of(data)
    b = solver.multiply(np.random.default_rng(0).standard_normal((200, 2)))
    np.testing.assert_allclose(solver.multiply(solver.precondition(b)), b, rtol=0, atol=1e-9)


def test_a_seed_gives_the_same_factors_and_another_does_not() -> None:
    data = random_graph(60, 0.3, 0)
    b = np.eye(60)[:, :1] - 1 / 60
    one, same, other = (solver_of(data, seed).precondition(b) for seed in (3, 3, 4))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)
    usual = LaplacianSolver(read_graph(data, "test")).precondition(b)
    np.testing.assert_array_equal(usual, solver_of(data, 0).precondition(b))


def test_too_few_iterations_are_reported() -> None:
    data = random_graph(200, 0.1, 0)
    with pytest.raises(RuntimeError, match="did not reach the tolerance 1e-08 in 2 iterations"):
        solver_of(data).solve(np.eye(200)[:, :1] - 1 / 200, max_iterations=2)
