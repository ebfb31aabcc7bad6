"""``panda search``: choose the settings of a method by their validation score."""

from __future__ import annotations

import argparse
from dataclasses import replace

from rich import box
from rich.console import Console
from rich.table import Table

from panda_gnn.cli.execution import Execution, add_execution_arguments, report
from panda_gnn.cli.options import names, value
from panda_gnn.errors import InputError, choose
from panda_gnn.evaluation.config import Setting
from panda_gnn.evaluation.methods import complete, configure
from panda_gnn.evaluation.run import Outcome
from panda_gnn.evaluation.search import SEARCH_SAMPLERS, Tried, default_space, search, search_name
from panda_gnn.evaluation.store import Finished, by_config_and_seed
from panda_gnn.evaluation.study import Study, at_least_one

#: How many of the best combinations are printed.
SHOWN = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--dataset", default="mutag", metavar="NAME", help="dataset (mutag)")
    parser.add_argument("--backbone", default="gcn", metavar="NAME", help="backbone (gcn)")
    parser.add_argument("--method", default="panda", metavar="NAME", help="method (panda)")
    parser.add_argument(
        "--space",
        action="append",
        default=[],
        metavar="NAME=VALUE,VALUE",
        help="values of a setting, once per setting (the paper's search space)",
    )
    parser.add_argument(
        "--sampler", default="grid", metavar="NAME", help=f"{', '.join(SEARCH_SAMPLERS)} (grid)"
    )
    parser.add_argument(
        "--samples", type=int, default=40, metavar="N", help="combinations of tpe and random (40)"
    )
    parser.add_argument(
        "--trials", type=int, default=5, metavar="N", help="seeds of a combination (5)"
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="S", help="what tpe and random ask for (0)"
    )
    add_execution_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Search and print the best settings."""
    choose("sampler", options.sampler, SEARCH_SAMPLERS)
    trials = at_least_one("--trials", options.trials)
    samples = at_least_one("--samples", options.samples)
    bare = configure(options.dataset, options.backbone, options.method)
    space = _space(options.space) or default_space(bare)
    for name, choices in space.items():
        for choice in choices:
            complete(replace(bare, settings={name: choice}))
    total = Outcome()
    with Execution(options, search_name(bare)) as execution:

        def run_one(study: Study) -> Finished:
            outcome = execution.run(study, trials=trials)
            total.ran += outcome.ran
            total.adopted += outcome.adopted
            total.left += outcome.left
            total.failures += outcome.failures
            if outcome.interrupted:
                raise KeyboardInterrupt
            return by_config_and_seed(execution.store.read().rows, execution.origins(study))

        try:
            found = search(
                bare,
                space,
                run_one,
                trials=trials,
                sampler=options.sampler,
                samples=samples,
                seed=options.seed,
            )
        except KeyboardInterrupt:
            total.interrupted = True
            found = []
    if found:
        _show(found)
    return report("search", total, execution.store)


def _space(texts: list[str]) -> dict[str, list[Setting]]:
    space: dict[str, list[Setting]] = {}
    for text in texts:
        name, equals, listed = text.partition("=")
        values = names(listed) or []
        if not equals or not values:
            raise InputError(f"--space is '{text}', it must be like k=1,3,5")
        space[name] = [value(text) for text in values]
    return space


def _show(found: list[Tried]) -> None:
    config = found[0].config
    grid = Table(
        title=f"{config.method} on {config.backbone}, {config.dataset}: validation score, "
        f"{len(found)} combinations, the best first",
        box=box.SIMPLE_HEAD,
    )
    for name in (*config.settings, "validation", "n"):
        grid.add_column(name, justify="right")
    for one in found[:SHOWN]:
        interval = one.validation.interval
        around = "" if interval is None else f" ± {interval:.4f}"
        grid.add_row(
            *(str(value) for value in one.config.settings.values()),
            f"{one.validation.mean:.4f}{around}",
            str(one.validation.n),
        )
    console = Console()
    console.print(grid)
    inner = ", ".join(f"{name} = {_toml(value)}" for name, value in config.settings.items())
    console.print("for a study:", highlight=False)
    print(f"[settings.{config.method}.{config.backbone}]\n{config.dataset} = {{ {inner} }}")


def _toml(value: Setting) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)
