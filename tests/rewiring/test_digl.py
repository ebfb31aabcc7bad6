from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.transforms import GDC

from panda_gnn.errors import InputError
from panda_gnn.graph import limits
from panda_gnn.rewiring.digl import DIGL
from tests.odd_graphs import ODD_GRAPHS, clique, undirected
from tests.rewiring.rewired import (
    GRAPHS,
    TU_NAMES,
    assert_contract,
    assert_rewired,
    assert_simple,
    tu_graphs,
    with_attributes,
)


@pytest.mark.parametrize("name", GRAPHS)
def test_equals_the_definition(name: str) -> None:
    data = GRAPHS[name]
    n = data.num_nodes
    adjacency = torch.zeros(n, n, dtype=torch.float64)
    adjacency[data.edge_index[0], data.edge_index[1]] = 1
    adjacency.fill_diagonal_(1)
    scale = adjacency.sum(0).rsqrt()
    h = scale[:, None] * adjacency * scale
    s = 0.1 * torch.linalg.inv(torch.eye(n, dtype=torch.float64) - 0.9 * h)
    s[s < 0.05] = 0
    s = s / s.sum(dim=0)
    after = DIGL()(data)
    found = torch.zeros(n, n, dtype=torch.float64)
    found[after.edge_index[0], after.edge_index[1]] = after.edge_weight.double()
    assert torch.allclose(found, s, rtol=0, atol=1e-6)
    assert torch.equal(found > 0, s > 0)


@pytest.mark.parametrize(
    "name", [name for name in GRAPHS if name not in ("one node", "self-loops")]
)
def test_equals_gdc(name: str) -> None:
    data = Data(edge_index=GRAPHS[name].edge_index, num_nodes=GRAPHS[name].num_nodes)
    gdc = GDC(
        diffusion_kwargs={"method": "ppr", "alpha": 0.1},
        sparsification_kwargs={"method": "threshold", "eps": 0.05},
    )
    expected, found = gdc(data.clone()), DIGL()(data)
    assert torch.equal(found.edge_index, expected.edge_index)
    assert torch.allclose(found.edge_weight, expected.edge_attr, atol=1e-5)


@pytest.mark.parametrize("name", GRAPHS)
def test_symmetric_with_self_loops_and_weights_that_add_up_to_one(name: str) -> None:
    data = with_attributes(GRAPHS[name])
    after = DIGL()(data)
    assert_rewired(data, after)
    source, target = after.edge_index
    loops = source == target
    assert sorted(source[loops].tolist()) == list(range(data.num_nodes))
    assert after.edge_type[loops].all()
    assert_simple(Data(edge_index=after.edge_index[:, ~loops], num_nodes=data.num_nodes))
    into = torch.zeros(data.num_nodes).index_add(0, target, after.edge_weight)
    assert torch.allclose(into, torch.ones(data.num_nodes))


def test_contract_without_self_loops() -> None:
    assert_contract(DIGL(self_loops=False))
    into = DIGL(self_loops=False)(ODD_GRAPHS["star"])
    sums = torch.zeros(8).index_add(0, into.edge_index[1], into.edge_weight)
    assert torch.allclose(sums, torch.ones(8))


def test_isolated_nodes_keep_only_themselves() -> None:
    after = DIGL()(undirected(3))
    assert after.edge_index.tolist() == [[0, 1, 2], [0, 1, 2]]
    assert after.edge_weight.tolist() == [1, 1, 1]
    assert DIGL()(undirected(1)).edge_index.tolist() == [[0], [0]]
    assert DIGL(self_loops=False)(undirected(1)).num_edges == 0
    assert DIGL()(undirected(0)).num_edges == 0


def test_closed_form_of_a_clique() -> None:
    # H = J / n is a projection, so S = alpha I + (1 - alpha) J / n.
    after = DIGL(alpha=0.2)(clique(5))
    source, target = after.edge_index
    expected = torch.where(source == target, 0.2 + 0.8 / 5, 0.8 / 5)
    assert torch.allclose(after.edge_weight, expected)


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match="alpha must be above 0 and at most 1, not 0"):
        DIGL(alpha=0)
    with pytest.raises(InputError, match="eps must be zero or more and finite, not -1"):
        DIGL(eps=-1)
    data = ODD_GRAPHS["path"].clone()
    data.edge_weight = torch.ones(data.num_edges)
    with pytest.raises(InputError, match="DIGL writes edge_weight, but the graph already has one"):
        DIGL()(data)


def test_real_graphs(mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    digl = DIGL()
    for name in TU_NAMES:
        for data in tu_graphs(mirror, tmp_path_factory.getbasetemp(), name):
            after = digl(data)
            rank = after.edge_index[0] * data.num_nodes + after.edge_index[1]
            opposite = after.edge_index[1] * data.num_nodes + after.edge_index[0]
            assert torch.equal(rank, opposite.sort().values)


@pytest.mark.parametrize("self_loops", [True, False])
def test_large_graphs_are_approximated(monkeypatch: pytest.MonkeyPatch, self_loops: bool) -> None:
    """Only edges whose entry is within the stated error of the threshold may be missing."""
    missing = {}
    for name, data in GRAPHS.items():
        transform = DIGL(self_loops=self_loops)
        with monkeypatch.context() as patch:
            patch.setattr(limits, "DENSE_DIFFUSION_NODES", 1)
            found = transform(data)
        expected = transform(data)
        assert found.edge_index.dtype == torch.long
        ours, theirs = ({tuple(e) for e in d.edge_index.t().tolist()} for d in (found, expected))
        assert ours <= theirs
        assert all((v, u) in ours for u, v in ours)
        if ours == theirs:
            assert torch.equal(found.edge_index, expected.edge_index)
            torch.testing.assert_close(found.edge_weight, expected.edge_weight, rtol=0, atol=5e-4)
            assert torch.equal(found.edge_type, expected.edge_type)
        else:
            missing[name] = len(theirs - ours)
    assert missing == {"random 8": 2}


@pytest.mark.parametrize("self_loops", [True, False])
@pytest.mark.parametrize("name", [*GRAPHS, "hubs", "cliques"])
def test_classes_of_twins_give_the_same_up_to_rounding(name: str, self_loops: bool) -> None:
    leaves = [(0 if leaf < 15 else 1, leaf) for leaf in range(2, 30)]
    clique = [(u, v) for v in range(6) for u in range(v)]
    made = {
        "hubs": undirected(30, *leaves, (0, 1)),
        "cliques": undirected(11, *clique, (5, 6), *((6, v) for v in range(7, 11))),
    }
    data = made[name] if name in made else GRAPHS[name]
    for alpha, eps in ((0.1, 0.05), (0.3, 0.01)):
        options: dict[str, Any] = {"alpha": alpha, "eps": eps, "self_loops": self_loops}
        found, expected = DIGL(**options, approximate=True)(data), DIGL(**options)(data)
        assert torch.equal(found.edge_index, expected.edge_index)
        torch.testing.assert_close(found.edge_weight, expected.edge_weight, rtol=1e-6, atol=1e-7)
        assert torch.equal(found.edge_type, expected.edge_type)


def test_all_entries_of_a_large_graph_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "DENSE_DIFFUSION_NODES", 5)
    with pytest.raises(InputError, match=r"DIGL\(eps=0\) .* at most 5 .*: use eps above zero"):
        DIGL(eps=0)(GRAPHS["grid"])
    with pytest.raises(InputError, match="eps is 0, it must be above zero"):
        DIGL(eps=0, approximate=True)
