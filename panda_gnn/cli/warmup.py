"""``panda warmup``: compile the kernels ahead of the first run."""

from __future__ import annotations

import argparse
import os
import sys
import time

from panda_gnn.cli.options import add_names_arguments, add_whole


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    add_names_arguments(parser, "for these", ("backbones", "methods"))
    add_whole(parser, "--workers", "processes that compile (one per processor)")


def run(options: argparse.Namespace) -> int:
    """Train every method for one epoch on tiny graphs: what that compiles is kept."""
    from panda_gnn.evaluation.executors import LocalExecutor
    from panda_gnn.evaluation.methods import METHODS, configure
    from panda_gnn.evaluation.warmup import DATASET, compile_before, kind_of
    from panda_gnn.nn.models import BACKBONES

    backbones = options.backbones or list(BACKBONES)
    methods = options.methods or list(METHODS)
    # Kernels of a method do not depend on the backbone, but for those of PANDA and of none.
    pairs = [(backbones[0], method) for method in methods]
    pairs += [
        (backbone, method)
        for backbone in backbones[1:]
        for method in methods
        if method in ("none", "panda")
    ]
    kinds = [kind_of(configure(DATASET, *pair)) for pair in pairs]
    begin = time.perf_counter()
    with LocalExecutor(options.workers or os.cpu_count() or 1) as executor:
        failed = compile_before(kinds, executor)
    for kind, error in failed.items():
        print(f"panda warmup: {kind.method} on {kind.backbone}: {error}", file=sys.stderr)
    if failed:
        return 1
    print(
        f"the kernels of {len(methods)} methods and {len(backbones)} backbones are ready "
        f"({time.perf_counter() - begin:.0f} s)",
        file=sys.stderr,
    )
    return 0
