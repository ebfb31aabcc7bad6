"""BORF against its definition, batch by batch, and the defects of the released code."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import ot
import pytest
import torch
from torch_geometric.data import Data

from panda_gnn.diagnostics.curvature import ollivier_ricci_curvature
from panda_gnn.errors import InputError
from panda_gnn.graph.ollivier import heaviest_pair
from panda_gnn.graph.rows import rows_of_edges
from panda_gnn.graph.twins import twin_classes
from panda_gnn.rewiring import BORF
from panda_gnn.rewiring.released import borf_edge_index
from tests.marks import thorough
from tests.random_graphs import RANDOM_GRAPHS, data_of
from tests.rewiring.rewired import (
    GRAPHS,
    assert_contract,
    assert_simple,
    pairs,
    tu_graphs,
)


def literal_batch(graph: nx.Graph, added: int, removed: int) -> None:
    data = data_of(graph)
    values = ollivier_ricci_curvature(data).tolist()
    columns = [(u, v) for u, v in data.edge_index.t().tolist()]
    curvature = {e: value for e, value in zip(columns, values, strict=True) if e[0] < e[1]}
    edges = np.array(sorted(curvature), dtype=np.int64).reshape(-1, 2).T.copy()
    twins = twin_classes(rows_of_edges(edges, graph.number_of_nodes()))
    lowest = sorted(curvature, key=lambda e: (curvature[e], e))[:added]
    highest = sorted(curvature, key=lambda e: (-curvature[e], e))[:removed]
    untouched = np.full(twins.first.size, -1)
    new = [heaviest_pair(twins, u, v, untouched) for u, v in lowest]
    new = [pair for pair in new if not graph.has_edge(*pair)]
    graph.add_edges_from(new)
    graph.remove_edges_from(highest)


@pytest.mark.parametrize(
    ("batches", "added", "removed"), [(1, 1, 0), (2, 3, 1), (3, 0, 2), (0, 3, 3)]
)
def test_equals_the_definition(batches: int, added: int, removed: int) -> None:
    for graph in RANDOM_GRAPHS[::2]:
        data, literal = data_of(graph), nx.Graph(graph)
        for _ in range(batches):
            literal_batch(literal, added, removed)
        found = pairs(BORF(batches, added, removed)(data).edge_index)
        assert found == {(min(e), max(e)) for e in literal.edges}


def test_the_bridge_of_a_barbell_gets_support() -> None:
    bell = nx.barbell_graph(5, 0)
    after = BORF(1, added=1, removed=0)(data_of(bell))
    ((u, v),) = pairs(after.edge_index) - set(bell.edges)
    assert u < 5 <= v


def test_without_removals_no_edge_is_lost() -> None:
    for data in GRAPHS.values():
        assert pairs(data.edge_index) <= pairs(BORF(3, 3, removed=0)(data).edge_index)


def test_the_released_code_deletes_every_edge_when_it_should_delete_none() -> None:
    for data in (data_of(nx.karate_club_graph()), *GRAPHS.values()):
        after = BORF(1, added=3, removed=0, variant="released")(data)
        assert after.num_edges <= 3
        assert (after.edge_type == 1).all()


def test_the_released_code_changes_one_direction() -> None:
    karate = data_of(nx.karate_club_graph())
    after = BORF(1, added=4, removed=1, variant="released")(karate)
    assert not after.is_undirected()
    before = set(map(tuple, karate.edge_index.t().tolist()))
    now = set(map(tuple, after.edge_index.t().tolist()))
    assert len(before - now) == 1
    assert 1 <= len(now - before) <= 4
    assert int(after.edge_type.sum()) == len(now - before)


def literal_removals(graph: nx.DiGraph, removed: int) -> None:
    """One batch of the released code that adds nothing: mass goes from predecessors of one end to
    successors of the other, over at most three directed edges."""
    steps = dict(nx.all_pairs_shortest_path_length(graph, cutoff=3))
    edges = sorted(graph.edges)
    curvatures = []
    for u, v in edges:
        before, after = sorted(graph.pred[u]) or [u], sorted(graph.succ[v]) or [v]
        cost = np.array([[min(3, steps[p].get(q, 3)) for q in after] for p in before], float)
        even = [np.full(len(part), 1 / len(part)) for part in (before, after)]
        curvatures.append(round(1 - ot.emd2(*even, cost), 9))
    for place in np.argsort(curvatures, kind="stable")[-removed:]:
        graph.remove_edge(*edges[place])


@pytest.mark.parametrize("batches", [1, 2])
def test_the_released_code_removes_what_is_most_curved_by_directed_paths(batches: int) -> None:
    for number in (3, 8, 21, 30):
        data = data_of(RANDOM_GRAPHS[number])
        graph = nx.DiGraph(data.edge_index.t().tolist())
        edges = data.edge_index[:, data.edge_index[0] < data.edge_index[1]].numpy()
        removed = data.num_edges // 3
        found = borf_edge_index(edges, int(data.num_nodes or 0), batches, 0, removed)
        for _ in range(batches):
            literal_removals(graph, removed)
        assert sorted(map(tuple, found.T.tolist())) == sorted(graph.edges)


def test_the_released_variant_runs_on_every_odd_graph() -> None:
    for data in GRAPHS.values():
        after = BORF(2, 2, 1, variant="released")(data)
        assert not (after.edge_index[0] == after.edge_index[1]).any()
        assert after.edge_type.shape == (after.num_edges,)


@pytest.mark.parametrize("transform", [BORF(), BORF(2, 4, 0)], ids=repr)
def test_contract(transform: BORF) -> None:
    assert_contract(transform)


@pytest.mark.parametrize("name", ["MUTAG", *thorough("ENZYMES", "PROTEINS"), "IMDB-BINARY"])
def test_real_sets(mirror: Path, tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    transform = BORF(2, 2, 1)
    for data in tu_graphs(mirror, tmp_path_factory.getbasetemp(), name):
        after = transform(data)
        assert_simple(after)
        assert after.num_nodes == data.num_nodes


def test_a_large_hub_is_no_problem() -> None:
    """Two hubs with 20000 leaves each, joined by an edge: one transport problem of two classes."""
    size = 20_000
    leaves = torch.arange(2, 2 * size + 2)
    hubs = torch.arange(2).repeat_interleave(size)
    edges = torch.cat([torch.stack([hubs, leaves]), torch.tensor([[0], [1]])], dim=1)
    data = Data(edge_index=torch.cat([edges, edges.flip(0)], dim=1), num_nodes=2 * size + 2)
    after = BORF(1, added=1, removed=0)(data)
    assert pairs(after.edge_index) - pairs(data.edge_index) == {(2, size + 2)}


def test_bad_options_get_a_sentence() -> None:
    for name, options in (("batches", (-2, 1, 1)), ("added", (1, -2, 1)), ("removed", (1, 1, -2))):
        with pytest.raises(InputError, match=f"^{name} must be a whole number, zero or more"):
            BORF(*options)
    with pytest.raises(InputError, match="unknown variant 'x' of BORF: choose one of paper, rel"):
        BORF(variant="x")
    assert repr(BORF(1)) == "BORF(seed=0, batches=1, added=3, removed=1, variant='paper')"
