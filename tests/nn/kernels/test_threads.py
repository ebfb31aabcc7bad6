"""Rows shared among threads."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from panda_gnn.nn import Edges, WidthPartition
from panda_gnn.nn.kernels.dropout import dropout
from panda_gnn.nn.kernels.gathering import gather
from panda_gnn.nn.kernels.ranking import rank
from panda_gnn.nn.kernels.row_weights import edge_weights, width_edge_weights
from panda_gnn.nn.kernels.threads import SMALL, run
from panda_gnn.nn.kernels.updating import update
from panda_gnn.nn.kernels.width_aware_sums import width_aware_sums
from panda_gnn.nn.propagate import propagate

NODES, EDGES, WIDTH, HIGH_WIDTH = 2000, 400_000, 24, 30


def numbers(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(1))


def edge_index() -> Tensor:
    return torch.randint(NODES, (2, EDGES), generator=torch.Generator().manual_seed(0))


def sums() -> list[Tensor]:
    edges = Edges.of_graph(edge_index(), NODES)
    x, weight = numbers(NODES, WIDTH).requires_grad_(), numbers(EDGES).requires_grad_()
    assert edge_weights(edges, weight, x.dtype).numel() * WIDTH > SMALL
    out = propagate(x, edges, weight)
    return [out, *torch.autograd.grad(out.square().sum(), (x, weight))]


def fused_sums() -> list[Tensor]:
    partition = WidthPartition(edge_index(), torch.arange(NODES) % 2 == 0)
    low = numbers(NODES // 2, WIDTH).requires_grad_()
    high = numbers(NODES // 2, HIGH_WIDTH).requires_grad_()
    weight = width_edge_weights(partition, low.dtype)
    eta = numbers(HIGH_WIDTH, WIDTH + HIGH_WIDTH), numbers(HIGH_WIDTH)
    out = width_aware_sums(low, high, partition, weight, None, numbers(HIGH_WIDTH, WIDTH), *eta)
    return [*out, *torch.autograd.grad(out[0].square().sum() + out[1].sum(), (low, high))]


def selection() -> list[Tensor]:
    x, ends = numbers(NODES, HIGH_WIDTH), edge_index()
    index = rank(x, x, ends, WIDTH, relu=False, ascending=False)
    return [index, gather(x, ends[0], index)]


def dropped() -> list[Tensor]:
    torch.manual_seed(0)
    return [dropout(numbers(SMALL // 8 + 1, 16), 0.3)]


def updated() -> list[Tensor]:
    torch.manual_seed(0)
    out, x = (numbers(SMALL // 8 + 1, 16).requires_grad_() for _ in range(2))
    new = update(out, x, torch.relu, True, 0.3)
    return [new, *torch.autograd.grad(new.square().sum(), (out, x))]


@pytest.mark.parametrize("compute", [sums, fused_sums, selection, dropped, updated])
def test_threads_change_no_bit(compute: Callable[[], list[Tensor]]) -> None:
    before = torch.get_num_threads()
    results = []
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            results.append(compute())
    finally:
        torch.set_num_threads(before)
    for one, two in zip(*results, strict=True):
        assert torch.equal(one, two)


@pytest.mark.parametrize("rows", [0, 1, 2, 7, 100])
def test_every_row_is_in_one_piece(rows: int) -> None:
    before = torch.get_num_threads()
    seen: list[int] = []
    try:
        torch.set_num_threads(3)
        run(lambda first, last: seen.extend(range(first, last)), (), rows, SMALL + 1)
    finally:
        torch.set_num_threads(before)
    assert sorted(seen) == list(range(rows))
