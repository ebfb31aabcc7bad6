"""What a study measures: the accuracy of a trial, or a time the paper has a table of.

Times are rows like any other, one per repetition: the seed counts them. They are only worth
comparing with rows of the same machine, measured while it does nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import torch
from torch_geometric.data import Data

from panda_gnn.centrality import centrality, compile_kernels
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.methods import METHODS, complete, source
from panda_gnn.evaluation.protocol import random_split
from panda_gnn.evaluation.trial import CODE, Row, revision, run_trial, versions
from panda_gnn.rewiring.fosr import FoSR

#: Raised whenever what is timed changes.
PREPARATION_CODE = "preparation-1"
FORWARD_CODE = "forward-1"


@dataclass(frozen=True)
class Measure:
    """What a trial of a study is.

    Attributes:
        run: A function of a config, a seed, and where datasets are (``root`` and ``mirror``).
        code: The version of that function.
        unit: What its scores are, in a table.
        scale: What a score of a row is multiplied with in a table.
    """

    run: Callable[..., Row]
    code: str
    unit: str
    scale: float = 1.0


def measure_preparation(
    config: Config, seed: int, *, root: str | None = None, mirror: str | None = None
) -> Row:
    """Seconds that PANDA's centrality, or FoSR, takes on all graphs of a dataset.

    One thread; kernels are compiled, and the datasets loaded, before the clock starts.
    """
    config = complete(config)
    graphs = list(source(config.dataset, root, mirror).dataset)
    name = config.settings.get("centrality")

    def prepare(some: list[Data]) -> None:
        if name is None:
            rewire = FoSR(int(config.settings["iterations"] or 0), seed=seed)
            for graph in some:
                rewire(graph)
        else:
            centrality(str(name), some, seed=seed, cache=False, threads=1)

    if name is not None:
        compile_kernels(str(name))
    prepare(graphs[:2])
    start = time.perf_counter()
    prepare(graphs)
    return _row(config, seed, PREPARATION_CODE, time.perf_counter() - start, 1.0)


def measure_forward(
    config: Config, seed: int, *, root: str | None = None, mirror: str | None = None
) -> Row:
    """Milliseconds of a forward pass: the mean over the mini-batches of the training graphs.

    One thread, as every worker has, no dropout, no gradient; a first pass over all is not counted.
    """
    config = complete(config)
    method = METHODS[config.method]
    assert method.model is not None
    given = source(config.dataset, root, mirror)
    split = random_split(given.graphs.num_graphs, seed)
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(seed)
        graphs = method.graphs(given, config.settings, seed)
        model = method.model(graphs, config, config.settings).eval()
        batches = list(graphs.batches(split.train, config.batch_size))
        for batch in batches:
            batch.scores(model)
        start = time.perf_counter()
        for batch in batches:
            batch.scores(model)
        seconds = time.perf_counter() - start
    return _row(config, seed, FORWARD_CODE, seconds, 1000 / len(batches))


def _row(config: Config, seed: int, code: str, seconds: float, scale: float) -> Row:
    return {
        "key": config.key,
        "seed": seed,
        "code": code,
        "config": config.to_dict(),
        "value": round(scale * seconds, 6),
        "seconds": round(seconds, 3),
        "versions": versions(),
        "revision": revision(),
    }


MEASURES: Mapping[str, Measure] = MappingProxyType(
    {
        "accuracy": Measure(run_trial, CODE, "test accuracy in %", 100.0),
        "preparation": Measure(measure_preparation, PREPARATION_CODE, "seconds"),
        "forward": Measure(measure_forward, FORWARD_CODE, "milliseconds"),
    }
)
