"""A trial: one training with one seed, a pure function of (config, seed)."""

from __future__ import annotations

import contextlib
import json
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import torch

from panda_gnn.evaluation.checkpoint import Checkpoint
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.epoch_selection import SELECTIONS, selected_epoch
from panda_gnn.evaluation.measure import Measure
from panda_gnn.evaluation.methods import METHODS, complete, graphs_and_model, parts, row_of
from panda_gnn.evaluation.origin import processor
from panda_gnn.evaluation.store import Row, revision, versions
from panda_gnn.evaluation.tasks import TaskData, load_data
from panda_gnn.evaluation.train import Curves, train

#: Raised whenever a trial gives other scores than before; rows of different codes never mix.
CODE = "2"


def run_trial(
    config: Config,
    seed: int,
    *,
    root: str | None = None,
    mirror: str | None = None,
    on_epoch: Callable[[int, float], None] | None = None,
    checkpoint: str | None = None,
    keep_curves: bool = False,
) -> Row:
    """Train once and return everything worth keeping, ready for JSON.

    The result depends on ``config`` and ``seed`` alone (but for the time and the versions): it is
    the same bit for bit in another process and on another executor. The split depends on the
    dataset and the seed alone, so methods can be compared seed by seed.

    Args:
        config: What to train; settings that are not given get the method's defaults.
        seed: Decides the split (where it is not a fixed one), the initial weights, dropout and the
            order of mini-batches.
        root: The folder that holds the datasets.
        mirror: A folder to take datasets from instead of the network.
        on_epoch: Called after every epoch with its number and validation score.
        checkpoint: See :func:`trial_on`.
        keep_curves: See :func:`trial_on`.
    """
    data = load_data(config.dataset, root, mirror)
    return trial_on(
        data, complete(config), seed, on_epoch, checkpoint=checkpoint, keep_curves=keep_curves
    )


def trial_on(
    data: TaskData,
    config: Config,
    seed: int,
    on_epoch: Callable[[int, float], None] | None = None,
    *,
    checkpoint: str | None = None,
    keep_curves: bool = False,
) -> Row:
    """The row of a trial of a complete config on data that are loaded already.

    With a path as ``checkpoint``, a long trial goes on from there; whoever has written the row into
    a store removes the file. With ``keep_curves`` the row also has ``curves``: loss, validation and
    test scores of every epoch, with five digits.
    """
    task = data.task
    split = task.split(data, config.settings, seed)
    start = time.perf_counter()
    kept = None
    if checkpoint is not None:
        decides = [
            config.to_dict(),
            seed,
            [CODE, parts(config), data.fingerprint, split.hash],
            [versions(), revision(), processor()],
        ]
        kept = Checkpoint(Path(checkpoint), json.dumps(decides))
    parameters = {"trained": 0, "never_trained": 0}
    fit = METHODS[config.method].fit
    with one_thread(), torch.random.fork_rng(devices=[]):
        if fit is not None:
            curves = fit(data.graphs, split, config.settings)
        else:
            graphs, model = graphs_and_model(data, config, seed)
            parameters = model.num_parameters._asdict()
            recipe = task.recipe(config)
            curves = train(model, graphs, split, recipe, seed, on_epoch, checkpoint=kept)
    lost = next((epoch for epoch, loss in enumerate(curves.loss) if math.isnan(loss)), None)
    if lost is not None:
        raise FloatingPointError(f"the training loss is not a number in epoch {lost}")
    return row_of(
        data,
        config,
        seed,
        CODE,
        time.perf_counter() - start + (0.0 if kept is None else kept.seconds_before),
        split=split.hash,
        metric=task.metric.name,
        scores=_scores(data, curves),
        epochs=len(curves.validation),
        parameters=parameters,
        **({"curves": _kept(curves)} if keep_curves else {}),
    )


def _kept(curves: Curves) -> dict[str, list[float]]:
    """The curves for people to look at."""
    named = {"loss": curves.loss, "validation": curves.validation, "test": curves.test}
    return {name: [float(f"{value:.5g}") for value in curve] for name, curve in named.items()}


def _scores(data: TaskData, curves: Curves) -> dict[str, dict[str, float]]:
    """The epoch that each selection rule reports, with its scores."""
    merit = data.task.metric.merit
    merits = [[merit(score) for score in part] for part in (curves.validation, curves.test)]
    scores = {}
    for selection in SELECTIONS:
        epoch = selected_epoch(selection, *merits)
        scores[selection] = {
            "epoch": epoch,
            "validation": curves.validation[epoch],
            "test": curves.test[epoch],
        }
    return scores


def one_thread() -> contextlib.AbstractContextManager[None]:
    """Sums depend on how many threads share them: what must be the same again has one."""
    return threads(1)


@contextlib.contextmanager
def threads(count: int) -> Iterator[None]:
    """So many threads of torch, and as many for the graphs of a dataset."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


SCORE = Measure("score", run_trial, CODE, resumes=True)
