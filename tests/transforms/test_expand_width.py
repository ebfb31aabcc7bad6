"""Which nodes are high."""

from __future__ import annotations

from typing import Any

import networkx as nx
import pytest
import torch
from torch import Tensor
from torch_geometric.data import Batch, Data, HeteroData
from torch_geometric.loader import DataLoader
from torch_geometric.utils import to_networkx

from panda_gnn.centrality import centrality
from panda_gnn.errors import InputError
from panda_gnn.transforms import ExpandWidth, high_nodes, ranks, top_nodes
from panda_gnn.transforms.expand_width import share_of
from tests.odd_graphs import ODD_GRAPHS, undirected


@pytest.mark.parametrize("name", ODD_GRAPHS)
@pytest.mark.parametrize("k", [0, 1, 3, 100])
def test_marks_the_k_most_central_nodes(name: str, k: int) -> None:
    data = ODD_GRAPHS[name].clone()
    graph = to_networkx(data, to_undirected=True, remove_self_loops=True)
    by_node = nx.betweenness_centrality(graph)
    scores = torch.tensor([by_node[v] for v in range(data.num_nodes)], dtype=torch.float64)
    high = ExpandWidth("betweenness", k)(data).high
    assert high.dtype == torch.bool
    assert int(high.sum()) == min(k, data.num_nodes)
    if 0 < k < data.num_nodes:
        assert scores[high].min() >= scores[~high].max() - 1e-9


def test_ties_go_to_the_lower_index() -> None:
    cycle = undirected(6, *((i, (i + 1) % 6) for i in range(6)))
    assert ExpandWidth("degree", 2)(cycle).high.tolist() == [True, True] + [False] * 4


def test_rounding_errors_break_no_ties() -> None:
    scores = torch.tensor([0.1 + 0.2, 0.3, 0.3 - 1e-16, 0.1], dtype=torch.float64)
    batch = torch.zeros(4, dtype=torch.long)
    assert top_nodes(scores.flip(0), torch.tensor([1]), batch).tolist() == [
        False,
        True,
        False,
        False,
    ]


def test_a_batch_is_its_graphs_one_by_one() -> None:
    graphs = [graph.clone() for graph in ODD_GRAPHS.values()]
    together = ExpandWidth("closeness", 2)(Batch.from_data_list(graphs)).high
    apart = torch.cat([ExpandWidth("closeness", 2)(graph).high for graph in graphs])
    assert torch.equal(together, apart)


def test_ratio_rounds_up() -> None:
    star = ODD_GRAPHS["star"].clone()
    assert int(ExpandWidth("degree", ratio=0.3)(star).high.sum()) == 3
    assert int(ExpandWidth("degree", ratio=0.0)(star).high.sum()) == 0
    assert int(ExpandWidth("degree", ratio=1.0)(star).high.sum()) == 8
    for ratio, size, share in ((0.07, 100, 7), (0.55, 100, 55), (0.28, 25, 7), (0.071, 100, 8)):
        assert share_of(ratio, size) == share


def test_nodes_of_graphs_may_stand_in_any_order() -> None:
    scores, batch = torch.tensor([1.0, 2, 3, 4]), torch.tensor([1, 0, 1, 0])
    assert ranks(scores, batch, 2).tolist() == [1, 1, 0, 0]
    assert top_nodes(scores, torch.tensor([1, 1]), batch).tolist() == [False, False, True, True]
    with pytest.raises(InputError, match=r"batch has the graphs 0\.\.1, but num_graphs is 1"):
        ranks(scores, batch)
    with pytest.raises(InputError, match="scores are nan for some nodes"):
        ranks(scores * float("nan"), batch, 2)


def test_the_mask_travels_with_a_loader() -> None:
    graphs = [ExpandWidth("degree", 2)(graph.clone()) for graph in ODD_GRAPHS.values()]
    batch: Data = next(iter(DataLoader(graphs, batch_size=len(graphs))))
    assert torch.equal(batch.high, torch.cat([graph.high for graph in graphs]))


def test_random_nodes_depend_on_the_seed_alone() -> None:
    grid = ODD_GRAPHS["grid"]
    masks = [ExpandWidth("random", 4, seed=seed)(grid.clone()).high for seed in (0, 0, 1, 2, 3)]
    assert torch.equal(masks[0], masks[1])
    assert any(not torch.equal(masks[0], mask) for mask in masks[2:])


def test_scores_may_be_sampled() -> None:
    """The high nodes are those of the estimates, which are not those of the exact scores."""
    cycle = undirected(40, *((i, (i + 1) % 40) for i in range(40)))
    estimates = centrality("closeness", cycle, samples=4, seed=5)
    high = ExpandWidth("closeness", 6, samples=4, seed=5)(cycle.clone()).high
    assert estimates[high].min() >= estimates[~high].max()
    assert high.tolist() != ExpandWidth("closeness", 6)(cycle.clone()).high.tolist()
    with pytest.raises(InputError, match="samples=4 is for centralities by name, not 'my_scores'"):
        ExpandWidth("my_scores", 6, samples=4)
    with pytest.raises(InputError, match="samples must be a whole number, 2 or more, not 1"):
        ExpandWidth("closeness", 6, samples=1)


def test_wrong_options_are_named() -> None:
    with pytest.raises(InputError, match="k must be a whole number, zero or more, not -1"):
        ExpandWidth("degree", -1)
    with pytest.raises(InputError, match="give either k or ratio"):
        ExpandWidth("degree")
    with pytest.raises(InputError, match=r"ratio must be between 0 and 1, not 1\.5"):
        ExpandWidth("degree", ratio=1.5)
    directed = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2)
    with pytest.raises(InputError, match=r"unknown centrality 'beauty' .*: choose one of degree"):
        ExpandWidth("beauty", 2)(directed)
    with pytest.raises(InputError, match="undirected"):
        ExpandWidth("betweenness", 1)(directed)


def test_repr() -> None:
    assert repr(ExpandWidth("load", 3)) == "ExpandWidth(load, k=3)"
    assert repr(ExpandWidth("load", ratio=0.1)) == "ExpandWidth(load, ratio=0.1)"


def test_high_nodes_of_many_graphs_are_those_of_each() -> None:
    graphs = [graph.clone() for graph in ODD_GRAPHS.values()]
    apart = torch.cat([ExpandWidth("random", 2, seed=3)(graph.clone()).high for graph in graphs])
    assert torch.equal(high_nodes(graphs, "random", 2, seed=3), apart)
    assert torch.equal(high_nodes(Batch.from_data_list(graphs), "random", 2, seed=3), apart)
    assert high_nodes([], "degree", 2).shape == (0,)


def test_the_graphs_of_a_batch_keep_their_marks() -> None:
    graphs = [ODD_GRAPHS[name] for name in ("path", "one node", "barbell")]
    batch = Batch.from_data_list(graphs)
    parts = ExpandWidth("degree", 2)(batch).to_data_list()
    for part, graph in zip(parts, graphs, strict=True):
        assert torch.equal(part.high, high_nodes(graph, "degree", 2))
    assert all("high" not in part for part in batch.to_data_list())


def test_other_graphs_get_a_sentence() -> None:
    transform = ExpandWidth("degree", 2)
    edge_index = torch.tensor([[0, 1], [1, 0]])
    with pytest.raises(InputError, match="not HeteroData: use to_homogeneous"):
        transform(HeteroData())
    with pytest.raises(InputError, match="but this graph has none"):
        transform(Data(num_nodes=2))
    with pytest.raises(InputError, match="only adj_t"):
        transform(Data(adj_t=torch.eye(2), num_nodes=2))
    with pytest.raises(InputError, match="takes graphs of type Data, not list"):
        transform([ODD_GRAPHS["path"]])
    for bad in (edge_index.float(), edge_index.bool()):
        with pytest.raises(InputError, match="needs whole numbers in edge_index"):
            transform(Data(edge_index=bad, num_nodes=2))


def by_index(data: Data) -> Tensor:
    return torch.arange(int(data.num_nodes or 0))


def test_scores_of_a_function_or_an_attribute() -> None:
    data = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)
    data.price = torch.tensor([[5.0], [1.0], [3.0]])
    assert ExpandWidth(by_index, 1)(data.clone()).high.tolist() == [False, False, True]
    assert ExpandWidth("price", 2)(data.clone()).high.tolist() == [True, False, True]
    assert repr(ExpandWidth(by_index, 1)) == "ExpandWidth(by_index, k=1)"
    batch = Batch.from_data_list([data, data])
    assert ExpandWidth(by_index, 1)(batch).high.tolist() == [False, False, True] * 2
    assert high_nodes([data, data], by_index, 2).tolist() == [False, True, True] * 2


@pytest.mark.parametrize(
    ("centrality", "message"),
    [
        (lambda data: [1.0], "gives 1 scores for graph 0"),
        (lambda data: [float("nan")] * 3, "a finite one for each of 3 nodes"),
        (lambda data: "high", "gives no numbers for graph 0"),
        ("betweenes", "unknown centrality 'betweenes'"),
        (7, "centrality is 7"),
    ],
)
def test_scores_that_are_none(centrality: Any, message: str) -> None:
    data = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=3)
    with pytest.raises(InputError, match=message):
        ExpandWidth(centrality, 1)(data)
