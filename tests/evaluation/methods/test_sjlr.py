"""SJLR: which edges may go and come, how often, and that only training sees it."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch

from panda_gnn.diagnostics import jost_liu_curvature
from panda_gnn.errors import InputError
from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.methods import configure, graphs_and_model
from panda_gnn.evaluation.methods.sjlr import _logits, candidates_of, drawn
from panda_gnn.evaluation.tasks import load_data
from panda_gnn.evaluation.trial import run_trial
from panda_gnn.graph.rows import read_graph
from tests.odd_graphs import ODD_GRAPHS, undirected
from tests.rewiring.rewired import pairs


@pytest.mark.parametrize("name", ["grid", "barbell", "star", "clique", "no edges", "cycle"])
def test_gains_are_those_of_adding_the_edge(name: str) -> None:
    data = ODD_GRAPHS[name]
    found, gains = candidates_of(read_graph(data, "test"))
    graph = nx.Graph(list(pairs(data.edge_index)))
    graph.add_nodes_from(range(int(data.num_nodes or 0)))
    open_wedges = {
        (u, v)
        for u, v in nx.non_edges(graph)
        if any(True for _ in nx.common_neighbors(graph, u, v))
    }
    assert len(found[0]) == min(len(open_wedges), 2 * graph.number_of_edges())

    def curvature(edges: list[tuple[int, int]]) -> dict[tuple[int, int], float]:
        one = undirected(graph.number_of_nodes(), *edges)
        columns = map(tuple, one.edge_index.t().tolist())
        return dict(zip(columns, jost_liu_curvature(one).tolist(), strict=True))

    before = curvature(list(graph.edges))
    supports = []
    for (u, v), gain in zip(found.T.tolist(), gains, strict=True):
        assert tuple(sorted((u, v))) in {tuple(sorted(pair)) for pair in open_wedges}
        after = curvature([*graph.edges, (u, v)])
        sides = [(end, w) for w in nx.common_neighbors(graph, u, v) for end in (u, v)]
        assert gain == pytest.approx(sum(after[e] - before[e] for e in sides) / len(sides))
        supports.append(min(before[side] for side in sides))
    assert supports == sorted(supports)


def test_draws_follow_the_softmax() -> None:
    torch.manual_seed(0)
    graph = undirected(4, (0, 1), (1, 2), (2, 3))
    graph.y = torch.tensor([0])
    logit = torch.tensor([0.0, 1.0, 2.0])
    table = replace(
        GraphTable.collate([graph]),
        edge_index=torch.tensor([[0, 1, 2], [1, 2, 3]]),
        edge_ptr=torch.tensor([0, 3]),
        edge_options={"logit": logit},
    )
    first = torch.stack([drawn(table, torch.tensor([1])) for _ in range(2000)]).view(-1)
    share = first.bincount(minlength=3) / 2000
    torch.testing.assert_close(share, logit.softmax(0), rtol=0, atol=0.04)
    assert sorted(drawn(table, torch.tensor([9])).tolist()) == [0, 1, 2]


def test_batches_of_training_alone_have_other_edges(shared_root: Path) -> None:
    data = load_data("mutag", str(shared_root))
    config = configure("mutag", "gcn", "sjlr", {"dropped": 0.2, "added": 0.1})
    graphs, _ = graphs_and_model(data, config, 0)
    assert torch.equal(graphs.edge_index, data.graphs.edge_index)
    assert graphs.augment is not None
    rows = torch.tensor([3, 0, 17])
    batch = graphs.take(rows)
    once, twice = graphs.augment(rows, batch), graphs.augment(rows, batch)
    assert pairs(once.edge_index) != pairs(twice.edge_index)
    for place in range(3):
        start, stop = batch.node_ptr[place], batch.node_ptr[place + 1]
        old, new = (
            pairs(table.edge_index[:, table.edge_ptr[place] : table.edge_ptr[place + 1]])
            for table in (batch, once)
        )
        assert len(old - new) == round(0.2 * len(old))
        assert len(new - old) == round(0.1 * len(old))
        assert all(start <= node < stop for pair in new for node in pair)
    assert torch.equal(once.edge_index.flip(0).unique(dim=1), once.edge_index.unique(dim=1))


def test_unlike_nodes_part_and_like_nodes_join(shared_root: Path) -> None:
    """Without curvature, the distance of features alone decides: 0 or the greatest on MUTAG."""
    config = configure("mutag", "gcn", "sjlr", {"alpha": 0.0})
    graphs, _ = graphs_and_model(load_data("mutag", str(shared_root)), config, 0)
    redraw: Any = graphs.augment
    for table, sign in ((redraw.edges, 1), (redraw.candidates, -1)):
        source, target = table.edge_index
        unlike = (graphs.x[source] != graphs.x[target]).any(dim=1)
        logit = table.edge_options["logit"]
        assert unlike.any()
        assert set(logit[~unlike].tolist()) == {0.0}
        assert set(logit[unlike].tolist()) <= {0.0, float(sign)}  # 0 where all pairs are unlike
        assert (logit == sign).any()


def test_nothing_dropped_and_added_is_the_plain_backbone(shared_root: Path) -> None:
    nothing, root = {"dropped": 0.0, "added": 0.0}, str(shared_root)
    rows = [
        run_trial(configure("mutag", method=m, settings=s, max_epochs=5, dropout=0.0), 0, root=root)
        for m, s in (("sjlr", nothing), ("none", {}))
    ]
    assert rows[0]["scores"] == rows[1]["scores"]


def test_shares_beyond_one_are_rejected() -> None:
    with pytest.raises(InputError, match=r"settings.sjlr: dropped"):
        configure("mutag", method="sjlr", settings={"dropped": 1.5})


@pytest.mark.parametrize("sign", [1, -1])
def test_logits_weigh_curvature_and_distance(sign: int) -> None:
    x = torch.tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])
    pairs = torch.tensor([[0, 0, 1], [1, 2, 2]])
    curvature, distance = np.array([-1.0, 3.0, 1.0]), np.array([5.0, 1.0, math.sqrt(18)])
    expected = 0.3 * (curvature + 1) / 4 + sign * 0.7 * (distance - 1) / 4
    found = _logits(x, pairs, curvature, 0.3, sign)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-12)
