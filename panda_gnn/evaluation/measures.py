"""What a study measures: the score of a trial, a time the paper has a table of, or what is drawn.

Times are rows like any other, one per repetition: the seed counts them. They are only worth
comparing with rows of the same machine, measured while it does nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from types import MappingProxyType

import torch
from torch_geometric.data import Data

from panda_gnn.centrality import centrality, compile_kernels
from panda_gnn.datasets import DATASETS
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.measure import Measure, Unit, measured_row
from panda_gnn.evaluation.measurements.energy import ENERGY
from panda_gnn.evaluation.measurements.sensitivity import SENSITIVITY
from panda_gnn.evaluation.measurements.signal import SIGNAL
from panda_gnn.evaluation.measurements.transfer import TRANSFER
from panda_gnn.evaluation.methods import METHODS, complete
from panda_gnn.evaluation.protocol import random_split
from panda_gnn.evaluation.source import source
from panda_gnn.evaluation.trial import CODE, Row, run_trial
from panda_gnn.rewiring.fosr import FoSR

#: Raised whenever what is timed changes.
PREPARATION_CODE = "preparation-1"
FORWARD_CODE = "forward-1"


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
    seconds = time.perf_counter() - start
    return measured_row(config, seed, PREPARATION_CODE, seconds, value=round(seconds, 6))


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
    value = round(1000 / len(batches) * seconds, 6)
    return measured_row(config, seed, FORWARD_CODE, seconds, value=value)


MEASURES: Mapping[str, Measure] = MappingProxyType(
    {
        "score": Measure(run_trial, CODE),
        "preparation": Measure(measure_preparation, PREPARATION_CODE, Unit("seconds")),
        "forward": Measure(measure_forward, FORWARD_CODE, Unit("milliseconds")),
        "energy": ENERGY,
        "sensitivity": SENSITIVITY,
        "signal": SIGNAL,
        "transfer": TRANSFER,
    }
)

SCORES: Mapping[str, Unit] = MappingProxyType(
    {
        "accuracy": Unit("test accuracy in %", 100.0, 2),
        "average precision": Unit("test average precision in %", 100.0, 2),
        "mean absolute error": Unit("test mean absolute error, less is better", 1.0, 4),
    }
)
"""How every metric is printed."""


def unit_of(measure: str, dataset: str) -> Unit:
    """What a study of this measure prints for a dataset."""
    return MEASURES[measure].unit or SCORES[DATASETS[dataset].metric]
