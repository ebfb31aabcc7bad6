"""What ``panda train`` and ``panda compare`` share: their options, and the study these ask for."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from panda_gnn.cli.execution import Execution, add_execution_arguments, report, trials
from panda_gnn.cli.options import (
    add_cell_arguments,
    add_json_argument,
    add_rule_argument,
    add_whole,
    value,
)
from panda_gnn.cli.own import add_own_arguments
from panda_gnn.errors import InputError, choose
from panda_gnn.paper import tables

if TYPE_CHECKING:  # options are read, and explained, without torch
    from panda_gnn.evaluation.config import Config, Setting
    from panda_gnn.evaluation.store import Contents
    from panda_gnn.evaluation.study import Study


def add_training_arguments(parser: argparse.ArgumentParser, trials: int) -> None:
    """The options that decide what is trained, how often and where."""
    task = parser.add_argument_group("what to train")
    add_cell_arguments(task)
    add_whole(task, "--width", "hidden width (the task's: mostly 64)")
    add_whole(task, "--high-width", "width of high nodes (the paper's best)")
    add_whole(task, "--k", "high nodes of each graph (the paper's best)", least=0)
    task.add_argument(
        "--centrality", metavar="NAME", help="which nodes are high (the paper's best)"
    )
    task.add_argument(
        "--selector", metavar="NAME", help="topk, sorted, gated, gated-fixed or linear (topk)"
    )
    task.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="any other setting of a method or a task",
    )
    runs = parser.add_argument_group("how")
    add_whole(runs, "--trials", "trainings of a method", trials)
    add_whole(runs, "--seed", "first seed", 0, least=0)
    add_whole(runs, "--max-epochs", "at most (the task's: mostly 300)")
    add_rule_argument(runs)
    add_own_arguments(parser)
    add_json_argument(parser)
    add_execution_arguments(parser, results=None)


def run_methods(
    command: str, options: argparse.Namespace, methods: Sequence[str]
) -> tuple[Study, Contents, int]:
    """Train every method on the same seeds: the study, its rows and the exit code."""
    from panda_gnn.datasets import DATASETS
    from panda_gnn.evaluation.study import Cell, Line, Published, Study
    from panda_gnn.evaluation.tasks import task_of

    configs = [make_config(options, method) for method in methods]
    entry, unit = DATASETS[options.dataset], task_of(options.dataset).metric.unit
    study = Study(
        f"{command}-{options.dataset}-{options.backbone}",
        f"{entry.printed}: {unit.name}, selection {options.selection}, {trials(options.trials)} "
        "on shared splits",
        tuple(
            Cell(config.dataset, Line(config.backbone, config.method), (config,))
            for config in configs
        ),
        options.trials,
        published=Published(table="main") if entry.name in tables()["main"].datasets else None,
    )
    with Execution(options, study.name) as execution:
        outcome = execution.run(study, trials=options.trials, first_seed=options.seed)
        contents = execution.store.read()
    kept = None if options.results is None else execution.store
    return study, contents, report(command, outcome, kept)


def make_config(options: argparse.Namespace, method: str) -> Config:
    """The config that the options ask for; options that the method does not have are for others."""
    from panda_gnn.evaluation.config import Config
    from panda_gnn.evaluation.methods import METHODS, configure
    from panda_gnn.evaluation.tasks import task_of
    from panda_gnn.nn.models import backbone_names

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
        name: getattr(options, name)
        for name in ("width", "max_epochs")
        if getattr(options, name) is not None
    }
    choose("backbone", options.backbone, backbone_names())
    bare = Config(options.dataset, options.backbone, method, {**of_panda, **settings})
    defaults = METHODS.lookup(method).defaults(task_of(options.dataset), bare)
    settings |= {name: given for name, given in of_panda.items() if name in defaults}
    return configure(options.dataset, options.backbone, method, settings, **training)


def settings_in_words(config: Config) -> str:
    """All settings of a config; own data say themselves how they are split."""
    from panda_gnn.datasets import DATASETS

    settings = dict(config.settings)
    if settings.get("split") == "random" and (own := DATASETS.lookup(config.dataset).split):
        settings["split"] = own
    return ", ".join(f"{name}={value}" for name, value in settings.items())
