"""Centralities as input features, against networkx and literal ranks."""

from __future__ import annotations

import math
from pathlib import Path

import networkx as nx
import pytest
import torch
from torch_geometric.data import Batch, Data
from torch_geometric.utils import to_networkx

from panda_gnn.errors import InputError
from panda_gnn.testing import assert_permutation_equivariant
from panda_gnn.transforms import CentralityEncoding
from panda_gnn.transforms.encoding import ascending, quantile_boundaries, scaled
from tests.odd_graphs import ODD_GRAPHS, undirected

SCALES = ("raw", "log", "relative", "rank")


@pytest.mark.parametrize("name", ODD_GRAPHS)
def test_every_scale_is_its_formula(name: str) -> None:
    """Columns in order: both measures raw, then on the next scale."""
    data = ODD_GRAPHS[name].clone()
    data.x = torch.ones(data.num_nodes, 1)
    graph = to_networkx(data, to_undirected=True)
    n = len(graph)
    pairs = max(n - 1, 0) * max(n - 2, 0) / 2
    columns: list[list[float]] = []
    for count, scores in (
        (max(n - 1, 0), nx.degree_centrality(graph)),
        (pairs, nx.betweenness_centrality(graph)),
    ):
        own = [scores[v] for v in range(n)]
        largest = max(own, default=0) or 1.0
        less = [sum(b < a - 1e-9 for b in own) for a in own]
        equal = [sum(abs(a - b) < 1e-9 for b in own) for a in own]
        columns += [
            own,
            [math.log(1 + count * a) for a in own],
            [a / largest for a in own],
            [(b + c / 2) / n for b, c in zip(less, equal, strict=True)],
        ]
    order = [0, 4, 1, 5, 2, 6, 3, 7]
    expected = torch.tensor([columns[i] for i in order], dtype=torch.float64).t().view(n, 8)
    encoding = CentralityEncoding(("degree", "betweenness"), SCALES)
    torch.testing.assert_close(encoding.columns(data), expected, rtol=0, atol=1e-9)
    encoded = encoding(data).x
    assert encoded.dtype == torch.float32
    torch.testing.assert_close(encoded[:, 1:], expected.float())


@pytest.mark.parametrize(
    ("measure", "count"),
    [("degree", 4), ("pagerank", 5), ("betweenness", 6), ("load", 6), ("eigenvector", 1)],
)
def test_logarithms_are_of_counts(measure: str, count: int) -> None:
    """Of 4 other nodes, 5 nodes or 6 pairs of others; of closeness none is taken."""
    scores = torch.tensor([0.5, 0.0, -0.25, 1.0, 3.0], dtype=torch.float64)
    batch = torch.zeros(5, dtype=torch.long)
    expected = [math.copysign(math.log(1 + abs(s) * count), s) for s in scores.tolist()]
    assert scaled(scores, "log", batch, 1, measure).tolist() == pytest.approx(expected, rel=1e-14)
    assert scaled(scores, "log", batch, 1, "closeness") is scores


def test_a_batch_is_its_graphs_one_by_one_and_keeps_the_columns() -> None:
    graphs = [Data(edge_index=g.edge_index, num_nodes=g.num_nodes) for g in ODD_GRAPHS.values()]
    encoding = CentralityEncoding("closeness", ("rank", "relative"))
    together = encoding(Batch.from_data_list(graphs))
    apart = [encoding(graph.clone()).x for graph in graphs]
    assert torch.equal(together.x, torch.cat(apart))
    assert torch.equal(together.to_data_list()[1].x, apart[1])


def test_one_number_for_each_node_becomes_the_first_column() -> None:
    path = undirected(3, (0, 1), (1, 2))
    path.x = torch.tensor([5.0, 6.0, 7.0])
    assert CentralityEncoding("degree", "raw")(path).x.tolist() == [[5, 0.5], [6, 1], [7, 0.5]]


def test_ranks_do_not_depend_on_the_order_of_nodes() -> None:
    encoding = CentralityEncoding(("degree", "betweenness"), "rank")
    assert_permutation_equivariant(encoding.columns, ODD_GRAPHS["barbell"])


def test_an_attribute_of_its_own_and_sampling_leave_x_and_exact_measures_alone() -> None:
    cycle = undirected(40, *((i, (i + 1) % 40) for i in range(40)))
    cycle.x = torch.arange(40)
    encoding = CentralityEncoding(("degree", "closeness"), "raw", attr_name="c", samples=4)
    encoded = encoding(cycle)
    assert torch.equal(encoded.x, torch.arange(40))
    assert torch.equal(encoded.c[:, 0], torch.full((40,), 2 / 39))
    assert not torch.equal(encoded.c[:, 1], encoded.c[:1, 1].expand(40))
    with pytest.raises(InputError, match="appends no numbers"):
        CentralityEncoding("degree")(cycle)


def test_scores_are_kept_in_a_folder(tmp_path: Path) -> None:
    encoding = CentralityEncoding("betweenness", cache=str(tmp_path))
    first = encoding.columns(ODD_GRAPHS["barbell"])
    assert list(tmp_path.iterdir())
    assert torch.equal(encoding.columns(ODD_GRAPHS["barbell"]), first)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measures": "degre"}, "unknown centrality 'degre'.*degree"),
        ({"scale": ("log", "logs")}, "unknown scale 'logs'"),
        ({"measures": ()}, "no centrality is given"),
        ({"samples": 1}, "samples"),
        ({"measures": ("degree", "degree")}, "centrality 'degree' is given twice"),
        ({"scale": ("log", "log")}, "scale 'log' is given twice"),
        *(({"attr_name": name}, "attr_name is ") for name in (3, "", "edge_index", "num_nodes")),
    ],
)
def test_bad_options_get_a_sentence(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        CentralityEncoding(**options)  # type: ignore[arg-type]


def test_bins_share_the_values_and_ties_stay_together() -> None:
    assert quantile_boundaries(torch.arange(9.0), 3).tolist() == [2.5, 5.5]
    few = torch.tensor([1.0] * 8 + [2.0, 2.0 + 1e-12, 3.0])
    assert quantile_boundaries(few, 3).tolist() == [1.5, 2.5]
    large = torch.tensor([1e6, 1e6 + 1e-4, 1e6 + 2e-4, 2e6], dtype=torch.float64)
    assert quantile_boundaries(large, 4).tolist() == [1.5e6, torch.inf, torch.inf]
    small = torch.tensor([1e-6, 3e-6, 5e-6], dtype=torch.float64)
    assert quantile_boundaries(small, 3).tolist() == pytest.approx([2e-6, 4e-6], rel=1e-9)
    assert quantile_boundaries(torch.ones(4), 3).tolist() == [torch.inf, torch.inf]
    assert quantile_boundaries(torch.empty(0), 2).tolist() == [torch.inf]
    with pytest.raises(InputError, match="finite"):
        quantile_boundaries(torch.tensor([torch.nan]), 2)


def test_boundaries_may_be_the_same_and_leave_a_bin_empty() -> None:
    assert ascending([0.5, 0.5, 2], (3,), "here").tolist() == [0.5, 0.5, 2.0]


def test_other_graphs_get_a_sentence() -> None:
    data, encoding = ODD_GRAPHS["path"], CentralityEncoding("degree")
    for x in (data.x[1:], data.x.view(6, 3, 1)):
        wrong = Data(x=x, edge_index=data.edge_index, num_nodes=6)
        with pytest.raises(InputError, match="one row for each of 6 nodes"):
            encoding(wrong)
    with pytest.raises(InputError, match="x is list, to which"):
        encoding(Data(x=[1] * 6, edge_index=data.edge_index, num_nodes=6))
    with pytest.raises(InputError, match="takes graphs of type Data, not list"):
        encoding([data])


def test_defaults_and_the_fewest_samples() -> None:
    assert CentralityEncoding().seed == 0
    assert CentralityEncoding("load", samples=2).samples == 2
