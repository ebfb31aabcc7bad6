"""Curvature from effective resistance: closed forms."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.utils import from_networkx, to_networkx

from panda_gnn.diagnostics import (
    effective_resistance,
    resistance_curvature,
    resistance_node_curvature,
)
from tests.odd_graphs import ODD_GRAPHS, undirected


def of(graph: nx.Graph) -> tuple[dict[tuple[int, int], float], list[float]]:
    data = from_networkx(graph)
    edges = [(u, v) for u, v in data.edge_index.t().tolist()]
    links = dict(zip(edges, resistance_curvature(data).tolist(), strict=True))
    return links, resistance_node_curvature(data).tolist()


def test_closed_forms() -> None:
    path, ends = of(nx.path_graph(5))
    assert path == pytest.approx({e: float(0 in e or 4 in e) for e in path}, abs=1e-12)
    assert ends == pytest.approx([0.5, 0, 0, 0, 0.5])
    for graph, link in (
        (nx.cycle_graph(6), 4 / 5),
        (nx.complete_graph(5), 2.0),
        (nx.star_graph(4), -1.0),
        (nx.hypercube_graph(3), 6 / 7),
    ):
        links, nodes = of(nx.convert_node_labels_to_integers(graph))
        assert list(links.values()) == pytest.approx([link] * len(links))
        assert sum(nodes) == pytest.approx(1)
    assert of(nx.cycle_graph(6))[1] == pytest.approx([1 / 6] * 6)
    assert of(nx.complete_graph(5))[1] == pytest.approx([1 / 5] * 5)
    assert of(nx.star_graph(4))[1] == pytest.approx([-1] + [0.5] * 4)


def test_the_bridge_of_a_barbell() -> None:
    links, _ = of(nx.barbell_graph(4, 0))
    for (u, v), value in links.items():
        ports = len({u, v} & {3, 4})
        assert value == pytest.approx({2: -1.0, 1: 0.0, 0: 2.0}[ports], abs=1e-12)


@pytest.mark.parametrize(("eps", "biased"), [(0.1, 0.843), (0.01, 0.9805), (0.001, 0.998)])
def test_the_pseudo_inverse_has_no_bias(eps: float, biased: float) -> None:
    """A bridge has one ohm; the inverse of L + eps I, which has been proposed, gives less."""
    graph = nx.barbell_graph(4, 0)
    laplacian = nx.laplacian_matrix(graph).toarray()
    inverse = np.linalg.inv(laplacian + eps * np.eye(8))
    assert inverse[3, 3] + inverse[4, 4] - 2 * inverse[3, 4] == pytest.approx(biased, abs=1e-3)
    assert float(effective_resistance(from_networkx(graph))[3, 4]) == pytest.approx(1)


@pytest.mark.parametrize("name", ODD_GRAPHS)
def test_nodes_of_a_component_sum_to_one(name: str) -> None:
    data = ODD_GRAPHS[name]
    parts = nx.number_connected_components(to_networkx(data, to_undirected=True))
    assert float(resistance_node_curvature(data).sum()) == pytest.approx(parts)


def test_loops_and_repeated_edges() -> None:
    plain = undirected(3, (0, 1), (1, 2))
    edge_index = torch.cat([plain.edge_index, plain.edge_index, torch.tensor([[2], [2]])], dim=1)
    data = Data(edge_index=edge_index, num_nodes=3)
    values = resistance_curvature(data)
    assert values[:-1].tolist() == pytest.approx(resistance_curvature(plain).tolist() * 2)
    assert bool(values[-1].isnan())
