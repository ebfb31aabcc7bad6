"""Ranking the dimensions of a source."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from panda_gnn.errors import InputError
from panda_gnn.nn.kernels.ranking import GREATEST_WIDTH, rank


def test_the_indices_of_all_dimensions_fit_into_16_bits() -> None:
    assert torch.iinfo(torch.int16).max == GREATEST_WIDTH - 1


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


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
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


@pytest.mark.parametrize("distance", [1.0, 1e-6, 1e-9])
@pytest.mark.parametrize(("width", "size"), [(8, 8), (64, 80), (64, 112), (128, 256)])
def test_keys_of_32_bits_never_decide_between_logits_they_cannot_tell_apart(
    width: int, size: int, distance: float
) -> None:
    """Every eighth edge has logits that are close or equal."""
    generator = torch.Generator().manual_seed(size)
    of_high = torch.stack([torch.randperm(size, generator=generator) for _ in range(40)]).float()
    of_high[::8, 1::2] = of_high[::8, ::2].flip(1) + distance * 1000
    of_high[::8, 0] = 1e4
    expected = torch.sort(of_high, dim=1, descending=True, stable=True).indices[:, :width]
    crossing = torch.stack([torch.arange(40), torch.zeros(40, dtype=torch.long)])
    found = rank(of_high, torch.zeros(1, size), crossing, width, False, False)
    assert torch.equal(found.long(), expected)


def test_rank_refuses_nodes_that_are_not_there() -> None:
    x = torch.zeros(3, 4)
    with pytest.raises(InputError, match="crossing goes from 0 to 3, but there are 3 such nodes"):
        rank(x, x, torch.tensor([[0, 3], [0, 0]]), 2, False, False)
    with pytest.raises(InputError, match="crossing goes from -1 to 0"):
        rank(x, x, torch.tensor([[0, 0], [0, -1]]), 2, False, False)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_the_operator_is_registered_as_torch_wants_it() -> None:
    x = torch.randn(5, 7, dtype=torch.float64)
    source = torch.tensor([0, 0, 4, 2], dtype=torch.int32)
    torch.library.opcheck(torch.ops.panda_gnn.rank.default, (x, x, source, source, 3, False, False))
