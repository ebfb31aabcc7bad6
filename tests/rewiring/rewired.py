"""What the tests of the rewirings share: graphs to rewire, and what must hold afterwards."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Batch, Data, HeteroData
from torch_geometric.datasets import TUDataset

from panda_gnn.errors import InputError
from panda_gnn.graph.rows import undirected_edges
from panda_gnn.rewiring.base import Rewiring
from panda_gnn.rewiring.fosr import FoSR
from panda_gnn.rewiring.gtr import GTR
from tests.odd_graphs import ODD_GRAPHS, undirected

TU_NAMES = ("MUTAG", "ENZYMES", "PROTEINS", "IMDB-BINARY")


def random_graph(num_nodes: int, probability: float, seed: int) -> Data:
    """Every pair of nodes is an edge with the same probability."""
    generator = torch.Generator().manual_seed(seed)
    upper = torch.rand(num_nodes, num_nodes, generator=generator).triu(1) > 1 - probability
    return undirected(num_nodes, *map(tuple, upper.nonzero().tolist()))


GRAPHS: dict[str, Data] = {
    **ODD_GRAPHS,
    **{
        f"random {seed}": random_graph(6 + seed, 0.15 + 0.1 * (seed % 5), seed) for seed in range(9)
    },
}


def pairs(edge_index: Tensor) -> set[tuple[int, int]]:
    """The undirected edges, without self-loops."""
    return {(u, v) for u, v in edge_index.t().tolist() if u < v}


def with_attributes(data: Data) -> Data:
    """The graph with a target, a mask and an attribute of edges that tells which edge it is."""
    data = data.clone()
    source, target = data.edge_index
    low, high = torch.minimum(source, target), torch.maximum(source, target)
    data.edge_attr = torch.stack([low + 1, high + 1], dim=1)
    data.train_mask = torch.arange(data.num_nodes) % 2 == 0
    data.y = torch.tensor([1])
    return data


def assert_simple(data: Data) -> None:
    """The graph is undirected and has neither self-loops nor duplicates."""
    source, target = data.edge_index
    assert source.numel() == 0 or int(data.edge_index.max()) < data.num_nodes
    assert not (source == target).any()
    rank = (source * data.num_nodes + target).sort().values
    assert (rank[1:] > rank[:-1]).all()
    assert torch.equal(rank, (target * data.num_nodes + source).sort().values)


def assert_rewired(before: Data, after: Data) -> None:
    """Types tell the old edges from the new; everything but the edges is as it was."""
    old = pairs(before.edge_index)
    known = torch.tensor([(min(e), max(e)) in old for e in after.edge_index.t().tolist()])
    assert torch.equal(after.edge_type == 0, known.bool())
    assert after.num_nodes == before.num_nodes
    assert torch.equal(after.x, before.x)
    assert torch.equal(after.train_mask, before.train_mask)
    assert torch.equal(after.y, before.y)
    source, target = after.edge_index
    edge_attr = torch.stack([torch.minimum(source, target), torch.maximum(source, target)], 1) + 1
    edge_attr[after.edge_type > 0] = 0
    assert torch.equal(after.edge_attr, edge_attr)


def assert_contract(transform: Rewiring) -> None:
    """What holds for a rewiring on every odd graph, and what it refuses."""
    for data in map(with_attributes, GRAPHS.values()):
        before = data.clone()
        after = transform(data)
        assert_simple(after)
        assert_rewired(before, after)
        assert torch.equal(data.edge_index, before.edge_index)
        assert "edge_type" not in data
        assert torch.equal(transform(data).edge_index, after.edge_index)
    name = type(transform).__name__
    with pytest.raises(InputError, match=f"{name} needs an undirected graph"):
        transform(Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2))
    assert_composes(transform)
    assert_batches(transform)
    edge_index = torch.tensor([[0, 1], [1, 0]])
    with pytest.raises(InputError, match=f"{name} takes graphs of type Data, not HeteroData"):
        transform(HeteroData())
    with pytest.raises(InputError, match=f"{name} reads edge_index, but this graph has none"):
        transform(Data(num_nodes=2))
    with pytest.raises(InputError, match=f"{name} reads edge_index, but this graph has only adj_t"):
        transform(Data(adj_t=torch.eye(2), num_nodes=2))
    for bad in (edge_index.float(), edge_index.bool()):
        with pytest.raises(InputError, match=f"{name} needs whole numbers in edge_index"):
            transform(Data(edge_index=bad, num_nodes=2))


def assert_composes(transform: Rewiring) -> None:
    """Edges with a type keep it, and added ones get the types after the greatest."""
    for data in map(with_attributes, GRAPHS.values()):
        once = transform(data)
        source, target = data.edge_index
        data.edge_type = (source + target) % 3
        twice = transform(data)
        assert torch.equal(twice.edge_index, once.edge_index)
        free = int(data.edge_type.max()) + 1 if data.num_edges else 1
        kept = (twice.edge_index[0] + twice.edge_index[1]) % 3
        added = once.edge_type + free - 1
        assert torch.equal(twice.edge_type, torch.where(once.edge_type == 0, kept, added))


def assert_batches(transform: Rewiring) -> None:
    """A batch gives what its graphs give one by one, and falls into them again."""
    graphs = [with_attributes(data) for data in GRAPHS.values()]
    after = transform(Batch.from_data_list(graphs))
    expected = [transform(data) for data in graphs]
    assert isinstance(after, Batch)
    for found, one in zip(after.to_data_list(), expected, strict=True):
        assert_same(found, one)
    for key in ("batch", "ptr"):
        assert torch.equal(after[key], Batch.from_data_list(expected)[key])


def assert_same(found: Data, expected: Data) -> None:
    """Two graphs have the same attributes."""
    assert set(found.keys()) == set(expected.keys())
    for key in expected.keys():  # noqa: SIM118
        if isinstance(expected[key], Tensor):
            assert torch.equal(found[key], expected[key]), key
        else:
            assert found[key] == expected[key]


def assert_prefixes(make: Callable[[int], FoSR | GTR]) -> None:
    """The additions of a greedy method with a small budget are the first of those with a large."""
    for data in GRAPHS.values():
        edges, _ = undirected_edges(data, "test")
        longest = make(10_000).additions(edges, data.num_nodes)
        for budget in (0, 1, 2, 5, longest.size(1)):
            added = make(budget).additions(edges, data.num_nodes)
            assert torch.equal(added, longest[:, :budget])


@lru_cache(maxsize=4)
@lru_cache
def tu_graphs(mirror: Path, root: Path, name: str) -> list[Data]:
    """Graphs of a TU dataset, unpacked below ``root``: the 20 largest and some 105 spread evenly,
    which makes 500 of the four sets."""
    mirrored = type("Mirrored", (TUDataset,), {"url": f"{mirror}/tudataset"})
    graphs = sorted(mirrored(str(root / "tu"), name), key=lambda data: data.num_nodes)
    others = graphs[:-20]
    return others[:: max(1, len(others) // 105)] + graphs[-20:]
