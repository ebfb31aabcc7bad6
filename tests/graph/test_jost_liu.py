"""The curvature of Jost and Liu on graphs where it is known."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch
from torch_geometric.utils import from_networkx

from panda_gnn.diagnostics import jost_liu_curvature, ollivier_ricci_curvature
from panda_gnn.graph.jost_liu import jost_liu
from panda_gnn.graph.rows import read_graph
from tests.odd_graphs import ODD_GRAPHS


@pytest.mark.parametrize(
    ("graph", "value"),
    [
        (nx.path_graph(5), 0.0),
        (nx.star_graph(4), 0.0),
        (nx.cycle_graph(6), 0.0),
        (nx.complete_graph(5), 0.75),
        (nx.hypercube_graph(3), -2 / 3),
    ],
)
def test_closed_forms(graph: nx.Graph, value: float) -> None:
    data = from_networkx(nx.convert_node_labels_to_integers(graph))
    np.testing.assert_allclose(jost_liu(read_graph(data, "test")), value, atol=1e-12)


def test_the_bridge_of_a_barbell() -> None:
    data = from_networkx(nx.barbell_graph(4, 0))
    u, v = data.edge_index
    bridge = (u < 4) != (v < 4)
    torch.testing.assert_close(jost_liu_curvature(data)[bridge], torch.full((2,), -1.0).double())


@pytest.mark.parametrize("name", ["grid", "barbell", "self-loops", "no edges"])
def test_it_is_a_lower_bound(name: str) -> None:
    data = ODD_GRAPHS[name]
    bound, value = jost_liu_curvature(data), ollivier_ricci_curvature(data)
    assert torch.equal(bound.isnan(), value.isnan())
    assert bool((bound <= value + 1e-12)[~bound.isnan()].all())
