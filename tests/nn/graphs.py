"""Graphs with masks for the layers' tests: every odd graph with some, all and no high nodes."""

from __future__ import annotations

import pytest
import torch
from _pytest.mark import ParameterSet
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


def cases() -> list[ParameterSet]:
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
ATOMS, BONDS = (4, 3), (2, 5, 3)
GRAPHS: list[Data] = [case.values[0] for case in CASES]
MIXED = masked(random_graph(12, 0.3, 7), torch.arange(12) % 3 == 0)


def random_states(data: Data, low: int, high: int, seed: int = 0) -> tuple[Tensor, Tensor]:
    """States for the low and the high nodes of ``data``."""
    generator = torch.Generator().manual_seed(seed)
    num_high = int(data.high.sum())
    return (
        torch.randn(data.num_nodes - num_high, low, generator=generator, dtype=torch.float64),
        torch.randn(num_high, high, generator=generator, dtype=torch.float64),
    )


def as_list(data: Data, x_low: Tensor, x_high: Tensor) -> list[Tensor]:
    """The state of each node, in the graph's order."""
    low, high = iter(x_low), iter(x_high)
    return [next(high) if is_high else next(low) for is_high in data.high.tolist()]


def assert_states(data: Data, found: tuple[Tensor, Tensor], expected: list[Tensor]) -> None:
    """Both sides agree with the literal states to 1e-12."""
    for v, (one, other) in enumerate(zip(as_list(data, *found), expected, strict=True)):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-12, msg=f"node {v}")


def molecules() -> list[Data]:
    """Odd graphs with categories on nodes and edges, some nodes high."""
    made = []
    generator = torch.Generator().manual_seed(0)
    for graph in ODD_GRAPHS.values():
        nodes, edges = int(graph.num_nodes or 0), graph.num_edges
        columns = [torch.randint(size, (nodes,), generator=generator) for size in ATOMS]
        bonds = [torch.randint(size, (edges,), generator=generator) for size in BONDS]
        made.append(
            Data(
                x=torch.stack(columns, dim=1),
                edge_index=graph.edge_index,
                edge_attr=torch.stack(bonds, dim=1),
                high=torch.rand(nodes, generator=generator) < 0.4,
                num_nodes=nodes,
            )
        )
    return made
