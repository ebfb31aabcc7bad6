"""Properties of every transform on random graphs, 500 for each, in batches of five."""

from __future__ import annotations

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch_geometric.data import Batch, Data

from panda_gnn.rewiring import (
    AFRC,
    BORF,
    DIGL,
    GTR,
    LASER,
    SDRF,
    Cayley,
    CentralEdges,
    Expander,
    FoSR,
    FullyAdjacent,
    HeatKernel,
    ProxyAdd,
    ProxyDelete,
    Rewiring,
    VirtualNode,
)
from panda_gnn.transforms import ExpandWidth
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
A_HUNDRED = settings(
    max_examples=100,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("transform", TRANSFORMS, ids=lambda one: type(one).__name__)
@given(graphs=BATCHES)
@A_HUNDRED
def test_rewired_graphs_are_simple_and_the_same_alone_and_in_a_batch(
    transform: Rewiring, graphs: list[Data]
) -> None:
    together = transform(Batch.from_data_list(graphs)).to_data_list()
    for found, data in zip(together, graphs, strict=True):
        assert_simple(found)
        assert_same(found, transform(data))


@given(graphs=BATCHES)
@A_HUNDRED
def test_marks_are_the_same_alone_and_in_a_batch(graphs: list[Data]) -> None:
    transform = ExpandWidth("betweenness", 3)
    together = transform(Batch.from_data_list(graphs)).to_data_list()
    for found, data in zip(together, graphs, strict=True):
        assert int(found.high.sum()) == min(3, int(data.num_nodes or 0))
        assert torch.equal(found.high, transform(data).high)
