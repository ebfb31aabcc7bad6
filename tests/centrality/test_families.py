"""Every measure equals networkx or dense linear algebra, on odd, random and real graphs."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from torch_geometric.data import Data
from torch_geometric.datasets import TUDataset

from panda_gnn.centrality import CENTRALITIES, centrality

from ..marks import thorough
from ..odd_graphs import ODD_GRAPHS
from .oracles import ORACLES, as_data, as_networkx, graphs

PATHS = ("betweenness", "closeness", "load")


def check(name: str, data: Data, tolerance: float = 1e-9) -> None:
    expected = ORACLES[name](as_networkx(data))
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    difference = np.abs(centrality(name, data).numpy() - expected).max(initial=0.0)
    assert difference <= tolerance * scale, name


def test_all_measures_but_random_have_an_oracle() -> None:
    assert set(ORACLES) | {"random"} == set(CENTRALITIES)


@pytest.mark.parametrize("name", ORACLES)
@pytest.mark.parametrize("graph", ODD_GRAPHS)
def test_odd_graphs(name: str, graph: str) -> None:
    check(name, ODD_GRAPHS[graph])


def test_measures_of_shortest_paths_on_every_graph_of_up_to_six_nodes() -> None:
    atlas = [graph for graph in nx.graph_atlas_g() if 1 <= len(graph) <= 6]
    assert len(atlas) == 208
    of_all = [as_data(graph) for graph in atlas]
    for name in PATHS:
        expected = np.concatenate([ORACLES[name](graph) for graph in atlas])
        np.testing.assert_allclose(centrality(name, of_all).numpy(), expected, rtol=0, atol=1e-12)


@given(graphs())
@settings(max_examples=5 * settings().max_examples, suppress_health_check=[HealthCheck.too_slow])
def test_measures_of_shortest_paths_on_random_graphs(data: Data) -> None:
    for name in PATHS:
        check(name, data)


@given(graphs())
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_other_measures_on_random_graphs(data: Data) -> None:
    for name in ("degree", "pagerank", "harmonic", "katz", "current-flow", "resistance"):
        check(name, data)
    check("eigenvector", data, tolerance=1e-6)  # two components' eigenvalues may be close


@pytest.mark.parametrize("dataset", ["MUTAG", "ENZYMES", *thorough("PROTEINS")])
def test_graphs_of_real_datasets(
    dataset: str, mirror: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The 3 largest graphs and 60 spread over all sizes: networkx is slow on large ones."""
    monkeypatch.setattr(TUDataset, "url", str(mirror / "tudataset"))
    whole = TUDataset(str(tmp_path), dataset)
    order = sorted(range(len(whole)), key=lambda index: int(whole[index].num_nodes))
    chosen = order[:-3][:: max(1, len(whole) // 60)] + order[-3:]
    molecules = whole[chosen]
    scores = {name: centrality(name, molecules).numpy() for name in PATHS}
    place = 0
    for data in molecules:
        graph = as_networkx(data)
        for name in PATHS:
            found = scores[name][place : place + data.num_nodes]
            np.testing.assert_allclose(found, ORACLES[name](graph), rtol=0, atol=1e-9)
        place += data.num_nodes
