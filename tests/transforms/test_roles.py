"""Roles by quantiles, by bins and by the k most central nodes."""

from __future__ import annotations

import pytest
import torch
from torch_geometric.data import Batch

from panda_gnn.errors import InputError
from panda_gnn.testing import permuted
from panda_gnn.transforms import AssignRoles, ExpandWidth
from tests.odd_graphs import ODD_GRAPHS, undirected

PATH = undirected(6, *((i, i + 1) for i in range(5)))
STAR = undirected(6, *((0, i) for i in range(1, 6)))


def test_quantiles_give_equal_scores_one_role() -> None:
    assert AssignRoles("betweenness", 3)(PATH.clone()).role.tolist() == [0, 1, 2, 2, 1, 0]
    assert AssignRoles("degree", 4)(STAR.clone()).role.tolist() == [3, 1, 1, 1, 1, 1]
    cycle = undirected(5, *((i, (i + 1) % 5) for i in range(5)))
    assert AssignRoles("degree", 3)(cycle).role.tolist() == [1] * 5


def test_quantiles_do_not_depend_on_the_order_of_nodes() -> None:
    order = torch.randperm(PATH.num_nodes, generator=torch.Generator().manual_seed(0))
    role = AssignRoles("closeness", 3)(PATH.clone()).role
    assert torch.equal(AssignRoles("closeness", 3)(permuted(PATH, order)).role, role[order])


@pytest.mark.parametrize("name", ODD_GRAPHS)
def test_the_k_most_central_nodes_are_those_of_panda(name: str) -> None:
    data = ODD_GRAPHS[name].clone()
    high = ExpandWidth("betweenness", 2)(data).high
    assert torch.equal(AssignRoles("betweenness", k=2)(data).role, high.long())


def test_bins_are_fitted_on_training_graphs_and_shared() -> None:
    """Neighbours: 1 and 2 on the path, 1 and 5 in the star."""
    assign = AssignRoles("degree", 3, scale="log")
    with pytest.raises(InputError, match="no boundaries on the scale 'log' yet"):
        assign(PATH.clone())
    assign.fit([PATH, STAR])
    assert assign(PATH.clone()).role.tolist() == [0, 1, 1, 1, 1, 0]
    assert assign(STAR.clone()).role.tolist() == [2, 0, 0, 0, 0, 0]
    batch = assign(Batch.from_data_list([STAR, PATH]))
    assert batch.to_data_list()[1].role.tolist() == [0, 1, 1, 1, 1, 0]
    given = AssignRoles("degree", 2, scale="relative", boundaries=[0.5])
    assert given(PATH.clone()).role.tolist() == [0, 1, 1, 1, 1, 0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_roles": 0}, "num_roles"),
        ({"scale": "ranks"}, "unknown scale 'ranks'"),
        ({"boundaries": [0.2]}, "must be 2 ascending numbers"),
        ({"boundaries": [0.4, 0.2]}, "must be 2 ascending numbers"),
        ({"boundaries": "ab"}, "must be 2 ascending numbers"),
        ({"k": 3, "scale": "log"}, "need neither"),
        ({"k": 3, "num_roles": 5}, "num_roles is 5, but k=3 makes 2 roles"),
        ({"k": 1.5}, "k must be a whole number"),
        ({"centrality": 3}, "centrality is 3"),
    ],
)
def test_bad_options_get_a_sentence(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        AssignRoles(**options)  # type: ignore[arg-type]


def test_the_k_most_central_nodes_need_no_fit() -> None:
    with pytest.raises(InputError, match="need no fit"):
        AssignRoles(k=2).fit([PATH])


def test_a_list_is_no_graph() -> None:
    with pytest.raises(InputError, match="takes graphs of type Data, not list"):
        AssignRoles()([PATH])


def test_how_many_roles_there_are() -> None:
    assert AssignRoles(k=2).num_roles == AssignRoles(k=2, num_roles=2).num_roles == 2
    assert AssignRoles().num_roles == 3
