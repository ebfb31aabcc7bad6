"""Random graphs with twins, as networkx has them and as PyG has them."""

from __future__ import annotations

import networkx as nx
import numpy as np
from torch_geometric.data import Data

from panda_gnn.graph.arrays import Int64
from tests.odd_graphs import undirected


def data_of(graph: nx.Graph) -> Data:
    """The graph with its nodes numbered in sorted order."""
    graph = nx.convert_node_labels_to_integers(graph, ordering="sorted")
    return undirected(graph.number_of_nodes(), *graph.edges)


def edges_of(graph: nx.Graph) -> Int64:
    """Every edge once, ``[2, m]`` in order."""
    return np.array(sorted(graph.edges), dtype=np.int64).reshape(-1, 2).T.copy()


def random_graphs() -> list[nx.Graph]:
    """Random graphs of all densities, each with some twins."""
    random = np.random.default_rng(0)
    graphs = []
    for seed in range(40):
        graph = nx.gnp_random_graph(int(random.integers(4, 16)), random.uniform(0.1, 0.9), seed)
        for _ in range(int(random.integers(0, 8))):
            twin, node = graph.number_of_nodes(), int(random.integers(graph.number_of_nodes()))
            graph.add_edges_from([(twin, w) for w in graph[node]])
            graph.add_node(twin)
            if random.random() < 0.5:
                graph.add_edge(twin, node)
        graphs.append(graph)
    return graphs


RANDOM_GRAPHS = random_graphs()
