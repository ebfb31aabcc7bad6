"""The transport solver against a linear program."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from panda_gnn.graph.transport import transport


def test_transport_equals_a_linear_program() -> None:
    random = np.random.default_rng(1)
    for _ in range(30):
        rows, columns = random.integers(1, 6, size=2)
        supply, demand = np.full(rows, columns * 2), np.full(columns, rows * 2)
        distance = random.integers(0, 4, size=(rows, columns))
        sums = np.concatenate(
            [np.kron(np.eye(rows), np.ones(columns)), np.kron(np.ones(rows), np.eye(columns))]
        )
        program = linprog(distance.ravel(), A_eq=sums, b_eq=np.concatenate([supply, demand]))
        flow = np.zeros_like(distance)
        cost = transport(supply.copy(), demand.copy(), distance, flow)
        assert cost == pytest.approx(program.fun, abs=1e-6) == (flow * distance).sum()
        assert np.array_equal(flow.sum(axis=1), supply)
        assert np.array_equal(flow.sum(axis=0), demand)
        assert (flow >= 0).all()
