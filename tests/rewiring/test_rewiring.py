"""Properties of every transform on random graphs, in batches of five."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch_geometric.data import Batch, Data

from panda_gnn.rewiring import (
    AFRC,
    BORF,
    DIGL,
    GOKU,
    GTR,
    JDR,
    LASER,
    SDRF,
    Cayley,
    CentralEdges,
    Expander,
    FoSR,
    FullyAdjacent,
    HalfHop,
    HeatKernel,
    ProxyAdd,
    ProxyDelete,
    Rewiring,
    VirtualNode,
)
from panda_gnn.transforms import AssignRoles, CentralityEncoding, ExpandWidth
from tests.rewiring.rewired import assert_same, assert_simple, random_graph

TRANSFORMS: list[Rewiring] = [
    AFRC(),
    BORF(1),
    DIGL(self_loops=False),
    Expander(interleaved=False),
    FoSR(3),
    FullyAdjacent(),
    GTR(3),
    LASER(),
    SDRF(3, removal_bound=0.5),
    VirtualNode(),
    VirtualNode(2),
    Cayley(interleaved=False),
    CentralEdges(3),
    HeatKernel(self_loops=False),
    ProxyAdd(3),
    ProxyDelete(3),
    GOKU(3),
    JDR(3),
]
DIRECTED_OR_TWO: list[Rewiring] = [
    Cayley(),
    DIGL(),
    Expander(),
    HalfHop(),
    HalfHop(p=0.5),
    HeatKernel(),
]
MARKS: list[tuple[str, Any]] = [
    ("high", ExpandWidth("betweenness", 3)),
    ("high", ExpandWidth("closeness", ratio=0.3)),
    ("role", AssignRoles("betweenness", 3)),
    ("role", AssignRoles("degree", k=3)),
    ("x", CentralityEncoding(scale=("raw", "log", "relative", "rank"))),
    ("place", CentralityEncoding("degree", "rank", attr_name="place")),
]
BATCHES = st.lists(
    st.builds(
        random_graph,
        st.integers(1, 12),
        st.sampled_from([0.0, 0.1, 0.3, 0.6, 1.0]),
        st.integers(0, 2**31),
    ),
    min_size=5,
    max_size=5,
)
SAME_EVERY_TIME = settings(derandomize=True, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("transform", TRANSFORMS, ids=lambda one: type(one).__name__)
@given(graphs=BATCHES)
@SAME_EVERY_TIME
def test_rewired_graphs_are_simple_and_the_same_alone_and_in_a_batch(
    transform: Rewiring, graphs: list[Data]
) -> None:
    together = transform(Batch.from_data_list(graphs)).to_data_list()
    for found, data in zip(together, graphs, strict=True):
        assert_simple(found)
        assert_same(found, transform(data))


@pytest.mark.parametrize("transform", DIRECTED_OR_TWO, ids=repr)
@given(graphs=BATCHES)
@SAME_EVERY_TIME
def test_other_edge_sets_are_the_same_alone_and_in_a_batch(
    transform: Rewiring, graphs: list[Data]
) -> None:
    """Those with self-loops, with directed edges, or with a second edge set."""
    together = transform(Batch.from_data_list(graphs)).to_data_list()
    for found, data in zip(together, graphs, strict=True):
        assert_same(found, transform(data))
        count = int(found.num_nodes or 0)
        assert found.x.size(0) == count
        for key in ("edge_index", "expander_edge_index"):
            edges = found.get(key, torch.empty(2, 0))
            assert not edges.numel() or 0 <= int(edges.min()) <= int(edges.max()) < count
        if "edge_weight" in found:
            into = torch.zeros(count).index_add(0, found.edge_index[1], found.edge_weight)
            torch.testing.assert_close(into, torch.ones(count))


@pytest.mark.parametrize(("name", "transform"), MARKS, ids=lambda one: str(one))
@given(graphs=BATCHES)
@SAME_EVERY_TIME
def test_marks_are_the_same_alone_and_in_a_batch(
    name: str, transform: Any, graphs: list[Data]
) -> None:
    together = transform(Batch.from_data_list(graphs)).to_data_list()
    for found, data in zip(together, graphs, strict=True):
        values = found[name]
        assert torch.equal(values, transform(data)[name])
        assert values.size(0) == data.num_nodes
        assert bool(values.isfinite().all())
        if name == "high":
            counts = transform.counts(torch.tensor([data.num_nodes]))
            assert int(values.sum()) == min(int(counts), int(data.num_nodes or 0))
        if name == "role":
            assert 0 <= int(values.min()) <= int(values.max()) < transform.num_roles
