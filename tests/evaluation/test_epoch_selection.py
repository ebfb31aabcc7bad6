"""Which epoch counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panda_gnn.errors import InputError
from panda_gnn.evaluation.epoch_selection import SELECTIONS, selected_epoch

CURVE = st.lists(st.integers(0, 4).map(lambda i: i / 4), min_size=1, max_size=30)


def literal_choice(selection: str, validation: list[float], test: list[float]) -> int:
    """The three rules, epoch by epoch as a trainer would apply them."""
    best = 0
    for epoch in range(1, len(validation)):
        better = validation[epoch] > validation[best]
        tie = validation[epoch] == validation[best] and test[epoch] > test[best]
        if selection == "last" or better or (selection == "best-val-test-ties" and tie):
            best = epoch
    return best


@given(CURVE, st.randoms())
def test_selections_are_their_rules(validation: list[float], random) -> None:  # type: ignore[no-untyped-def]
    test = [random.random() for _ in validation]
    for selection in SELECTIONS:
        found = selected_epoch(selection, validation, test)
        assert found == literal_choice(selection, validation, test)


def test_unknown_selection() -> None:
    with pytest.raises(InputError, match="unknown selection 'best-test'"):
        selected_epoch("best-test", [0.5], [0.5])


@given(CURVE, st.randoms())
def test_best_val_looks_at_validation_scores_only(validation: list[float], random) -> None:  # type: ignore[no-untyped-def]
    chosen = {
        selected_epoch("best-val", validation, [random.random() for _ in validation])
        for _ in range(5)
    }
    assert chosen == {validation.index(max(validation))}
