"""What the maps of a graph show, before and after a rewiring."""

from __future__ import annotations

import torch

from panda_gnn.centrality import CENTRALITIES
from panda_gnn.reports.diagnose.maps import graph_maps
from panda_gnn.reports.diagnose.model_choice import ModelChoice
from panda_gnn.reports.diagnose.numbers import MapMeasure, diagnose, edge_measures
from panda_gnn.rewiring import VirtualNode
from panda_gnn.transforms import high_nodes
from tests.odd_graphs import ODD_GRAPHS

MODEL = ModelChoice(width=4, high_width=6, num_layers=2, k=2)


def test_the_first_k_of_an_order_are_the_high_nodes() -> None:
    """For every centrality and k, what the page marks is what PANDA would widen."""
    data = ODD_GRAPHS["grid"]
    maps = graph_maps(data, list("abcdefghijkl"), [], edge_measures(data))
    orders = maps["stages"][0]["orders"]
    assert set(orders) == set(CENTRALITIES)
    for name, order in orders.items():
        for k in (0, 1, 5, 12):
            mask = torch.zeros(12, dtype=torch.bool)
            mask[order[:k]] = True
            assert torch.equal(mask, high_nodes(data, name, k)), name


def test_new_and_removed_edges() -> None:
    before, after = ODD_GRAPHS["path"].clone(), ODD_GRAPHS["cycle"].clone()
    after.edge_index = torch.tensor([[0, 1, 2, 3, 0, 5], [1, 0, 3, 2, 5, 0]])
    after.num_nodes = 6
    own = MapMeasure("own", "Mine.", torch.arange(6.0))
    maps = graph_maps(before, list("abcdef"), [own], edge_measures(before), ("after", after))
    first, second = maps["stages"]
    assert first["fresh"] == [0] * 5
    assert first["gone"] == []
    assert first["nodes"][0] == {
        "name": "own",
        "about": "Mine.",
        "values": [0, 1, 2, 3, 4, 5],
        "zero": False,
    }
    assert second["edges"] == [0, 1, 0, 5, 2, 3]
    assert second["fresh"] == [0, 1, 0]
    assert second["gone"] == [1, 2, 3, 4, 4, 5]
    assert [link["name"] for link in second["links"]] == [
        "effective resistance",
        "curvature",
        "resistance curvature",
    ]


def test_added_nodes_stand_in_the_middle() -> None:
    found = diagnose(ODD_GRAPHS["path"], MODEL, title="path", rewiring=VirtualNode())
    names = [str(node) for node in range(6)]
    maps = graph_maps(found.data, names, [], found.edge_measures, found.rewired)
    assert maps["names"][6:] == ["new 1"]
    place = torch.tensor(maps["position"]).view(-1, 2)
    torch.testing.assert_close(place[6], place[:6].mean(0), atol=1e-2, rtol=0)
    assert maps["stages"][1]["size"] == 7
