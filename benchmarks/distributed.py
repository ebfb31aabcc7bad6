"""Data-parallel training by Ray Train: graphs per second of one, two and four processes.

The model is PANDA-GCN with the paper's best settings; a mini-batch is shared by the processes, each
of which has one thread. An epoch has training and the scores of validation and test graphs, which
every process computes for itself; the first epoch is not counted, of the others the median is. A
machine cannot be faster with more processes than it has processors.

    python benchmarks/distributed.py [--dataset proteins] [--workers 1,2,4] [--epochs 6]
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table


def work(settings: dict[str, Any]) -> None:
    """Train in one of the processes; the first writes down the median seconds of an epoch."""
    import statistics
    import time
    from functools import partial
    from itertools import pairwise

    import torch
    from torch.nn.functional import cross_entropy

    from panda_gnn.datasets import load
    from panda_gnn.evaluation.batches import GraphTable
    from panda_gnn.evaluation.distributed import team
    from panda_gnn.evaluation.metrics import ACCURACY
    from panda_gnn.evaluation.splits import random_split
    from panda_gnn.evaluation.train import Recipe, train
    from panda_gnn.nn import PandaGNN
    from panda_gnn.paper import best_settings
    from panda_gnn.transforms import ExpandWidth

    torch.set_num_threads(1)
    best = best_settings("gcn", settings["dataset"])
    assert best is not None
    dataset: Any = load(settings["dataset"])
    high = ExpandWidth(best.centrality, k=best.k)
    graphs = GraphTable.collate([high(graph) for graph in dataset])
    split = random_split(len(dataset), seed=0)
    adam = partial(torch.optim.Adam, lr=1e-3)
    recipe = Recipe(
        cross_entropy, ACCURACY, adam, settings["epochs"], batch_size=settings["batch_size"]
    )
    ends = []
    with team() as workers:
        model = PandaGNN(dataset.num_features, dataset.num_classes, high_width=best.high_width)
        train(
            model,
            graphs,
            split,
            recipe,
            0,
            lambda epoch, score: ends.append(time.perf_counter()),
            workers=workers,
        )
        if workers.rank == 0:
            seconds = statistics.median(after - before for before, after in pairwise(ends))
            found = {"seconds": seconds, "graphs": split.train.numel()}
            Path(settings["found"]).write_text(json.dumps(found))


def main() -> None:
    """Print the throughput for every number of processes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dataset", default="proteins")
    parser.add_argument("--workers", default="1,2,4", help="processes (1,2,4)")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--batch-size", type=int, default=256)
    options = parser.parse_args()
    import ray
    from ray.train import RunConfig, ScalingConfig
    from ray.train.torch import TorchTrainer

    processors = os.cpu_count() or 1
    ray.init(num_cpus=max(processors, 2), include_dashboard=False, log_to_driver=False)
    table = Table(
        title=f"{options.dataset}, mini-batches of {options.batch_size}, {processors} processors"
    )
    for column in ("processes", "epoch, s", "training graphs per second", "by one process"):
        table.add_column(column, justify="right")
    first = None
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder) / "found.json"
        for count in map(int, options.workers.split(",")):
            TorchTrainer(
                work,
                train_loop_config={**vars(options), "found": str(found)},
                scaling_config=ScalingConfig(
                    num_workers=count, resources_per_worker={"CPU": 1 / max(1, count)}
                ),
                run_config=RunConfig(storage_path=folder),
            ).fit()
            taken = json.loads(found.read_text())
            speed = taken["graphs"] / taken["seconds"]
            first = first or speed
            table.add_row(
                str(count),
                f"{taken['seconds']:.3f}",
                f"{speed:.0f}",
                f"{speed / first:.2f}",
            )
    ray.shutdown()
    Console().print(table)


if __name__ == "__main__":
    main()
