"""The times that the paper has tables of.

Times are rows like any other, one per repetition: the seed counts them. They are only worth
comparing with rows of the same machine, measured while it does nothing else.
"""

from __future__ import annotations

import time

import torch
from torch_geometric.data import Data

from panda_gnn.centrality import centrality, compile_kernels
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.measure import Measure, Unit
from panda_gnn.evaluation.methods import graphs_and_model, row_of
from panda_gnn.evaluation.splits import random_split
from panda_gnn.evaluation.store import Row
from panda_gnn.evaluation.tasks import load_data
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
    data = load_data(config.dataset, root, mirror)
    graphs = list(data.dataset)
    name = config.settings.get("centrality")

    def prepare(some: list[Data]) -> None:
        if name is None:
            rewire = FoSR(config.settings["iterations"], seed=seed)
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
    return row_of(data, config, seed, PREPARATION_CODE, seconds, value=round(seconds, 6))


def measure_forward(
    config: Config, seed: int, *, root: str | None = None, mirror: str | None = None
) -> Row:
    """Milliseconds of a forward pass: the mean over the mini-batches of the training graphs.

    One thread, as every worker has, no dropout, no gradient; a first pass over all is not counted.
    """
    data = load_data(config.dataset, root, mirror)
    split = random_split(data.graphs.num_graphs, seed)
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        graphs, model = graphs_and_model(data, config, seed)
        model.eval()
        batches = list(graphs.batches(split.train, config.batch_size))
        for batch in batches:
            batch.scores(model)
        start = time.perf_counter()
        for batch in batches:
            batch.scores(model)
        seconds = time.perf_counter() - start
    value = round(1000 / len(batches) * seconds, 6)
    return row_of(data, config, seed, FORWARD_CODE, seconds, value=value)


PREPARATION = Measure(
    "preparation", measure_preparation, PREPARATION_CODE, Unit("seconds"), alone=True
)
FORWARD = Measure("forward", measure_forward, FORWARD_CODE, Unit("milliseconds"), alone=True)
