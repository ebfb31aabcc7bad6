"""GOKU's parts against closed forms, and what it keeps of the spectrum."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch
from torch_geometric.data import Batch, Data

from panda_gnn.diagnostics import edge_resistance
from panda_gnn.errors import InputError
from panda_gnn.graph.components import components
from panda_gnn.graph.rows import undirected_edges
from panda_gnn.rewiring import GOKU
from panda_gnn.rewiring.goku import (
    _wanted,
    densified,
    latent_size,
    likeness,
    number_of_draws,
    resistances,
)
from tests.odd_graphs import ODD_GRAPHS, clique, undirected
from tests.rewiring.rewired import (
    GRAPHS,
    assert_rewired,
    assert_same,
    assert_simple,
    pairs,
    random_graph,
    tu_graphs,
    with_attributes,
)

SPARSE = random_graph(40, 0.08, 3)


@pytest.mark.parametrize(("count", "draws", "size"), [(100, 150, 170.746), (100, 200, 125.158)])
def test_the_size_of_the_latent_graph(count: int, draws: int, size: float) -> None:
    found = latent_size(count, draws)
    assert found == pytest.approx(size, abs=1e-3)
    assert found * (1 - (1 - 1 / found) ** draws) == pytest.approx(count, abs=1e-6)


@pytest.mark.parametrize("name", [name for name, data in GRAPHS.items() if data.num_edges])
def test_resistances_are_those_of_the_graph_and_foster_sums_them(name: str) -> None:
    data = GRAPHS[name]
    edges, place = undirected_edges(data, "test")
    found = resistances(edges.numpy(), data.num_nodes)
    assert found == pytest.approx(edge_resistance(data)[place[: edges.size(1)]].numpy(), abs=1e-9)
    forest = data.num_nodes - int(components(edges, data.num_nodes).max()) - 1
    assert found.sum() == pytest.approx(forest, abs=1e-9)


def test_a_graph_of_few_draws_is_its_own_latent_graph() -> None:
    """Even the least epsilon has (ln 8 / 2) (0.005 * 20 / 4)^2 / 0.01^2 = 6 draws of 20 edges."""
    assert _wanted(0.25, 4.0, 20, 1) > 0
    assert _wanted(0.005, 4.0, 20, 1) == 0


def test_the_latent_graph_has_the_edges_of_greatest_gain() -> None:
    edges, _ = undirected_edges(SPARSE, "test")
    latent = densified(edges.numpy(), 40, 20)
    assert np.array_equal(latent[:, : edges.size(1)], edges.numpy())
    new = latent[:, edges.size(1) :]
    assert new.shape[1] >= 20
    laplacian = np.zeros((40, 40))
    for u, v in edges.t().tolist():
        laplacian[u, v] = laplacian[v, u] = -1
    degree = -laplacian.sum(axis=0)
    laplacian += np.diag(degree)
    label = components(edges, 40).numpy()
    fiedler = np.zeros(40)
    for number in range(label.max() + 1):
        nodes = np.flatnonzero(label == number)
        if nodes.size > 1:
            fiedler[nodes] = np.linalg.eigh(laplacian[np.ix_(nodes, nodes)])[1][:, 1]
    present = pairs(edges)
    gain = {
        (u, v): abs(fiedler[u] - fiedler[v]) / (degree[u] + degree[v] + 1)
        for u in range(40)
        for v in range(u + 1, 40)
        if (u, v) not in present and label[u] == label[v]
    }
    best = sorted(gain.values(), reverse=True)[: new.shape[1]]
    assert [gain[u, v] for u, v in new.T.tolist()] == pytest.approx(best, abs=1e-9)


def test_the_latent_graph_is_as_large_as_the_least_sufficient_accuracy_makes_it() -> None:
    edges, _ = undirected_edges(SPARSE, "test")
    count = edges.size(1)
    graph = nx.Graph(edges.t().tolist())
    graph.add_nodes_from(range(40))
    values, vectors = np.linalg.eigh(nx.laplacian_matrix(graph, range(40)).toarray().astype(float))
    greatest = max((vectors[u, -1] - vectors[v, -1]) ** 2 / values[-1] for u, v in graph.edges)
    scale = (greatest * count / (2 * count / 40)) ** 2 / 2 * np.log(8)
    for least_added in (5, 20):
        for step in range(1, 201):
            draws = int(scale / (0.01 * step) ** 2)
            if draws <= count:
                pytest.fail("this test needs a graph with a latent one")
            if latent_size(count, draws) >= count + least_added:
                break
        expected = round(latent_size(count, draws))
        assert densified(edges.numpy(), 40, least_added).shape[1] == expected
    assert densified(edges.numpy(), 40, 5).shape[1] < expected


def test_draws_hit_as_many_edges_as_they_should() -> None:
    chance = np.random.default_rng(0).dirichlet(np.ones(50))
    draws = number_of_draws(chance, 30)
    hit = [(1 - (1 - chance) ** (draws + more)).sum() for more in (-1, 0)]
    assert hit[0] < 29.5 <= hit[1]


def test_the_laplacian_is_that_of_the_latent_graph_on_average() -> None:
    edges, _ = undirected_edges(SPARSE, "test")
    count, latent = edges.size(1), densified(edges.numpy(), 40, 20)
    total = np.zeros((40, 40))
    for seed in range(400):
        kept, weight = GOKU(seed=seed).sparsified(edges, 40, SPARSE.x)
        total[kept[0], kept[1]] += weight.numpy() ** 2 / 400
    share = count / latent.shape[1]
    assert total[latent[0], latent[1]].mean() == pytest.approx(share, rel=0.02)
    assert abs(total[latent[0], latent[1]] - share).max() < 0.5 * share
    assert np.count_nonzero(total) == latent.shape[1]


def test_about_as_many_edges_as_before() -> None:
    numbers = [GOKU(seed=seed)(SPARSE).num_edges for seed in range(40)]
    assert np.mean(numbers) == pytest.approx(SPARSE.num_edges, rel=0.05)
    fewer = [GOKU(beta=0.5, seed=seed)(SPARSE).num_edges for seed in range(40)]
    assert np.mean(fewer) == pytest.approx(SPARSE.num_edges / 2, rel=0.1)


def test_nodes_alike_are_joined_more_often() -> None:
    x = torch.tensor([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    edges = np.array([[0, 0, 0], [1, 2, 3]])
    assert likeness(edges, x) == pytest.approx([1, 0.5, 0])
    assert not likeness(edges, None).any()
    assert not likeness(edges, x.long()).any()


def test_what_holds_for_every_graph() -> None:
    for data in map(with_attributes, [*GRAPHS.values(), SPARSE]):
        after = GOKU()(data)
        assert_simple(after)
        assert_rewired(data, after)
        assert after.edge_weight.shape == (after.num_edges,)
        back = {tuple(edge): place for place, edge in enumerate(after.edge_index.t().tolist())}
        opposite = [back[v, u] for u, v in after.edge_index.t().tolist()]
        assert torch.equal(after.edge_weight, after.edge_weight[opposite])
        assert torch.equal(GOKU()(data).edge_weight, after.edge_weight)
    graphs = list(ODD_GRAPHS.values())
    for found, graph in zip(
        GOKU()(Batch.from_data_list(graphs)).to_data_list(), graphs, strict=True
    ):
        assert_same(found, GOKU()(graph))


def test_graphs_without_a_latent_one_stay_as_they_are() -> None:
    for data in (undirected(4), undirected(2, (0, 1)), clique(4)):
        after = GOKU()(data)
        assert pairs(after.edge_index) == pairs(data.edge_index)
        assert (after.edge_weight == 1).all()


def test_bad_options_get_a_sentence() -> None:
    with pytest.raises(InputError, match="beta must be above zero"):
        GOKU(beta=0)
    with pytest.raises(InputError, match="least_added must be a whole number"):
        GOKU(0)


def test_features_have_a_finite_row_for_each_node() -> None:
    data = undirected(6, *((i, (i + 1) % 6) for i in range(6)))
    for x in (data.x[:, 0], data.x[1:], data.x * torch.nan):
        with pytest.raises(InputError, match="GOKU reads features of nodes: give x"):
            GOKU()(Data(x=x, edge_index=data.edge_index, num_nodes=6))
    whole = Data(x=torch.ones(6, dtype=torch.long), edge_index=data.edge_index, num_nodes=6)
    none = Data(edge_index=data.edge_index, num_nodes=6)
    assert torch.equal(GOKU(3)(whole).edge_weight, GOKU(3)(none).edge_weight)


def test_real_graphs(mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    for data in tu_graphs(mirror, tmp_path_factory.getbasetemp(), "IMDB-BINARY")[::4]:
        assert_simple(GOKU()(data))
