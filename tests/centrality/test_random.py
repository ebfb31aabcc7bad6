"""Random scores: reproducible, uniform, and different where they should be."""

from __future__ import annotations

import torch

from panda_gnn.centrality import centrality

from ..odd_graphs import ODD_GRAPHS, undirected


def test_seed_and_graph_decide() -> None:
    data = ODD_GRAPHS["grid"]
    assert torch.equal(centrality("random", data, seed=3), centrality("random", data, seed=3))
    assert not torch.equal(centrality("random", data, seed=3), centrality("random", data, seed=4))
    other = undirected(12, (0, 1))
    assert not torch.equal(centrality("random", data), centrality("random", other))
    looped = undirected(12, (0, 1), (3, 3))
    assert not torch.equal(centrality("random", looped), centrality("random", other))


def test_values_never_change_between_versions() -> None:
    first = centrality("random", ODD_GRAPHS["one edge"], seed=0).tolist()
    assert first == [0.5797362922829629, 0.43034585549913995]


def test_scores_are_uniform() -> None:
    scores = centrality("random", undirected(20_000))
    assert scores.min() >= 0
    assert scores.max() < 1
    assert abs(scores.mean() - 0.5) < 0.01
    assert abs(scores.std() - 12**-0.5) < 0.01
    counts = torch.histc(scores, 10, 0, 1)
    assert counts.min() > 1800
