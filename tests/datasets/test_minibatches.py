"""Large graphs: sampled centrality, mini-batches, and the benchmark of full-batch training."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from torch.nn import functional as F
from torch_geometric.data import Data
from torch_geometric.utils import remove_self_loops, to_undirected

from panda_gnn.datasets.minibatches import NodeBatches, available_sampler
from panda_gnn.errors import InputError
from panda_gnn.nn import PandaGNN
from panda_gnn.transforms import ExpandWidth


def graph_with_hubs(num_nodes: int = 400) -> Data:
    torch.manual_seed(0)
    y = torch.arange(num_nodes) % 3
    source = torch.arange(num_nodes).repeat(3)
    target = (num_nodes * torch.rand(3 * num_nodes) ** 3).long()
    edge_index, _ = remove_self_loops(torch.stack([source, target]))
    return Data(
        x=torch.eye(3)[y] + 0.3 * torch.randn(num_nodes, 3),
        edge_index=to_undirected(edge_index),
        y=y,
        number=torch.arange(num_nodes),
    )


def test_sampled_centrality_finds_the_same_hubs() -> None:
    data = graph_with_hubs(2000)
    exact = ExpandWidth("betweenness", ratio=0.02)(data.clone()).high
    sampled = ExpandWidth("betweenness", ratio=0.02, samples=500)(data.clone()).high
    assert int(exact.sum()) == int(sampled.sum()) == 40
    assert int((exact & sampled).sum()) >= 32
    again = ExpandWidth("betweenness", ratio=0.02, samples=500)(data.clone()).high
    assert torch.equal(sampled, again)


def test_random_batches_count_every_chosen_node_once_and_carry_the_mask() -> None:
    data = ExpandWidth("degree", k=30)(graph_with_hubs())
    chosen = torch.arange(400) % 4 != 0
    batches = NodeBatches(data, 90, nodes=chosen, sampler="random")
    assert len(batches) == 5
    orders = []
    for _ in range(2):
        seen, counted = [], []
        for batch in batches:
            assert torch.equal(batch.high, data.high[batch.number])
            assert torch.equal(batch.x, data.x[batch.number])
            assert torch.equal(batch.counted, chosen[batch.number])
            source, target = batch.number[batch.edge_index]
            inside = torch.isin(data.edge_index, batch.number).all(0)
            assert set(zip(source.tolist(), target.tolist(), strict=True)) == {
                (u, v) for u, v in data.edge_index[:, inside].t().tolist()
            }
            seen += batch.number.tolist()
            counted += batch.number[batch.counted].tolist()
        assert sorted(seen) == list(range(400))
        assert sorted(counted) == chosen.nonzero().view(-1).tolist()
        orders.append(seen)
    assert orders[0] != orders[1]
    again = [n for batch in NodeBatches(data, 90, sampler="random") for n in batch.number.tolist()]
    assert again == orders[0]
    assert "counted" not in data


def test_a_model_learns_from_the_batches_that_are_there() -> None:
    data = ExpandWidth("degree", k=30)(graph_with_hubs())
    batches = NodeBatches(data, 150)
    assert batches.sampler == available_sampler()
    model = PandaGNN(3, 3, width=8, high_width=12, num_layers=2, dropout=0.0, readout=None)
    optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=0.02)
    means = []
    for _ in range(15):
        total = 0.0
        for batch in batches:
            out = model(batch.x, batch.edge_index, batch.high)
            loss = F.cross_entropy(out[batch.counted], batch.y[batch.counted])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * int(batch.counted.sum())
        means.append(total / 400)
    assert means[-1] < 0.8 * means[0]


def test_the_neighbour_sampler_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    for library in ("WITH_PYG_LIB", "WITH_TORCH_SPARSE"):
        monkeypatch.setattr(f"torch_geometric.typing.{library}", False)
    assert available_sampler() == "random"
    with pytest.raises(InputError, match="'neighbour' needs the package 'pyg-lib'"):
        NodeBatches(graph_with_hubs(), 50, sampler="neighbour")
    for library in ("WITH_PYG_LIB", "WITH_TORCH_SPARSE"):
        with monkeypatch.context() as here:
            here.setattr(f"torch_geometric.typing.{library}", True)
            assert available_sampler() == "neighbour"


class SeedsFirst:
    """What PyG's ``NeighborLoader`` promises: some of the input nodes first, then others."""

    def __init__(self, data: Data, num_neighbors: list[int], **options: Any) -> None:
        self.data, self.num_neighbors, self.options = data, num_neighbors, options

    def __iter__(self) -> Iterator[Data]:
        seeds = self.options["input_nodes"].nonzero().view(-1)
        for own in seeds.split(self.options["batch_size"]):
            nodes = torch.cat([own, (own + 1) % 400])
            batch = Data(number=self.data.number[nodes], high=self.data.high[nodes])
            batch.counted, batch.batch_size = self.data.counted[nodes], own.numel()
            yield batch


def test_the_neighbour_sampler_counts_every_node_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a batch only those count that were asked for, though chosen ones may be around them."""
    monkeypatch.setattr("torch_geometric.typing.WITH_PYG_LIB", True)
    monkeypatch.setattr("panda_gnn.datasets.minibatches.NeighborLoader", SeedsFirst)
    data = ExpandWidth("degree", k=30)(graph_with_hubs())
    chosen = torch.arange(400) % 4 < 2
    batches = NodeBatches(data, 30, nodes=chosen, num_neighbors=(5, 3), sampler="neighbour")
    counted = []
    for batch in batches:
        assert torch.equal(batch.high, data.high[batch.number])
        counted += batch.number[batch.counted].tolist()
    assert sorted(counted) == chosen.nonzero().view(-1).tolist()
    loader: Any = batches._loader
    assert (loader.num_neighbors, loader.options["shuffle"]) == ([5, 3], True)


def test_bad_input_is_one_sentence() -> None:
    data = graph_with_hubs()
    with pytest.raises(InputError, match="batch_size is 0"):
        NodeBatches(data, 0)
    with pytest.raises(InputError, match=r"boolean mask of shape \[400\], got torch.int64"):
        NodeBatches(data, 10, nodes=torch.arange(400))
    with pytest.raises(InputError, match="unknown sampler 'cluster': choose one of neighbour"):
        NodeBatches(data, 10, sampler="cluster")


def scaling() -> ModuleType:
    """The benchmark as a module."""
    path = Path(__file__).resolve().parents[2] / "benchmarks" / "scaling.py"
    spec = importlib.util.spec_from_file_location("scaling", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("model", ["panda-gcn", "panda-sage"])
def test_the_benchmark_trains(model: str) -> None:
    found = scaling().measure(model, 2000)
    assert found["last"] < found["loss"]
    assert 0.99 * 10_000 < found["edges"] <= 10_000
    assert found["peak"] > 0
