"""How a model is trained and scored: splits, stopping, and which epoch counts.

Training looks at the training graphs and at the validation score, and at nothing else: the test
scores of all epochs are written down beside it and read only when a score is reported. Which
epoch's test score is reported is the *selection*:

* ``best-val`` (the default): the first epoch of the best validation score;
* ``last``: the last epoch, as FoSR's public code reports;
* ``best-val-test-ties``: of the epochs that tie the best validation score so far, the one with the
  better *test* score, as the PANDA authors' code reports. It looks at the test set: use it only to
  compare with published numbers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.optim.lr_scheduler import ReduceLROnPlateau

from panda_gnn.errors import choose
from panda_gnn.evaluation.batches import GraphBatch, GraphTable
from panda_gnn.evaluation.config import Config
from panda_gnn.nn import GNN

SELECTIONS = ("best-val", "last", "best-val-test-ties")


@dataclass(frozen=True)
class Split:
    """The graphs for training, validation and test."""

    train: Tensor
    validation: Tensor
    test: Tensor

    @property
    def hash(self) -> str:
        """A short hash of which graph is where."""
        digest = hashlib.sha256()
        for part in (self.train, self.validation, self.test):
            digest.update(part.sort().values.numpy().tobytes() + b"|")
        return digest.hexdigest()[:16]


def random_split(num_graphs: int, seed: int) -> Split:
    """80 % for training, 10 % for validation, the rest for test, by the seed alone."""
    order = torch.randperm(num_graphs, generator=torch.Generator().manual_seed(seed))
    train, validation = int(0.8 * num_graphs), int(0.1 * num_graphs)
    return Split(*order.split([train, validation, num_graphs - train - validation]))


@dataclass(frozen=True)
class Curves:
    """The scores after every epoch."""

    validation: tuple[float, ...]
    test: tuple[float, ...]


def chosen_epoch(selection: str, validation: Sequence[float], test: Sequence[float]) -> int:
    """The epoch whose scores count, from 0."""
    choose("selection", selection, SELECTIONS)
    if selection == "best-val-test-ties":
        return _ties_by_test(validation, test)
    return first_best(validation) if selection == "best-val" else len(validation) - 1


def first_best(validation: Sequence[float]) -> int:
    """The first epoch of the best validation score."""
    return max(range(len(validation)), key=lambda epoch: (validation[epoch], -epoch))


def _ties_by_test(validation: Sequence[float], test: Sequence[float]) -> int:
    """The epoch the authors' code ends with: a tie on validation goes to the better test score."""
    return max(range(len(validation)), key=lambda e: (validation[e], test[e], -e))


class Patience:
    """Says when to stop: ``patience`` epochs without reaching ``threshold`` times the last goal."""

    def __init__(self, patience: int, threshold: float) -> None:
        self.patience = patience
        self.threshold = threshold
        self.goal = 0.0
        self.waited = 0

    def is_over(self, validation: float) -> bool:
        """Whether training ends after an epoch with this validation score."""
        if validation > self.goal:
            self.goal = validation * self.threshold
            self.waited = 0
        else:
            self.waited += 1
        return self.waited > self.patience


def accuracy(model: GNN, batches: Sequence[GraphBatch]) -> float:
    """The share of graphs whose class has the highest score."""
    model.eval()
    right = total = 0
    with torch.no_grad():
        for batch in batches:
            right += int((batch.scores(model).argmax(1) == batch.y).sum())
            total += batch.num_graphs
    return right / total if total else float("nan")


def train_epoch(
    model: GNN, optimizer: torch.optim.Optimizer, batches: Iterable[GraphBatch]
) -> float:
    """One step of the optimiser for each mini-batch; returns the summed loss."""
    model.train()
    total = 0.0
    for batch in batches:
        loss = F.cross_entropy(batch.scores(model), batch.y) + model.auxiliary_loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += float(loss.detach())
    return total


def train(
    model: GNN,
    graphs: GraphTable,
    split: Split,
    config: Config,
    seed: int,
    on_epoch: Callable[[int, float], None] | None = None,
) -> Curves:
    """Train ``model`` and return its scores after every epoch.

    Adam, cross-entropy, learning rate divided by ten when the summed training loss has not fallen
    for ten epochs. The validation score decides when to stop; the test score decides nothing.

    Args:
        model: The model; trained in place.
        graphs: All graphs.
        split: Which of them are for what.
        config: Learning rate, batch size, patience and so on.
        seed: Decides the order of the mini-batches.
        on_epoch: Called after every epoch with its number and validation score.
    """
    shuffle = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(
        [p for p in model.parameters() if p.requires_grad], lr=config.learning_rate, fused=True
    )
    scheduler = ReduceLROnPlateau(optimizer)
    patience = Patience(config.patience, config.threshold)
    held_out = list(graphs.batches(split.validation, config.batch_size))
    unseen = list(graphs.batches(split.test, config.batch_size))
    validation: list[float] = []
    test: list[float] = []
    for epoch in range(config.max_epochs):
        batches = graphs.batches(split.train, config.batch_size, shuffle)
        scheduler.step(train_epoch(model, optimizer, batches))
        validation.append(accuracy(model, held_out))
        test.append(accuracy(model, unseen))
        if on_epoch is not None:
            on_epoch(epoch, validation[-1])
        if patience.is_over(validation[-1]):
            break
    return Curves(tuple(validation), tuple(test))
