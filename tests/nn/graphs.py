"""Graphs with masks for the layers' tests: every odd graph with some, all and no high nodes."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from tests.odd_graphs import ODD_GRAPHS, undirected


def random_graph(num_nodes: int, probability: float, seed: int) -> Data:
    generator = torch.Generator().manual_seed(seed)
    upper = torch.rand(num_nodes, num_nodes, generator=generator).triu(1) > 1 - probability
    return undirected(num_nodes, *map(tuple, upper.nonzero().tolist()))


def masked(data: Data, high: Tensor) -> Data:
    data = data.clone()
    data.high = high
    return data


def cases() -> list[object]:
    graphs = dict(ODD_GRAPHS)
    graphs |= {f"random {seed}": random_graph(10, 0.35, seed) for seed in range(3)}
    found = []
    for name, data in graphs.items():
        some = torch.zeros(data.num_nodes, dtype=torch.bool)
        some[::3] = True
        for kind, high in {"some": some, "all": some | True, "none": some & False}.items():
            found.append(pytest.param(masked(data, high), id=f"{name}, {kind} high"))
    return found


CASES = cases()
GRAPHS = [case.values[0] for case in CASES]  # type: ignore[attr-defined]
MIXED = masked(random_graph(12, 0.3, 7), torch.arange(12) % 3 == 0)
