"""What ``panda train`` and ``panda compare`` share: their options, and trials side by side."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from concurrent.futures import as_completed

from panda_gnn.errors import InputError
from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.executors import LocalExecutor
from panda_gnn.evaluation.methods import complete
from panda_gnn.evaluation.protocol import SELECTIONS
from panda_gnn.evaluation.store import Row
from panda_gnn.evaluation.trial import run_trial
from panda_gnn.progress import progress_bar


def add_training_arguments(parser: argparse.ArgumentParser, trials: int) -> None:
    """The options that decide what is trained, how often and where."""
    task = parser.add_argument_group("what to train")
    task.add_argument("--dataset", default="mutag", metavar="NAME", help="dataset (mutag)")
    task.add_argument("--backbone", default="gcn", metavar="NAME", help="gcn, gin, rgcn or rgin")
    task.add_argument("--width", type=int, default=64, metavar="P", help="hidden width (64)")
    task.add_argument(
        "--high-width", type=int, metavar="P", help="width of high nodes (the paper's best)"
    )
    task.add_argument("--k", type=int, help="high nodes of each graph (the paper's best)")
    task.add_argument(
        "--centrality", metavar="NAME", help="which nodes are high (the paper's best)"
    )
    task.add_argument("--selector", metavar="NAME", help="topk, sorted, gated or linear (topk)")
    task.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="any other setting of a method",
    )
    runs = parser.add_argument_group("how")
    runs.add_argument(
        "--trials", type=int, default=trials, metavar="N", help=f"trainings of a method ({trials})"
    )
    runs.add_argument("--seed", type=int, default=0, metavar="S", help="first seed (0)")
    runs.add_argument("--max-epochs", type=int, default=300, metavar="N", help="at most (300)")
    runs.add_argument(
        "--selection",
        default="best-val",
        metavar="RULE",
        help=f"which epoch's test score counts: {', '.join(SELECTIONS)} (best-val)",
    )
    runs.add_argument("--workers", type=int, default=2, metavar="N", help="processes (2)")
    add_data_arguments(parser)


def add_data_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that say where datasets are."""
    data = parser.add_argument_group("where the data is")
    data.add_argument("--root", metavar="FOLDER", help="keeps the datasets (PANDA_DATA_ROOT)")
    data.add_argument(
        "--mirror", metavar="FOLDER", help="has the archives (PANDA_DATA_MIRROR), else the network"
    )


def make_config(options: argparse.Namespace, method: str) -> Config:
    """The config that the options ask for; options that the method does not have are for others."""
    for name in ("trials", "workers", "width", "max_epochs"):
        if getattr(options, name) < 1:
            flag = name.replace("_", "-")
            raise InputError(f"--{flag} is {getattr(options, name)}, it must be at least 1")
    plain = Config(
        options.dataset,
        options.backbone,
        method,
        width=options.width,
        max_epochs=options.max_epochs,
    )
    known = complete(plain).settings
    asked: dict[str, Setting] = {
        name: value
        for name in ("k", "high_width", "centrality", "selector")
        if (value := getattr(options, name)) is not None and name in known
    }
    for text in options.set:
        name, value = _setting(text)
        asked[name] = value
    return complete(Config(**{**plain.to_dict(), "settings": asked}))


def _setting(text: str) -> tuple[str, Setting]:
    name, equals, value = text.partition("=")
    if not equals:
        raise InputError(f"--set {text} is not of the form NAME=VALUE")
    for read in (int, float):
        try:
            return name, read(value)
        except ValueError:
            continue
    return name, {"true": True, "false": False}.get(value, value)


def run_trials(
    configs: Sequence[Config], seeds: Sequence[int], options: argparse.Namespace
) -> dict[str, dict[int, Row]]:
    """Run every config with every seed under a progress bar; rows by config key and seed."""
    rows: dict[str, dict[int, Row]] = {config.key: {} for config in configs}
    jobs = [(config, seed) for seed in seeds for config in configs]
    workers = min(options.workers, len(jobs))
    executor = LocalExecutor(workers)
    try:
        with progress_bar() as bar:
            task = bar.add_task(f"{len(jobs)} trials", total=len(jobs))
            futures = [
                executor.submit(run_trial, config, seed, root=options.root, mirror=options.mirror)
                for config, seed in jobs
            ]
            for future in as_completed(futures):
                row = future.result()
                rows[row["key"]][row["seed"]] = row
                bar.advance(task)
    except BaseException:
        executor.shutdown(cancel_futures=True)
        raise
    executor.shutdown()
    return rows
