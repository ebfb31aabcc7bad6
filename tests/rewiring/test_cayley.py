from __future__ import annotations

import networkx as nx
import pytest
import torch
from torch import Tensor
from torch_geometric.data import Batch

from panda_gnn.diagnostics import spectral_gap
from panda_gnn.errors import InputError
from panda_gnn.nn import GNN
from panda_gnn.rewiring import Cayley, Expander
from panda_gnn.rewiring.cayley import whole_cayley_graph
from panda_gnn.rewiring.expander import cayley_graph, group_size, smallest_modulus
from tests.odd_graphs import ODD_GRAPHS, undirected
from tests.rewiring.rewired import GRAPHS, assert_same, assert_simple, pairs, with_attributes


def normalised_gap(edges: Tensor, num_nodes: int) -> float:
    adjacency = torch.zeros(num_nodes, num_nodes, dtype=torch.float64)
    adjacency[edges[0], edges[1]] = adjacency[edges[1], edges[0]] = 1
    scale = adjacency.sum(0).rsqrt()
    matrix = torch.eye(num_nodes, dtype=torch.float64) - scale[:, None] * adjacency * scale
    return float(torch.linalg.eigvalsh(matrix)[1])


@pytest.mark.parametrize(
    ("modulus", "size", "gap", "diameter"),
    [
        (2, 6, 0.5, 3),
        (3, 24, 0.31699, 4),
        (4, 48, 0.29289, 6),
        (5, 120, 0.19098, 6),
        (7, 336, 0.14645, 7),
    ],
)
def test_sizes_spectral_gaps_and_diameters(
    modulus: int, size: int, gap: float, diameter: int
) -> None:
    edges = whole_cayley_graph(modulus)
    assert group_size(modulus) == size == int(edges.max()) + 1
    assert normalised_gap(edges, size) == pytest.approx(gap, abs=1e-5)
    graph = nx.Graph(edges.t().tolist())
    assert nx.diameter(graph) == diameter
    assert nx.is_bipartite(graph) == (modulus % 2 == 0)


@pytest.mark.parametrize(
    ("size", "ours", "with_inverses"), [(30, 0.1128, 0.1155), (100, 0.1166, 0.1231)]
)
def test_what_is_cut_depends_on_the_order(size: int, ours: float, with_inverses: float) -> None:
    """Ours takes both generators and then both inverses, each generator with its inverse leaves
    other nodes: of the same graph of 120, whose gap is 0.19, and breadth-first in both cases."""
    assert normalised_gap(cayley_graph(5, size), size) == pytest.approx(ours, abs=1e-4)
    generators = ((1, 1, 0, 1), (1, -1, 0, 1), (1, 0, 1, 1), (1, 0, -1, 1))
    number: dict[tuple[int, ...], int] = {(1, 0, 0, 1): 0}
    queue = list(number)
    edges = []
    for u, (a, b, c, d) in enumerate(queue):
        for e, f, g, h in generators:
            product = (a * e + c * f, b * e + d * f, a * g + c * h, b * g + d * h)
            neighbour = tuple(entry % 5 for entry in product)
            if neighbour not in number:
                number[neighbour] = len(queue)
                queue.append(neighbour)
            edges.append((u, number[neighbour]))
    kept = torch.tensor([pair for pair in edges if max(pair) < size]).t()
    assert normalised_gap(kept, size) == pytest.approx(with_inverses, abs=1e-4)


def test_the_whole_graph_has_a_wider_gap_than_what_is_left_of_it() -> None:
    path = undirected(30, *((v, v + 1) for v in range(29)))
    cut = Expander()(path).expander_edge_index
    whole = Cayley()(path).expander_edge_index
    assert normalised_gap(cut, 30) < 0.18
    assert normalised_gap(whole, 48) == pytest.approx(0.29289, abs=1e-5)
    assert spectral_gap(path) < 0.02


@pytest.mark.parametrize("name", GRAPHS)
def test_virtual_nodes_fill_the_group(name: str) -> None:
    data = with_attributes(GRAPHS[name])
    n, size = data.num_nodes, group_size(smallest_modulus(data.num_nodes))
    after = Cayley()(data)
    assert after.num_nodes == size == after.virtual.numel()
    assert after.virtual.nonzero().view(-1).tolist() == list(range(n, size))
    assert pairs(after.edge_index) == pairs(data.edge_index)
    assert torch.equal(after.x[:n], data.x)
    assert not after.x[n:].any()
    assert torch.equal(after.y, data.y)
    assert "edge_type" not in after
    union = Cayley(interleaved=False)(data)
    assert_simple(union)
    before = pairs(data.edge_index)
    assert pairs(union.edge_index) == before | pairs(after.expander_edge_index)
    ends = union.edge_index.sort(dim=0).values.t().tolist()
    old = torch.tensor([tuple(pair) in before for pair in ends]).bool()
    assert torch.equal(union.edge_type == 0, old)


def test_a_batch_is_its_graphs_and_models_take_it() -> None:
    graphs = [ODD_GRAPHS[name] for name in ("path", "grid", "star")]
    batch = Cayley()(Batch.from_data_list(graphs))
    for found, graph in zip(batch.to_data_list(), graphs, strict=True):
        assert_same(found, Cayley()(graph))
    model = GNN(3, 2, width=4).double().eval()
    out = model(
        batch.x, batch.edge_index, batch=batch.batch, expander_edge_index=batch.expander_edge_index
    )
    assert out.shape == (3, 2)


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match="Cayley writes expander_edge_index, but"):
        Cayley()(Cayley()(ODD_GRAPHS["path"]))
