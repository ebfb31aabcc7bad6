"""What compiling costs, kernel by kernel: every method's tiny trial with an empty cache.

Seconds are of the processor. A kernel that calls another one has its own share only; functions of
numpy have theirs, by the name of numba's module. Kernels of layers (``nn.kernels``) are measured by
the clock, together with what numba compiles for them.

    python benchmarks/compiling.py [--methods none,panda] [--backbones gcn,gin] [--rows 25]
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections import Counter, defaultdict
from typing import Any

from rich.console import Console
from rich.table import Table


def main() -> None:
    """Print the seconds of methods and of kernels."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--methods")
    parser.add_argument("--backbones", default="gcn,gin,rgcn,rgin")
    parser.add_argument("--rows", type=int, default=25, help="kernels that are listed")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NUMBA_CACHE_DIR"] = folder
        measure(options)


def measure(options: argparse.Namespace) -> None:
    """Run the tiny trials in this process, which must not have imported numba before."""
    from numba.core import event

    from panda_gnn.evaluation.methods import METHODS
    from panda_gnn.evaluation.warmup import Kind, compile_kind
    from panda_gnn.graph import compiled

    assert "NUMBA_CACHE_DIR" in os.environ
    seconds: defaultdict[str, float] = defaultdict(float)
    times = Counter[str]()
    open_events: list[list[Any]] = []

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            function = event.data["dispatcher"].py_func
            name = function.__module__
            if name.startswith("panda_gnn"):
                name = f"{name.removeprefix('panda_gnn.')}.{function.__name__}"
            open_events.append([name, time.process_time(), 0.0])

        def on_end(self, event: Any) -> None:
            name, begin, inside = open_events.pop()
            whole = time.process_time() - begin
            seconds[name] += whole - inside
            times[name] += 1
            if open_events:
                open_events[-1][2] += whole

    event.register("numba:compile", Listener())  # type: ignore[no-untyped-call]
    announce = compiled.announce

    def note(function: Any, taken: float) -> None:
        announce(function, taken)
        if function.__module__.startswith("panda_gnn.nn"):  # no dispatcher of numba's
            name = f"{function.__module__.removeprefix('panda_gnn.')}.{function.__name__}"
            seconds[name] += taken
            times[name] += 1

    compiled.announce = note  # type: ignore[assignment]
    methods = options.methods.split(",") if options.methods else list(METHODS)
    first, *others = options.backbones.split(",")
    kinds = [Kind(first, method) for method in methods]
    kinds += [Kind(b, m) for b in others for m in ("none", "panda") if m in methods]
    table = Table(title="tiny trials with an empty cache, one after the other")
    for column in ("method", "backbone", "seconds"):
        table.add_column(column, justify="right" if column == "seconds" else "left")
    whole = 0.0
    for kind in kinds:
        begin = time.process_time()
        compile_kind(kind)
        taken = time.process_time() - begin
        whole += taken
        if taken > 1:
            table.add_row(kind.method, kind.backbone, f"{taken:.1f}")
    table.add_row("all", "", f"{whole:.1f}")
    Console().print(table)
    table = Table(title="kernels", caption=f"all: {sum(seconds.values()):.1f} seconds")
    for column in ("kernel", "times", "seconds"):
        table.add_column(column, justify="left" if column == "kernel" else "right")
    costliest = sorted(seconds.items(), key=lambda item: -item[1])[: options.rows]
    for name, taken in costliest:
        table.add_row(name, str(times[name]), f"{taken:.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()
