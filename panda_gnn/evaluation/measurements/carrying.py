"""What measurements share that train models to carry messages, in tasks made for that."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch
from torch.nn import functional as F
from torch.optim import Adam

from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.measure import Measure
from panda_gnn.evaluation.metrics import ACCURACY
from panda_gnn.evaluation.store import Row, new_row
from panda_gnn.evaluation.train import Recipe
from panda_gnn.evaluation.trial import one_thread
from panda_gnn.nn import GNN, PandaGNN

#: A function of a complete config and a seed to the accuracy.
Accuracy = Callable[[Config, int], float]


def carrying_measure(
    name: str,
    code: str,
    accuracy: Accuracy,
    settings: Mapping[str, Setting],
    check: Callable[[Config], object],
) -> Measure:
    """A measurement of ``accuracy`` on graphs of its own, by one thread; torch is seeded."""
    run = partial(_measured, accuracy, code)
    return Measure(name, run, code, settings=settings, check=check, own_graphs=True)


def _measured(accuracy: Accuracy, code: str, config: Config, seed: int, **where: str | None) -> Row:
    start = time.perf_counter()
    with one_thread(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        values = {"accuracy": accuracy(config, seed)}
    seconds = time.perf_counter() - start
    return new_row(config, seed, code, seconds, parts={}, data=None, values=values)


def carrying_recipe(config: Config, *, fused: bool = False, **options: Any) -> Recipe:
    """Adam on the cross-entropy, all epochs in one order.

    Args:
        config: Its learning rate and epochs.
        fused: Whether the optimiser is torch's fused one, with other bits and a third less time for
            deep models of tiny graphs.
        **options: Those of :class:`~panda_gnn.evaluation.train.Recipe`.
    """
    optimizer = partial(Adam, lr=config.learning_rate, fused=fused)
    return Recipe(F.cross_entropy, ACCURACY, optimizer, config.max_epochs, shuffle=False, **options)


def carrying_model(
    config: Config, channels: tuple[int, int], convolutions: int, selector: str | None
) -> GNN:
    """A model with fresh weights and as many convolutions as the messages need.

    Args:
        config: Its backbone, width and dropout, and the setting ``high_width``.
        channels: Input features and classes.
        convolutions: How many.
        selector: That of PANDA; ``None`` for a plain model, with every node at ``high_width`` where
            the method is ``all-wide``.
    """
    high_width: Any = config.settings["high_width"]
    options: dict[str, Any] = {
        "backbone": config.backbone,
        "width": high_width if config.method == "all-wide" else config.width,
        "num_layers": convolutions - 1,
        "dropout": config.dropout,
        "readout": None,
    }
    if selector is None:
        return GNN(*channels, **options)
    return PandaGNN(*channels, high_width=high_width, selector=selector, **options)
