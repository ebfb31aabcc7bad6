from __future__ import annotations

import pytest

from panda_gnn.errors import InputError
from panda_gnn.rewiring import CentralEdges
from panda_gnn.transforms import ExpandWidth
from tests.odd_graphs import ODD_GRAPHS, clique
from tests.rewiring.rewired import GRAPHS, assert_contract, pairs


@pytest.mark.parametrize("centrality", ["betweenness", "degree", "random"])
@pytest.mark.parametrize("name", GRAPHS)
def test_the_nodes_that_panda_widens_become_a_clique(name: str, centrality: str) -> None:
    data = GRAPHS[name]
    high = ExpandWidth(centrality, 4)(data.clone()).high.nonzero().view(-1).tolist()
    among = {(u, v) for u in high for v in high if u < v}
    after = CentralEdges(4, centrality)(data)
    assert pairs(after.edge_index) == pairs(data.edge_index) | among


def test_the_middle_of_a_path() -> None:
    added = pairs(CentralEdges(3)(ODD_GRAPHS["path"]).edge_index) - pairs(
        ODD_GRAPHS["path"].edge_index
    )
    assert added == {(1, 3)}  # betweenness of P_6: 0, 4, 6, 6, 4, 0; of the two with 4 the first
    assert CentralEdges(3)(clique(5)).num_edges == 20


def test_contract() -> None:
    assert_contract(CentralEdges(4))


def test_bad_options_get_a_sentence() -> None:
    with pytest.raises(InputError, match="unknown centrality 'betwenness'"):
        CentralEdges(3, "betwenness")
    with pytest.raises(InputError, match="k must be a whole number"):
        CentralEdges(-1)
