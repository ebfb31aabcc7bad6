"""Learned tables of binned values, looked up one by one."""

from __future__ import annotations

import pytest
import torch

from panda_gnn.errors import InputError
from panda_gnn.nn import BinnedEmbedding

VALUES = torch.tensor([[0.0, 5.0], [1.0, 5.0], [2.0, 7.0], [9.0, -1.0]])


def test_a_fresh_vector_has_about_the_length_of_one() -> None:
    torch.manual_seed(0)
    table = BinnedEmbedding(2, 500, 16).table
    assert table.square().sum(dim=1).mean().item() == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize("combine", ["add", "concatenate"])
def test_each_bin_of_each_measure_has_a_vector(combine: str) -> None:
    boundaries = [[0.5, 1.0], [5.0, 6.0]]
    layer = BinnedEmbedding(2, 3, 4, combine=combine, boundaries=boundaries)
    bins = [[0, 0], [1, 0], [2, 2], [2, 0]]
    assert layer.bins(VALUES).tolist() == bins
    tables = layer.table.view(2, 3, 4)
    rows = [(tables[0, a], tables[1, b]) for a, b in bins]
    expected = [a + b if combine == "add" else torch.cat([a, b]) for a, b in rows]
    torch.testing.assert_close(layer(VALUES), torch.stack(expected))
    layer(VALUES).sum().backward()
    assert layer.table.grad is not None
    assert not layer.table.grad.view(2, 3, 4)[1, 1].any()


def test_bins_are_fitted_and_saved_with_the_tables() -> None:
    layer = BinnedEmbedding(2, 2, 4)
    with pytest.raises(InputError, match="no boundaries yet"):
        layer(VALUES)
    assert layer.fit(VALUES).boundaries.tolist() == [[1.5], [6.0]]
    other = BinnedEmbedding(2, 2, 4)
    other.load_state_dict(layer.state_dict())
    assert torch.equal(other(VALUES), layer(VALUES))


def test_bad_input_gets_a_sentence() -> None:
    for wrong in ([[2.0, 1.0]], [[1.0]], [[1.0, torch.nan]], [[1.0], [1.0, 2.0]], "ab"):
        with pytest.raises(InputError, match="must be 2 ascending numbers for each of 1 measures"):
            BinnedEmbedding(1, 3, 4, boundaries=wrong)  # type: ignore[arg-type]
    fitted = BinnedEmbedding(2, 2, 4).fit(VALUES)
    with pytest.raises(InputError, match="in no bin where they are nan"):
        fitted(VALUES * torch.nan)
    with pytest.raises(InputError, match="values is of type list"):
        fitted(VALUES.tolist())
    with pytest.raises(InputError, match="values have no rows"):
        fitted.fit(VALUES[:0])
    with pytest.raises(InputError, match="give one row for each node and 2 columns"):
        BinnedEmbedding(2, 3, 4).fit(torch.ones(3))
    with pytest.raises(InputError, match="unknown combine 'sum'"):
        BinnedEmbedding(2, 3, 4, combine="sum")


def test_boundaries_are_never_cast() -> None:
    embed = BinnedEmbedding(1, 3, 8, boundaries=[[256.5, 257.5]])
    degrees = torch.tensor([[256.0], [257.0], [258.0]])
    for cast in (embed.bfloat16(), embed.float(), embed.double().half()):
        assert cast.bins(degrees).view(-1).tolist() == [0, 1, 2]
