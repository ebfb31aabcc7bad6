"""The kernels of the layers beside the best call of torch, on a small and a large batch.

``python benchmarks/kernels.py`` times them with the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F
from torch_geometric.nn import global_mean_pool

import panda_gnn
from panda_gnn.nn import Edges, PandaGCNConv, WidthPartition
from panda_gnn.nn.kernels.dropout import dropout
from panda_gnn.nn.kernels.edge_rows import source_rows, target_rows
from panda_gnn.nn.kernels.gathering import gather
from panda_gnn.nn.kernels.graph_means import graph_means
from panda_gnn.nn.kernels.random_words import random_words, words_by_torch
from panda_gnn.nn.kernels.ranking import rank
from panda_gnn.nn.kernels.row_sums import row_sums
from panda_gnn.nn.kernels.row_weights import edge_weights, normalised_weights
from panda_gnn.nn.kernels.updating import update
from panda_gnn.nn.kernels.width_rows import width_target_rows

SIZES = {"small": (1100, 2500, 64), "large": (40_000, 400_000, 500)}
"""Nodes, edges and graphs of a batch."""

WIDTH, HIGH_WIDTH = 64, 128


class Case(NamedTuple):
    """One kernel on one input."""

    kernel: str
    size: str
    library: str
    ours: Callable[[], Any]
    theirs: Callable[[], Any]


def in_torch(call: Callable[[], Any]) -> Callable[[], Any]:
    """The same computation in plain torch."""

    def run() -> Any:
        with panda_gnn.backend("torch"):
            return call()

    return run


def nn_cases() -> Iterator[Case]:
    """Every kernel of the layers on both inputs."""
    for size, (num_nodes, num_edges, num_graphs) in SIZES.items():
        generator = torch.Generator().manual_seed(0)
        edge_index = torch.randint(num_nodes, (2, num_edges), generator=generator)
        high = torch.rand(num_nodes, generator=generator) < 0.2
        x = torch.randn(num_nodes, WIDTH, generator=generator)
        wide = torch.randn(num_nodes, HIGH_WIDTH, generator=generator)
        batch = torch.arange(num_nodes) * num_graphs // num_nodes
        yield from _structure(size, edge_index, high)
        yield from _sums(size, edge_index, high, x, wide)
        yield from _selection(size, edge_index, high, wide)
        yield Case(
            "graph_means",
            size,
            "global_mean_pool",
            partial(graph_means, x, batch, num_graphs),
            partial(global_mean_pool, x, batch, num_graphs),
        )
        yield Case(
            "dropout", size, "F.dropout", partial(dropout, x, 0.5), partial(F.dropout, x, 0.5)
        )
        yield from _updates(size, x)
        words = x.numel() // 4
        yield Case(
            "random_words", size, "Tensor.random_",
            partial(random_words, words), partial(words_by_torch, words),
        )  # fmt: skip


def _updates(size: str, x: Tensor) -> Iterator[Case]:
    """What follows a convolution, with the backward pass, beside one step after the other."""
    out, before = x.clone().requires_grad_(), x.flip(0).requires_grad_()
    gradient = torch.ones_like(x)

    def ours() -> None:
        new = update(out, before, torch.relu, True, 0.5)
        torch.autograd.grad(new, (out, before), gradient)

    def steps() -> None:
        new = dropout(before + torch.relu(out), 0.5)
        torch.autograd.grad(new, (out, before), gradient)

    yield Case("updating", size, "relu, +, our dropout", ours, steps)


def _structure(size: str, edge_index: Tensor, high: Tensor) -> Iterator[Case]:
    num_nodes = high.numel()

    def edges() -> Edges:
        return Edges.of_graph(edge_index, num_nodes)

    def as_csr() -> Tensor:
        return torch.sparse_coo_tensor(
            edge_index.flip(0), torch.ones(edge_index.size(1)), (num_nodes, num_nodes)
        ).to_sparse_csr()

    yield Case("edge_rows", size, "to_sparse_csr", lambda: target_rows(edges()), as_csr)

    def both_directions() -> None:
        prepared = edges()
        target_rows(prepared)
        source_rows(prepared)

    yield Case(
        "edge_rows, transposed", size, "two stable argsorts", both_directions,
        lambda: [end.argsort(stable=True) for end in edge_index],
    )  # fmt: skip
    yield Case(
        "width_rows",
        size,
        "masks and nonzero",
        lambda: width_target_rows(WidthPartition(edge_index, high)),
        in_torch(lambda: WidthPartition(edge_index, high).into_low),
    )
    prepared = edges()
    target_rows(prepared)

    def weights() -> None:
        prepared._derived.pop(("normalised weights", True, torch.float32), None)
        normalised_weights(prepared, True, torch.float32)

    def torch_weights() -> None:
        prepared._derived.pop(("norm", True, torch.float32), None)
        prepared.norm(True, torch.float32)

    yield Case("row_weights", size, "index_add and pow", weights, torch_weights)


def _sums(size: str, edge_index: Tensor, high: Tensor, x: Tensor, wide: Tensor) -> Iterator[Case]:
    edges = Edges.of_graph(edge_index, x.size(0))
    weight, rows = edge_weights(edges, None, x.dtype), target_rows(edges)
    matrix = torch.sparse_csr_tensor(
        rows.ptr.long(), rows.column.long(), weight, (x.size(0), x.size(0))
    )
    yield Case(
        "row_sums", size, "torch.sparse.mm",
        lambda: row_sums(x, edges, weight), lambda: torch.sparse.mm(matrix, x),
    )  # fmt: skip
    yield Case(
        "row_sums", size, "index_add",
        lambda: row_sums(x, edges, weight),
        lambda: torch.zeros_like(x).index_add_(0, edge_index[1], x[edge_index[0]]),
    )  # fmt: skip
    partition = WidthPartition(edge_index, high)
    layer = PandaGCNConv((WIDTH, HIGH_WIDTH), (WIDTH, HIGH_WIDTH))
    states = x[~high], wide[high]
    repr(partition)  # both kinds of preparation are done before the clock starts

    def forward() -> None:
        with torch.no_grad():
            layer.convolve(states, partition)

    yield Case("width_aware_sums", size, "the layer in torch", forward, in_torch(forward))


def _selection(size: str, edge_index: Tensor, high: Tensor, wide: Tensor) -> Iterator[Case]:
    source, target = edge_index
    crossing = edge_index[:, high[source] & ~high[target]]
    index = rank(wide, wide, crossing, WIDTH, relu=False, ascending=False)

    def topk() -> Tensor:
        return (wide[crossing[0]] + wide[crossing[1]]).topk(WIDTH).indices

    yield Case(
        "ranking", size, "torch.topk",
        lambda: rank(wide, wide, crossing, WIDTH, relu=False, ascending=False), topk,
    )  # fmt: skip
    long = index.long()
    yield Case(
        "gathering", size, "torch.gather",
        lambda: gather(wide, crossing[0], index), lambda: wide[crossing[0]].gather(1, long),
    )  # fmt: skip
