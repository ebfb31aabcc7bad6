from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from panda_gnn.centrality.edge_betweenness import edge_betweenness
from panda_gnn.graph.rows import rows_of_edges


def of(graph: nx.Graph) -> dict[tuple[int, int], float]:
    edges = np.array(list(graph.edges), np.int64).reshape(-1, 2).T
    rows = rows_of_edges(edges, graph.number_of_nodes())
    return dict(zip(map(tuple, rows.edges.T.tolist()), edge_betweenness(rows), strict=True))


def test_a_lollipop_by_hand() -> None:
    values = of(nx.lollipop_graph(4, 2))
    expected = {(0, 1): 1.0, (0, 3): 3.0, (3, 4): 8.0, (4, 5): 5.0}
    assert {edge: values[edge] for edge in expected} == expected


@pytest.mark.parametrize("seed", range(4))
def test_it_is_that_of_networkx_on_several_components(seed: int) -> None:
    graph = nx.disjoint_union(nx.gnp_random_graph(23, 0.12, seed=seed), nx.cycle_graph(6))
    expected = nx.edge_betweenness_centrality(graph, normalized=False)
    assert of(graph) == pytest.approx({tuple(sorted(edge)): v for edge, v in expected.items()})


def test_no_edge() -> None:
    assert of(nx.empty_graph(3)) == {}
