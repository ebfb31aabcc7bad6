"""Components against networkx, and as graphs of their own."""

from __future__ import annotations

import networkx as nx
import pytest

from panda_gnn.graph.components import components, connected_components
from panda_gnn.graph.rows import read_graphs, undirected_edges
from tests.centrality.oracles import as_networkx
from tests.odd_graphs import ODD_GRAPHS


@pytest.mark.parametrize("name", ODD_GRAPHS)
def test_labels_count_components_by_first_node(name: str) -> None:
    data = ODD_GRAPHS[name]
    expected = sorted(sorted(nodes) for nodes in nx.connected_components(as_networkx(data)))
    for edges in (undirected_edges(data, "test")[0], data.edge_index):
        label = components(edges, data.num_nodes)
        for number, nodes in enumerate(expected):
            assert (label == number).nonzero().view(-1).tolist() == nodes


def test_a_disconnected_graph_becomes_its_components_in_order() -> None:
    rows = read_graphs([ODD_GRAPHS["isolated nodes"], ODD_GRAPHS["two components"]])
    connected, order = connected_components(rows)
    assert connected.sizes.tolist() == [1, 4, 1, 1, 3, 5]
    assert order.tolist() == [0, 1, 2, 3, 5, 4, 6, *range(7, 15)]
    assert connected.degrees.tolist() == rows.degrees[order].tolist()
    path = connected.part(5, 6)
    assert path.neighbours.tolist() == [1, 0, 2, 1, 3, 2, 4, 3]
