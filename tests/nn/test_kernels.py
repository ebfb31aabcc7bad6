"""The operators behind the compiled backend, one by one."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from panda_gnn.errors import InputError
from panda_gnn.nn import Edges, WidthPartition
from panda_gnn.nn.kernels.means import mean
from panda_gnn.nn.kernels.rows import (
    back_of,
    norm_of,
    rows_of,
    width_back_of,
    width_norm_of,
    width_rows_of,
)
from panda_gnn.nn.kernels.select import gather, rank
from tests.nn.graphs import CASES, MIXED, random_states

DOUBLE = torch.float64


def logits(num_rows: int, size: int, dtype: torch.dtype, seed: int) -> Tensor:
    """Random numbers, some rows full of ties, zeros of both signs, infinities and NaN."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(num_rows, size, generator=generator, dtype=dtype)
    x[: num_rows // 4] = x[: num_rows // 4].round()
    x[0] = 0.0
    x[1, ::2] = -0.0
    x[2, 0], x[2, -1] = torch.inf, -torch.inf
    x[3, size // 2] = torch.nan
    x[num_rows // 2 :] = 1 + 1e-15 * x[num_rows // 2 :]
    return x


@pytest.mark.parametrize("dtype", [torch.float32, DOUBLE])
@pytest.mark.parametrize(
    ("width", "size"),
    [(1, 1), (4, 6), (16, 16), (3, 17), (64, 80), (64, 128), (64, 300), (129, 130)],
)
def test_rank_is_a_stable_descending_sort(width: int, size: int, dtype: torch.dtype) -> None:
    of_high, of_low = logits(40, size, dtype, 0), logits(30, size, dtype, 1)
    generator = torch.Generator().manual_seed(2)
    edges = [torch.randint(rows, (203,), generator=generator) for rows in (40, 30)]
    crossing = torch.stack(edges)
    total = of_high[crossing[0]] + of_low[crossing[1]]
    for relu in (False, True):
        key = total.relu() if relu else total
        expected = torch.sort(key, dim=1, descending=True, stable=True).indices[:, :width]
        found = rank(of_high, of_low, crossing, width, relu, False)
        assert torch.equal(found.long(), expected)
        ascending = rank(of_high, of_low, crossing, width, relu, True)
        assert torch.equal(ascending.long(), expected.sort(dim=1).values)


def test_rank_refuses_nodes_that_are_not_there() -> None:
    x = torch.zeros(3, 4)
    with pytest.raises(InputError, match="crossing goes from 0 to 3, but there are 3 such nodes"):
        rank(x, x, torch.tensor([[0, 3], [0, 0]]), 2, False, False)
    with pytest.raises(InputError, match="crossing goes from -1 to 0"):
        rank(x, x, torch.tensor([[0, 0], [0, -1]]), 2, False, False)


@pytest.mark.parametrize("data", CASES)
def test_rows_hold_every_edge_once(data: Any) -> None:
    edges = Edges.of_graph(data.edge_index, data.num_nodes)
    rows, back = rows_of(edges), back_of(edges)
    target = torch.arange(data.num_nodes).repeat_interleave(rows.ptr.diff())
    assert torch.equal(data.edge_index[:, rows.edge.long()], torch.stack([rows.column, target]))
    source = torch.arange(data.num_nodes).repeat_interleave(back.ptr.diff())
    assert torch.equal(rows.column[back.entry.long()].long(), source)
    assert torch.equal(target[back.entry.long()], back.column.long())


@pytest.mark.parametrize("data", CASES)
def test_width_rows_hold_every_edge_once(data: Any) -> None:
    partition = WidthPartition(data.edge_index, data.high)
    rows, back = width_rows_of(partition), width_back_of(partition)
    high_row = torch.arange(2 * data.num_nodes) >= data.num_nodes
    from_high = high_row.repeat_interleave(rows.ptr.diff())
    into = torch.arange(data.num_nodes).repeat(2).repeat_interleave(rows.ptr.diff())
    source = rows.nodes[rows.column + rows.num_low * from_high]
    assert torch.equal(
        data.edge_index[:, rows.edge.long()], torch.stack([source, rows.nodes[into]])
    )
    assert torch.equal(data.high[source], from_high)
    crossing = from_high & (into < rows.num_low)
    assert torch.equal(rows.crossing_target.long(), into[crossing])
    into_high = high_row.repeat_interleave(back.ptr.diff())
    out_of = torch.arange(data.num_nodes).repeat(2).repeat_interleave(back.ptr.diff())
    entry = back.entry.long()
    assert torch.equal(rows.nodes[out_of], source[entry])
    assert torch.equal(back.column + rows.num_low * into_high, into[entry])


@pytest.mark.parametrize("self_loops", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_norms_are_those_of_the_torch_path(weighted: bool, self_loops: bool) -> None:
    for case in CASES:
        data: Any = case.values[0]
        weight = torch.linspace(-0.3, 1, data.num_edges, dtype=DOUBLE) if weighted else None
        partition = WidthPartition(data.edge_index, data.high, edge_weight=weight)
        expected, loop = partition.whole.norm(self_loops, DOUBLE)
        found, own = norm_of(partition.whole, self_loops, DOUBLE)
        torch.testing.assert_close(found, expected[rows_of(partition.whole).edge.long()])
        rows = width_rows_of(partition)
        width_found, width_own = width_norm_of(partition, self_loops, DOUBLE)
        torch.testing.assert_close(width_found, expected[rows.edge.long()])
        assert (loop is None) == (own is None) == (width_own is None) == (not self_loops)
        if loop is not None and own is not None and width_own is not None:
            torch.testing.assert_close(own, loop)
            torch.testing.assert_close(width_own, loop[rows.nodes])


def multiply_arguments() -> tuple[Any, ...]:
    edges = Edges.of_graph(MIXED.edge_index, 12)
    rows = rows_of(edges)
    numbers = [torch.rand(size, dtype=DOUBLE) for size in ((12, 3), (MIXED.num_edges,), (12,))]
    x, weight, loop = (values.requires_grad_() for values in numbers)
    return x, weight, loop, rows.ptr, rows.column, *back_of(edges)


def width_arguments(adapts: bool) -> tuple[Any, ...]:
    partition = WidthPartition(MIXED.edge_index, MIXED.high)
    rows = width_rows_of(partition)
    low, high = (x.requires_grad_() for x in random_states(MIXED, 4, 6 if adapts else 4))
    torch.manual_seed(0)
    expand = torch.randn(6, 4, dtype=DOUBLE, requires_grad=True) if adapts else None
    eta = (
        (torch.randn(6, 10, dtype=DOUBLE), torch.randn(6, dtype=DOUBLE)) if adapts else (None,) * 2
    )
    weight, loop = width_norm_of(partition, True, DOUBLE)
    back = width_back_of(partition)
    structure = (rows.ptr, rows.column, rows.crossing_target, rows.first_crossing, *back)
    return low, high, weight, loop, expand, *eta, False, False, *structure


def gather_arguments() -> tuple[Any, ...]:
    x = torch.randn(5, 7, dtype=DOUBLE, requires_grad=True)
    source = torch.tensor([0, 0, 4, 2], dtype=torch.int32)
    index = torch.stack([torch.randperm(7)[:3] for _ in range(4)]).to(torch.int16)
    return x, source, index


def operators() -> dict[str, tuple[Any, ...]]:
    x, source, index = gather_arguments()
    return {
        "multiply": multiply_arguments(),
        "width_aware_sums": width_arguments(True),
        "gather": (x, source, index),
        "rank": (x.detach(), x.detach(), source, source, 3, False, False),
        "mean": (x, torch.tensor([0, 0, 2, 0, 2]), 3),
        "drop": (x, torch.randint(-9, 9, (5, 7), dtype=torch.int16), 0, 2.0),
    }


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("name", operators())
def test_operators_are_registered_as_torch_wants_them(name: str) -> None:
    torch.library.opcheck(getattr(torch.ops.panda_gnn, name).default, operators()[name])


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_the_fused_operator_without_f_and_g_too() -> None:
    torch.library.opcheck(torch.ops.panda_gnn.width_aware_sums.default, width_arguments(False))


@pytest.mark.parametrize("name", ["multiply", "gather", "mean", "drop"])
def test_gradients_by_finite_differences(name: str) -> None:
    operator = getattr(torch.ops.panda_gnn, name)
    arguments = operators()[name]
    learned = [value for value in arguments if isinstance(value, Tensor) and value.requires_grad]
    rest = arguments[len(learned) :]

    def through(*values: Tensor) -> Tensor:
        out = operator(*values, *rest)
        return out[0] if isinstance(out, tuple) else out  # type: ignore[no-any-return]

    assert torch.autograd.gradcheck(through, learned)


@pytest.mark.parametrize("adapts", [True, False])
def test_gradients_of_the_fused_operator(adapts: bool) -> None:
    low, high, weight, loop, expand, *rest = width_arguments(adapts)

    def through(*x: Tensor) -> tuple[Tensor, Tensor]:
        f = x[2] if adapts else None
        sums = torch.ops.panda_gnn.width_aware_sums(*x[:2], weight, loop, f, *rest)
        return sums[0], sums[1]

    assert torch.autograd.gradcheck(through, (low, high, expand) if adapts else (low, high))


def test_mean_of_a_graph_without_nodes_is_zero() -> None:
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    found = mean(x, torch.tensor([2, 0, 2]), 4)
    assert found.tolist() == [[3.0, 4.0], [0.0, 0.0], [3.0, 4.0], [0.0, 0.0]]


def test_gather_takes_the_dimensions_of_the_sources() -> None:
    x, source, index = gather_arguments()
    expected = x[source.long()].gather(1, index.long())
    assert torch.equal(gather(x, source.long(), index), expected)
