"""``panda search``: choose the settings of a method by their validation score."""

from __future__ import annotations

import argparse
import json
import re
from typing import TYPE_CHECKING

from panda_gnn.cli.execution import (
    Execution,
    add_execution_arguments,
    print_failures,
    report,
)
from panda_gnn.cli.names import names_of
from panda_gnn.cli.options import (
    add_cell_arguments,
    add_choice,
    add_json_argument,
    add_method_argument,
    add_whole,
    names,
    value,
)
from panda_gnn.cli.own import add_own_arguments
from panda_gnn.errors import InputError, require
from panda_gnn.evaluation.config import TRAINING
from panda_gnn.evaluation.store import Finished, by_config_and_seed

if TYPE_CHECKING:  # options are read, and explained, without torch
    from panda_gnn.evaluation.config import Config, Setting
    from panda_gnn.evaluation.search import Space, Tried
    from panda_gnn.evaluation.study import Study

#: How many of the best combinations are printed.
SHOWN = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    add_cell_arguments(parser)
    add_method_argument(parser)
    parser.add_argument(
        "--space",
        action="append",
        default=[],
        metavar="NAME=VALUE,VALUE",
        help="values of a setting, or of width, dropout and so on, once for each (the paper's "
        "search space)",
    )
    add_choice(parser, "--sampler", names_of("samplers"), "grid")
    add_whole(parser, "--samples", "combinations of tpe and random", 40)
    add_whole(parser, "--trials", "seeds of a combination", 5)
    add_whole(parser, "--seed", "decides what tpe and random ask for", 0, least=0)
    add_own_arguments(parser)
    add_json_argument(parser)
    add_execution_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Search and print the best settings."""
    from panda_gnn.evaluation.methods import configure
    from panda_gnn.evaluation.run import Outcome
    from panda_gnn.evaluation.search import default_space, search, search_name, with_values

    bare = configure(options.dataset, options.backbone, options.method)
    space = _space(options.space) or default_space(bare)
    if options.sampler != "grid":
        require("optuna", "search")
    for name, choices in space.items():
        for choice in choices:
            with_values(bare, {name: choice})
    total = Outcome()
    with Execution(options, search_name(bare)) as execution:

        def run_one(study: Study) -> Finished:
            outcome = execution.run(study, trials=options.trials)
            for name in ("ran", "adopted", "left", "failures", "failed_before"):
                setattr(total, name, getattr(total, name) + getattr(outcome, name))
            if outcome.interrupted:
                raise KeyboardInterrupt
            return by_config_and_seed(execution.store.read().rows, execution.origins(study))

        try:
            found = search(
                bare,
                space,
                run_one,
                trials=options.trials,
                sampler=options.sampler,
                samples=options.samples,
                seed=options.seed,
            )
        except KeyboardInterrupt:
            total.interrupted = True
            found = []
        except InputError:  # no workers are left, say; why trials failed before is worth knowing
            print_failures("search", total)
            raise
    if options.json:
        print(json.dumps([_plain(one, space) for one in found], indent=1))
    elif found:
        _show(found, space)
    return report("search", total, execution.store)


def _space(texts: list[str]) -> dict[str, list[Setting]]:
    space: dict[str, list[Setting]] = {}
    for text in texts:
        name, equals, listed = text.partition("=")
        values = names(listed)
        if not equals or not values:
            raise InputError(f"--space is '{text}', it must be like k=1,3,5")
        space[name] = [value(text) for text in values]
    return space


def _values(config: Config, space: Space) -> dict[str, Setting]:
    """The settings of a combination, with what was searched of its training."""
    training = {name: getattr(config, name) for name in space if name in TRAINING}
    return training | dict(config.settings)


def _plain(one: Tried, space: Space) -> dict[str, object]:
    """A combination for JSON."""
    settings = _values(one.config, space)
    return {"settings": settings, "validation": one.validation.mean, "n": one.validation.n}


def _show(found: list[Tried], space: Space) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    config = found[0].config
    grid = Table(
        title=f"{config.method} on {config.backbone}, {config.dataset}: validation score, "
        f"{len(found)} combinations, the best first",
        box=box.SIMPLE_HEAD,
    )
    best = _values(config, space)
    for name in (*best, "validation", "n"):
        grid.add_column(name, justify="right")
    for one in found[:SHOWN]:
        interval = one.validation.interval
        around = "" if interval is None else f" ± {interval:.4f}"
        grid.add_row(
            *(str(value) for value in _values(one.config, space).values()),
            f"{one.validation.mean:.4f}{around}",
            str(one.validation.n),
        )
    console = Console()
    console.print(grid)
    inner = ", ".join(f"{name} = {_toml(value)}" for name, value in best.items())
    console.print("for a study:", highlight=False)
    of = ".".join(map(_key, ("settings", config.method, config.backbone)))
    print(f"[{of}]\n{_key(config.dataset)} = {{ {inner} }}")


def _toml(value: Setting) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return json.dumps(value) if isinstance(value, str) else str(value)


def _key(name: str) -> str:
    """A key of TOML: between quotation marks where it is a path, say."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)
