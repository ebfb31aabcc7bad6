"""``panda warmup``: compile the kernels ahead of the first run."""

from __future__ import annotations

import argparse
import sys
import time

from panda_gnn.cli.options import add_data_arguments, names
from panda_gnn.errors import choose


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    for what in ("backbones", "methods"):
        parser.add_argument(
            f"--{what}", type=names, metavar="NAMES", help=f"for these {what} (all)"
        )
    add_data_arguments(parser)


def run(options: argparse.Namespace) -> None:
    """Train every method for one epoch on MUTAG: what that compiles is kept for later runs."""
    from panda_gnn.evaluation.config import Config
    from panda_gnn.evaluation.methods import METHODS
    from panda_gnn.evaluation.trial import run_trial
    from panda_gnn.nn.models import BACKBONES
    from panda_gnn.progress import track

    backbones = options.backbones or list(BACKBONES)
    methods = options.methods or list(METHODS)
    for backbone in backbones:
        choose("backbone", backbone, BACKBONES)
    for method in methods:
        choose("method", method, METHODS)
    # Kernels of a method do not depend on the backbone, but for those of PANDA and of none.
    configs = [Config("mutag", backbones[0], method, max_epochs=1) for method in methods]
    configs += [
        Config("mutag", backbone, method, max_epochs=1)
        for backbone in backbones[1:]
        for method in methods
        if method in ("none", "panda")
    ]
    begin = time.perf_counter()
    for config in track(configs, "compiling kernels"):
        run_trial(config, 0, root=options.root, mirror=options.mirror)
        if not sys.stderr.isatty():
            print(f"{config.backbone} {config.method} is ready", file=sys.stderr, flush=True)
    print(
        f"the kernels of {len(methods)} methods and {len(backbones)} backbones are ready "
        f"({time.perf_counter() - begin:.0f} s)",
        file=sys.stderr,
    )
