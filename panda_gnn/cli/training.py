"""What ``panda train`` and ``panda compare`` share: their options, and the study these ask for."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from panda_gnn.cli.execution import Execution, add_execution_arguments, report
from panda_gnn.cli.options import value
from panda_gnn.datasets import DATASETS
from panda_gnn.errors import InputError, choose
from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.epoch_selection import SELECTIONS
from panda_gnn.evaluation.methods import METHODS, configure
from panda_gnn.evaluation.store import Contents
from panda_gnn.evaluation.study import Cell, Line, Published, Study, at_least_one
from panda_gnn.evaluation.tasks import task_of
from panda_gnn.nn.models import BACKBONES
from panda_gnn.paper import tables


def add_training_arguments(parser: argparse.ArgumentParser, trials: int) -> None:
    """The options that decide what is trained, how often and where."""
    task = parser.add_argument_group("what to train")
    task.add_argument("--dataset", default="mutag", metavar="NAME", help="dataset (mutag)")
    task.add_argument("--backbone", default="gcn", metavar="NAME", help="gcn, gin, rgcn or rgin")
    task.add_argument("--width", type=int, metavar="P", help="hidden width (the task's: mostly 64)")
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
        help="any other setting of a method or a task",
    )
    runs = parser.add_argument_group("how")
    runs.add_argument(
        "--trials", type=int, default=trials, metavar="N", help=f"trainings of a method ({trials})"
    )
    runs.add_argument("--seed", type=int, default=0, metavar="S", help="first seed (0)")
    runs.add_argument(
        "--max-epochs", type=int, metavar="N", help="at most (the task's: mostly 300)"
    )
    runs.add_argument(
        "--selection",
        default="best-val",
        metavar="RULE",
        help=f"which epoch's test score counts: {', '.join(SELECTIONS)} (best-val)",
    )
    add_execution_arguments(parser, results=None)


def run_methods(
    command: str, options: argparse.Namespace, methods: Sequence[str]
) -> tuple[Study, Contents, int]:
    """Train every method on the same seeds: the study, its rows and the exit code."""
    choose("selection", options.selection, SELECTIONS)
    trials = at_least_one("--trials", options.trials)
    configs = [make_config(options, method) for method in methods]
    entry, unit = DATASETS[options.dataset], task_of(options.dataset).metric.unit
    study = Study(
        f"{command}-{options.dataset}-{options.backbone}",
        f"{entry.printed}: {unit.name}, selection {options.selection}, {trials} trials on shared "
        "splits",
        tuple(
            Cell(config.dataset, Line(config.backbone, config.method), (config,))
            for config in configs
        ),
        trials,
        published=Published("main") if entry.name in tables()["main"].datasets else None,
    )
    with Execution(options, study.name) as execution:
        outcome = execution.run(study, trials=trials, first_seed=options.seed)
        contents = execution.store.read()
    kept = None if options.results is None else execution.store
    return study, contents, report(command, outcome, kept)


def make_config(options: argparse.Namespace, method: str) -> Config:
    """The config that the options ask for; options that the method does not have are for others."""
    settings: dict[str, Setting] = {}
    for text in options.set:
        name, equals, given = text.partition("=")
        if not equals:
            raise InputError(f"--set {text} is not of the form NAME=VALUE")
        settings[name] = value(given)
    of_panda = {
        name: getattr(options, name)
        for name in ("k", "high_width", "centrality", "selector")
        if getattr(options, name) is not None
    }
    training: dict[str, Any] = {
        name: at_least_one(f"--{name.replace('_', '-')}", getattr(options, name))
        for name in ("width", "max_epochs")
        if getattr(options, name) is not None
    }
    choose("backbone", options.backbone, BACKBONES)
    bare = Config(options.dataset, options.backbone, method, {**of_panda, **settings})
    defaults = METHODS.lookup(method).defaults(task_of(options.dataset), bare)
    settings |= {name: given for name, given in of_panda.items() if name in defaults}
    return configure(options.dataset, options.backbone, method, settings, **training)


def settings_in_words(config: Config) -> str:
    """All settings of a config."""
    return ", ".join(f"{name}={value}" for name, value in config.settings.items())
