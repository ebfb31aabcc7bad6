"""Size and centralities as input features, against their formulas and networkx."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch
from torch_geometric.utils import to_networkx

from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.methods import complete
from panda_gnn.evaluation.methods.features import (
    FIVE_CENTRALITIES,
    centrality_features,
    size_feature,
)
from panda_gnn.evaluation.tasks import TaskData, load_data


@pytest.fixture
def mutag(shared_root: Path) -> TaskData:
    return load_data("mutag", str(shared_root))


def standardised(values: torch.Tensor, seen: torch.Tensor) -> torch.Tensor:
    return (values - values[seen].mean()) / values[seen].std(unbiased=False)


def test_the_size_is_one_over_n_standardised_over_training_graphs(mutag: TaskData) -> None:
    split = mutag.task.split(mutag, {}, 3)
    sizes = torch.tensor([graph.num_nodes for graph in mutag.dataset]).double()
    column = size_feature(mutag, {}, 3)
    expected = standardised(1 / sizes, split.train).repeat_interleave(sizes.long())
    torch.testing.assert_close(column.view(-1), expected)
    assert not torch.equal(column, size_feature(mutag, {}, 4))


def test_centralities_are_networkx_counts_and_shares_of_the_largest(mutag: TaskData) -> None:
    """Columns in order: five raw ones, then five relative ones."""
    features = centrality_features(mutag, {}, 0)
    split = mutag.task.split(mutag, {}, 0)
    raw: list[torch.Tensor] = []
    relative: list[torch.Tensor] = []
    for data in mutag.dataset:
        graph = to_networkx(data, to_undirected=True)
        nodes = range(len(graph))
        rank = nx.pagerank(graph, tol=1e-12, max_iter=1000)
        scores = {
            "degree": [graph.degree[v] for v in nodes],
            "betweenness": list(nx.betweenness_centrality(graph, normalized=False).values()),
            "closeness": list(nx.closeness_centrality(graph).values()),
            "pagerank": [rank[v] * len(graph) for v in nodes],
            "load": list(nx.load_centrality(graph, normalized=False).values()),
        }
        scores["load"] = [value / 2 for value in scores["load"]]  # networkx counts both directions
        columns = torch.tensor([scores[name] for name in FIVE_CENTRALITIES]).t().double()
        relative.append(columns / columns.max(dim=0).values)
        logs = columns.log1p()
        logs[:, FIVE_CENTRALITIES.index("closeness")] = columns[:, 2]
        raw.append(logs)
    seen = torch.isin(mutag.graphs.graph_of_node, split.train)
    expected = torch.cat(raw)
    for column in range(5):
        torch.testing.assert_close(
            features[:, column], standardised(expected[:, column], seen), rtol=1e-4, atol=1e-4
        )
    torch.testing.assert_close(features[:, 5:], torch.cat(relative), rtol=1e-5, atol=1e-5)


def test_a_constant_column_is_zero_and_an_edgeless_graph_is_ordinary() -> None:
    from panda_gnn.evaluation.methods.features import _standardised

    values = torch.tensor([[2.0, 1.0], [2.0, 3.0], [5.0, 5.0]], dtype=torch.float64)
    scaled = _standardised(values, values[:2])
    assert scaled[:, 0].tolist() == [0, 0, 0]
    assert scaled[:, 1].tolist() == [-1, 1, 3]


@pytest.mark.parametrize("dataset", ["imdb-binary", "texas"])
def test_features_are_of_one_scale_and_finite(
    dataset: str, shared_root: Path, mirror: Path
) -> None:
    """Raw PageRank, betweenness and degree of these sets differ by three orders of magnitude."""
    data = load_data(dataset, str(shared_root), str(mirror))
    settings = complete(Config(dataset, method="centralities")).settings
    features = centrality_features(data, settings, 0)
    assert torch.isfinite(features).all()
    raw, relative = features[:, :5], features[:, 5:]
    assert np.allclose(relative.max(dim=0).values, 1)
    assert relative.min() >= 0
    rows = data.task.split(data, settings, 0).train
    seen = rows
    if data.graphs.target_nodes is None:
        seen = torch.isin(data.graphs.graph_of_node, rows)
    torch.testing.assert_close(raw[seen].mean(dim=0), torch.zeros(5, dtype=torch.float64))
    deviation = raw[seen].std(dim=0, unbiased=False)
    torch.testing.assert_close(deviation, torch.ones(5, dtype=torch.float64))
