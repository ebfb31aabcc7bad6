"""The one loop: what it looks at, when it stops, and several processes' shares of it."""

from __future__ import annotations

import dataclasses
import inspect
import math

import torch
from torch.nn import functional as F

from panda_gnn.datasets import transfer
from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.epoch_selection import selected_epoch
from panda_gnn.evaluation.metrics import ACCURACY
from panda_gnn.evaluation.splits import Split, random_split
from panda_gnn.evaluation.tasks.graph_classification import GRAPH_CLASSIFICATION
from panda_gnn.evaluation.train import Patience, Recipe, predict, train
from panda_gnn.nn import GNN
from tests.evaluation.test_batches import graphs


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
    assert list(inspect.signature(Patience.is_over).parameters) == ["self", "validation"]
    recipe = GRAPH_CLASSIFICATION.recipe(Config("mutag", max_epochs=12, patience=4))
    split = random_split(52, 0)
    honest = table()
    poisoned_y = honest.y.clone()
    poisoned_y[split.test] = (poisoned_y[split.test] + 1) % 3
    poisoned = dataclasses.replace(honest, y=poisoned_y)
    curves = []
    for graphs_ in (honest, poisoned):
        torch.manual_seed(0)
        curves.append(train(GNN(3, 3, width=4), graphs_, split, recipe, 0))
    assert curves[0].test != curves[1].test
    assert curves[0].validation == curves[1].validation
    epochs = [selected_epoch("best-val", c.validation, c.test) for c in curves]
    assert epochs[0] == epochs[1]


def test_training_learns_and_reports_every_epoch() -> None:
    recipe = GRAPH_CLASSIFICATION.recipe(Config("mutag", max_epochs=3))
    seen: list[tuple[int, float]] = []
    torch.manual_seed(0)
    model = GNN(3, 3, width=4)
    before = [p.clone() for p in model.parameters()]
    curves = train(
        model, table(), random_split(52, 0), recipe, 0, lambda *epoch: seen.append(epoch)
    )
    assert [epoch for epoch, _ in seen] == [0, 1, 2]
    assert tuple(score for _, score in seen) == curves.validation
    assert all(not torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))


def test_the_answer_of_a_target_node_is_trained_until_all_are_right() -> None:
    table = GraphTable.collate(transfer("ring", 2, num_graphs=3, num_classes=3))
    everything = torch.arange(3)
    recipe = Recipe(
        F.cross_entropy, ACCURACY, torch.optim.Adam, max_epochs=500, shuffle=False, goal=1.0
    )
    torch.manual_seed(0)
    model = GNN(3, 3, width=16, num_layers=1, dropout=0.0, readout=None)
    split = Split(everything, everything, everything[:0])
    curves = train(model, table, split, recipe, 0)
    assert curves.validation[-1] == 1.0
    assert all(score < 1 for score in curves.validation[:-1])
    assert len(curves.validation) < 500
    assert all(math.isnan(score) for score in curves.test)
    outputs, targets = predict(model, list(table.batches(everything)))
    assert torch.equal(outputs.argmax(1), targets)
    assert torch.equal(table.take(torch.tensor([1])).scores(model)[0], outputs[1])


def test_without_held_out_rows_the_losses_are_all_there_is() -> None:
    recipe = GRAPH_CLASSIFICATION.recipe(Config("mutag", max_epochs=2))
    nothing = torch.arange(0)
    curves = train(
        GNN(3, 3, width=4), table(), Split(torch.arange(52), nothing, nothing), recipe, 0
    )
    assert len(curves.loss) == 2
    assert all(loss > 0 for loss in curves.loss)
    assert all(math.isnan(score) for score in (*curves.validation, *curves.test))
