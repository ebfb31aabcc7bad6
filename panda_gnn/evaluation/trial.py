"""A trial: one training with one seed, a pure function of (config, seed)."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch

from panda_gnn.datasets import DATASETS
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.kernel import fit_kernel
from panda_gnn.evaluation.lrgb_protocol import lrgb_split, make_model, train_lrgb
from panda_gnn.evaluation.measure import Measure
from panda_gnn.evaluation.methods import METHODS, complete
from panda_gnn.evaluation.metrics import metric_of
from panda_gnn.evaluation.node_protocol import node_split, train_nodes
from panda_gnn.evaluation.protocol import (
    SELECTIONS,
    Curves,
    Split,
    chosen_epoch,
    random_split,
    train,
)
from panda_gnn.evaluation.source import Source, source
from panda_gnn.evaluation.store import Row, new_row

#: Raised whenever a trial gives other scores than before; rows of different codes never mix.
CODE = "2"


def run_trial(
    config: Config,
    seed: int,
    *,
    root: str | None = None,
    mirror: str | None = None,
    on_epoch: Callable[[int, float], None] | None = None,
) -> Row:
    """Train once and return everything worth keeping, ready for JSON.

    The result depends on ``config`` and ``seed`` alone (but for the time and the versions): it is
    the same bit for bit in another process and on another executor. The split depends on the
    dataset and the seed alone, so methods can be compared seed by seed. The task of the dataset
    decides how it is trained: :mod:`~panda_gnn.evaluation.protocol`,
    :mod:`~panda_gnn.evaluation.node_protocol` or :mod:`~panda_gnn.evaluation.lrgb_protocol`.

    Args:
        config: What to train; settings that are not given get the method's defaults.
        seed: Decides the split (where it is not a fixed one), the initial weights, dropout and the
            order of mini-batches.
        root: The folder that holds the datasets.
        mirror: A folder to take datasets from instead of the network.
        on_epoch: Called after every epoch with its number and validation score.
    """
    config = complete(config)
    method = METHODS[config.method]
    given = source(config.dataset, root, mirror)
    task = DATASETS[config.dataset].task
    split = _split(given, config, seed)
    start = time.perf_counter()
    with one_thread(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        graphs = method.graphs(given, config.settings, seed)
        parameters = {"trained": 0, "never_trained": 0}
        if method.model is None:
            curves = fit_kernel(graphs, split, int(config.settings["rounds"] or 0))
        else:
            make: Callable[..., Any] = make_model if task == "lrgb" else method.model
            model = make(graphs, config, config.settings)
            parameters = model.num_parameters._asdict()
            curves = _TRAIN[task](model, graphs, split, config, seed, on_epoch)
    scores = {}
    sign = 1 if metric_of(config.dataset).higher_is_better else -1
    merits = [[sign * score for score in part] for part in (curves.validation, curves.test)]
    for selection in SELECTIONS:
        epoch = chosen_epoch(selection, *merits)
        scores[selection] = {
            "epoch": epoch,
            "validation": curves.validation[epoch],
            "test": curves.test[epoch],
        }
    return new_row(
        config,
        seed,
        CODE,
        time.perf_counter() - start,
        split=split.hash,
        metric=DATASETS[config.dataset].metric,
        scores=scores,
        epochs=len(curves.validation),
        parameters=parameters,
    )


_TRAIN: Mapping[str, Callable[..., Curves]] = {
    "graph": train,
    "node": train_nodes,
    "lrgb": train_lrgb,
}


def _split(given: Source, config: Config, seed: int) -> Split:
    task = DATASETS[config.dataset].task
    if task == "node":
        return node_split(given.dataset[0], str(config.settings["split"]), seed)
    if task == "lrgb":
        return lrgb_split(config.dataset)
    return random_split(given.graphs.num_graphs, seed)


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Sums depend on how many threads share them: what must be the same again has one."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


SCORE = Measure("score", run_trial, CODE)
