"""The one loop that trains: graphs or nodes, one process or several::

    curves = train(model, graphs, split, task.recipe(config), seed)

What is trained is decided by the :class:`Recipe`, which a task makes of a config. Training looks at
the training rows and at the validation score, and at nothing else: the test scores of all epochs
are recorded beside it, for :mod:`panda_gnn.evaluation.epoch_selection` to read afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler, ReduceLROnPlateau

from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.evaluation.checkpoint import Checkpoint, State
from panda_gnn.evaluation.distributed import Workers
from panda_gnn.evaluation.metrics import Metric
from panda_gnn.evaluation.splits import Split


@dataclass(frozen=True)
class Recipe:
    """How a model is trained and scored.

    Attributes:
        loss: The mean loss over the rows of a mini-batch, from outputs and targets.
        metric: How outputs are scored.
        optimizer: Makes the optimiser of the trained parameters.
        max_epochs: Epochs after which training ends in any case.
        batch_size: Rows of a mini-batch, over all processes; ``None`` for all rows at once.
        shuffle: Whether every epoch has another order of the training rows.
        scheduler: Makes what adapts the learning rate after every epoch.
        watches: The loss that tells a scheduler of plateaus when to act: the sum over the training
            mini-batches, or the loss of the validation rows.
        clip: The greatest norm of the gradient.
        patience: Epochs without a new validation goal after which training ends, if ever.
        threshold: The next validation goal is this many times the score that reached the last.
        goal: The training score at which training ends. A training score is that of the outputs
            from which the losses of an epoch were computed; it is only taken where there is a goal.
        standardises: Whether the model learns targets of mean 0 and deviation 1 over the training
            rows, so that nothing depends on their unit. Scores are in the unit all the same.
    """

    loss: Callable[[Tensor, Tensor], Tensor]
    metric: Metric
    optimizer: Callable[[list[nn.Parameter]], Optimizer]
    max_epochs: int
    batch_size: int | None = None
    shuffle: bool = True
    scheduler: Callable[[Optimizer], LRScheduler] | None = None
    watches: Literal["training", "validation"] = "training"
    clip: float | None = None
    patience: int | None = None
    threshold: float = 1.0
    goal: float | None = None
    standardises: bool = False


@dataclass(frozen=True)
class Unit:
    """Numbers as multiples of their deviation above their mean, in every column."""

    mean: Tensor
    deviation: Tensor

    @classmethod
    def of(cls, values: Tensor) -> Unit:
        """That of some rows; where they are all alike, the deviation is one."""
        mean = values.double().mean(dim=0)
        deviation = values.double().std(dim=0, correction=0)
        return cls(mean, torch.where(deviation > 0, deviation, torch.ones_like(deviation)))

    def multiples(self, values: Tensor) -> Tensor:
        """The values in this unit."""
        return ((values.double() - self.mean) / self.deviation).to(values.dtype)

    def values(self, multiples: Tensor) -> Tensor:
        """What multiples of the unit stand for."""
        return (multiples.double() * self.deviation + self.mean).to(multiples.dtype)


@dataclass(frozen=True)
class Curves:
    """The scores after every epoch, the training loss summed over its mini-batches, and, where the
    recipe has a goal, the training scores."""

    validation: tuple[float, ...]
    test: tuple[float, ...]
    loss: tuple[float, ...] = ()
    training: tuple[float, ...] = ()


class Patience:
    """Says when to stop: ``patience`` epochs without reaching ``threshold`` times the last goal."""

    def __init__(self, patience: int | None, threshold: float, goal: float = 0.0) -> None:
        self.patience = patience
        self.threshold = threshold
        self.goal = goal
        self.waited = 0

    def is_over(self, validation: float) -> bool:
        """Whether training ends after an epoch of this merit, greater being better."""
        if validation > self.goal:
            self.goal = validation * self.threshold
            self.waited = 0
        else:
            self.waited += 1
        return self.patience is not None and self.waited > self.patience


def train(
    model: Any,
    graphs: GraphTable,
    split: Split,
    recipe: Recipe,
    seed: int,
    on_epoch: Callable[[int, float], None] | None = None,
    *,
    workers: Workers | None = None,
    checkpoint: Checkpoint | None = None,
) -> Curves:
    """Train ``model`` in place and return its scores after every epoch.

    Args:
        model: The model, such as :class:`~panda_gnn.nn.GNN`.
        graphs: All graphs; their ``augment``, if any, changes the mini-batches of training alone.
        split: Which of their rows are for what.
        recipe: Loss, optimiser, stopping and so on.
        seed: Decides the order of the mini-batches.
        on_epoch: Called after every epoch with its number and validation score.
        workers: The processes that train together; by default this one alone. Each takes its share
            of every mini-batch, and all of them score all rows.
        checkpoint: Where the state of a long training is kept, and from where it goes on, with the
            same bits as without. Of several processes the first writes it and all of them read it;
            the random numbers of the others, which decide about dropout, start anew.
    """
    workers = workers or Workers()
    workers.start_alike(model)
    shuffle = torch.Generator().manual_seed(seed)
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = recipe.optimizer(trained)
    scheduler = None if recipe.scheduler is None else recipe.scheduler(optimizer)
    merit = recipe.metric.merit
    first_goal = 0.0 if recipe.metric.higher_is_better else -math.inf
    patience = Patience(recipe.patience, recipe.threshold, first_goal)
    held_out = _held_out(graphs, split, recipe.batch_size)
    unit = Unit.of(graphs.y[split.train]) if recipe.standardises else None
    if unit is not None:
        graphs = replace(graphs, y=unit.multiples(graphs.y))
    sizes = [split.validation.numel(), split.test.numel()]
    losses: list[float] = []
    validation: list[float] = []
    test: list[float] = []
    training: list[float] = []
    parts = {"model": model, "optimizer": optimizer, "scheduler": scheduler}
    curves = {"loss": losses, "validation": validation, "test": test, "training": training}

    def state() -> State:
        return {
            **{name: part.state_dict() for name, part in parts.items() if part is not None},
            "patience": vars(patience),
            "shuffle": shuffle.get_state(),
            "random": torch.get_rng_state(),
            "curves": curves,
        }

    saved = None if checkpoint is None else checkpoint.load()
    if saved is not None:
        for name, part in parts.items():
            if part is not None:
                part.load_state_dict(saved[name])
        vars(patience).update(saved["patience"])
        shuffle.set_state(saved["shuffle"])
        if workers.rank == 0:
            torch.set_rng_state(saved["random"])
        for name, curve in curves.items():
            curve += saved["curves"][name]
    for epoch in range(len(losses), recipe.max_epochs):
        model.train()
        order = split.train
        if recipe.shuffle:
            order = order[torch.randperm(order.numel(), generator=shuffle)]
        total = 0.0
        seen: list[tuple[Tensor, Tensor]] = []
        for rows in order.split(recipe.batch_size or max(1, order.numel())):
            own = workers.share(rows)
            optimizer.zero_grad()
            if own.numel():
                batch = graphs.take(own)
                if graphs.augment is not None:
                    batch = graphs.augment(own, batch)
                output = batch.scores(model)
                loss = recipe.loss(output, batch.y) + getattr(model, "auxiliary_loss", 0.0)
                loss.backward()
                total += own.numel() / rows.numel() * float(loss.detach())
                seen.append((output.detach(), batch.y))
            workers.average_gradients(model, own.numel())
            if recipe.clip is not None:
                nn.utils.clip_grad_norm_(trained, recipe.clip)
            optimizer.step()
        losses.append(workers.total(total))
        if recipe.goal is not None:
            training.append(recipe.metric.score(*map(torch.cat, zip(*seen, strict=True))))
        output, target = predict(model, held_out)
        output = output if unit is None else unit.values(output)
        outputs, targets = output.split(sizes), target.split(sizes)
        validation.append(recipe.metric.score(outputs[0], targets[0]))
        test.append(recipe.metric.score(outputs[1], targets[1]))
        if isinstance(scheduler, ReduceLROnPlateau):
            watched = losses[-1]
            if recipe.watches == "validation":
                watched = float(recipe.loss(outputs[0], targets[0]))
            scheduler.step(watched)
        elif scheduler is not None:
            scheduler.step()
        if on_epoch is not None:
            on_epoch(epoch, validation[-1])
        reached = recipe.goal is not None and training[-1] >= recipe.goal
        if reached or patience.is_over(merit(validation[-1])):
            break
        if checkpoint is not None and workers.rank == 0:
            checkpoint.save_if_due(state)
    return Curves(tuple(validation), tuple(test), tuple(losses), tuple(training))


def _held_out(graphs: GraphTable, split: Split, batch_size: int | None) -> list[GraphTable]:
    """The validation rows and then the test rows; all rows at once share one forward pass."""
    parts = [split.validation, split.test]
    if batch_size is None:
        parts = [torch.cat(parts)]
    return [batch for part in parts for batch in graphs.batches(part, batch_size)]


def predict(model: Any, batches: Sequence[GraphTable]) -> tuple[Tensor, Tensor]:
    """The outputs of the model in evaluation mode for the rows of some batches, and their targets.

    Without batches both are empty.
    """
    model.eval()
    with torch.no_grad():
        outputs = [batch.scores(model) for batch in batches] or [torch.empty(0)]
    return torch.cat(outputs), torch.cat([batch.y for batch in batches] or [torch.empty(0)])
