"""Targets that are numbers or several labels, on graphs of any kind."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.nn import functional as F
from torch_geometric.data import Data

from panda_gnn.datasets.own import own_data
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.methods import complete
from panda_gnn.evaluation.tasks import TASKS, TaskData
from panda_gnn.evaluation.train import Unit
from panda_gnn.evaluation.trial import trial_on

EDGES = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])


def data_of(graphs: list[Data]) -> TaskData:
    own = own_data("own", graphs)
    task = TASKS[own.entry.task]
    return TaskData(own.entry, task, own.dataset, task.collate(own.dataset), own.entry.fingerprint)


def graph(y: torch.Tensor) -> Data:
    generator = torch.Generator().manual_seed(int(y.sum() * 1000))
    return Data(x=torch.randn(3, 2, generator=generator), edge_index=EDGES, y=y)


NUMBERS = [graph(torch.tensor([i / 7, -i / 3])) for i in range(20)]
LABELS = [graph(torch.tensor([[i % 2, (i // 2) % 2, 1]])) for i in range(20)]
NODES = [
    Data(
        x=torch.randn(30, 2, generator=torch.Generator().manual_seed(0)),
        edge_index=torch.stack([torch.arange(30), (torch.arange(30) + 1) % 30]).repeat(1, 1),
        y=torch.linspace(0, 1, 30),
    )
]


@pytest.mark.parametrize(
    ("graphs", "task", "loss", "metric"),
    [
        (NUMBERS, "graph-regression", F.l1_loss, "mean absolute error"),
        (LABELS, "graph-multi-label", F.binary_cross_entropy_with_logits, "average precision"),
        (NODES, "node-regression", F.l1_loss, "mean absolute error"),
    ],
)
def test_a_trial_of_each(graphs: list[Data], task: str, loss: object, metric: str) -> None:
    data = data_of(graphs)
    assert data.task.name == task
    config = complete(Config("own", method="none", max_epochs=2), task=data.task)
    recipe = data.task.recipe(config)
    assert recipe.loss is loss
    assert recipe.threshold == 1.0
    row_task = data.task.metric
    assert row_task.name == metric
    curves = trial_scores(data, config)
    assert curves["epochs"] == 2


def trial_scores(data: TaskData, config: Config) -> dict[str, object]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("panda_gnn.evaluation.methods.parts", lambda config: {})
        return dict(trial_on(data, config, 0))


def test_methods_without_a_network_are_not_for_numbers() -> None:
    assert not any(
        TASKS[name].classifies_graphs
        for name in ("graph-regression", "node-regression", "graph-multi-label")
    )


@pytest.mark.parametrize("graphs", [NUMBERS, NODES], ids=["graphs", "nodes"])
def test_scores_are_in_the_unit_of_the_targets_and_training_knows_no_unit(
    graphs: list[Data],
) -> None:
    def score(factor: float, shift: float) -> float:
        changed = [data.clone() for data in graphs]
        for data in changed:
            data.y = factor * data.y + shift
        data = data_of(changed)
        settings: dict[str, Any] = {"max_epochs": 5, "learning_rate": 0.05}
        config = complete(Config("own", method="none", **settings), task=data.task)
        found: Any = trial_scores(data, config)
        return float(found["scores"]["best-val"]["test"])

    assert score(1000, 500) == pytest.approx(1000 * score(1, 0), rel=1e-3)


def test_targets_that_are_all_alike_stay_what_they_are() -> None:
    unit = Unit.of(torch.tensor([[2.0, 1.0], [2.0, 3.0]]))
    assert unit.multiples(torch.tensor([[2.0, 3.0]])).tolist() == [[0.0, 1.0]]
    assert unit.values(torch.tensor([[1.0, -1.0]])).tolist() == [[3.0, 1.0]]
