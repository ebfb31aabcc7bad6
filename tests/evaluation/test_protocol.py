"""Splits, stopping and which epoch counts."""

from __future__ import annotations

import dataclasses
import inspect

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from panda_gnn.errors import InputError
from panda_gnn.evaluation import protocol
from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.protocol import Patience, chosen_epoch, first_best, random_split, train
from panda_gnn.nn import GNN
from tests.evaluation.test_batches import graphs

CURVE = st.lists(st.integers(0, 4).map(lambda i: i / 4), min_size=1, max_size=30)


@pytest.mark.parametrize("num_graphs", [10, 188, 1113])
def test_splits_are_80_10_10_and_depend_on_the_seed_alone(num_graphs: int) -> None:
    split = random_split(num_graphs, 3)
    parts = (split.train, split.validation, split.test)
    assert sorted(torch.cat(parts).tolist()) == list(range(num_graphs))
    assert [len(part) for part in parts[:2]] == [int(0.8 * num_graphs), int(0.1 * num_graphs)]
    assert random_split(num_graphs, 3).hash == split.hash
    assert random_split(num_graphs, 4).hash != split.hash


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
    for selection in protocol.SELECTIONS:
        found = chosen_epoch(selection, validation, test)
        assert found == literal_choice(selection, validation, test)


def test_unknown_selection() -> None:
    with pytest.raises(InputError, match="unknown selection 'best-test'"):
        chosen_epoch("best-test", [0.5], [0.5])


def test_patience_counts_epochs_below_the_goal() -> None:
    patience = Patience(patience=3, threshold=1.01)
    scores = [0.5, 0.504, 0.6, 0.6, 0.605, 0.605]  # 0.504 < 1.01 * 0.5, 0.605 < 1.01 * 0.6
    assert [patience.is_over(score) for score in scores] == [False] * 6
    assert patience.is_over(0.605)


def table() -> GraphTable:
    collated = GraphTable.collate(graphs() * 4)
    return dataclasses.replace(collated, x=collated.x.float())


def test_best_val_cannot_see_a_test_score() -> None:
    """The rule's code takes validation scores only, and other test labels change nothing else."""
    assert list(inspect.signature(first_best).parameters) == ["validation"]
    assert list(inspect.signature(Patience.is_over).parameters) == ["self", "validation"]
    config = Config("mutag", max_epochs=12, patience=4)
    split = random_split(52, 0)
    honest = table()
    poisoned_y = honest.y.clone()
    poisoned_y[split.test] = (poisoned_y[split.test] + 1) % 3
    poisoned = dataclasses.replace(honest, y=poisoned_y)
    curves = []
    for graphs_ in (honest, poisoned):
        torch.manual_seed(0)
        curves.append(train(GNN(3, 3, width=4), graphs_, split, config, 0))
    assert curves[0].test != curves[1].test
    assert curves[0].validation == curves[1].validation
    epochs = [chosen_epoch("best-val", c.validation, c.test) for c in curves]
    assert epochs[0] == epochs[1]


def test_training_learns_and_reports_every_epoch() -> None:
    config = Config("mutag", max_epochs=3)
    seen: list[tuple[int, float]] = []
    torch.manual_seed(0)
    model = GNN(3, 3, width=4)
    before = [p.clone() for p in model.parameters()]
    curves = train(
        model, table(), random_split(52, 0), config, 0, lambda *epoch: seen.append(epoch)
    )
    assert [epoch for epoch, _ in seen] == [0, 1, 2]
    assert tuple(score for _, score in seen) == curves.validation
    assert all(not torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))
