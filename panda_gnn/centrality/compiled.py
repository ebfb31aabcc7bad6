"""Compiling kernels where they are first needed, and saying so."""

from __future__ import annotations

import importlib
import sys
import time
from types import ModuleType

#: Seconds this process spent on compiling, by kernel module; one that was loaded is not there.
compile_times: dict[str, float] = {}


def compiled(name: str) -> ModuleType:
    """The module ``panda_gnn.centrality.kernels.<name>``, compiled or loaded from numba's cache."""
    load_kernels(name)
    return importlib.import_module(f"{__package__}.kernels.{name}")


def load_kernels(*names: str) -> float:
    """Compile or load some kernel modules, and return the seconds that compiling took.

    Compiling happens once per installation; a line on standard error says how long it took.
    """
    missing = [name for name in names if f"{__package__}.kernels.{name}" not in sys.modules]
    if not missing:
        return 0.0
    from numba.core.dispatcher import Dispatcher

    seconds = 0.0
    for name in missing:
        begin = time.perf_counter()
        module = importlib.import_module(f"{__package__}.kernels.{name}")
        functions = [value for value in vars(module).values() if isinstance(value, Dispatcher)]
        if name not in compile_times and any(f.stats.cache_misses for f in functions):
            compile_times[name] = time.perf_counter() - begin
            seconds += compile_times[name]
    if seconds:
        print(
            f"panda_gnn: compiled {', '.join(missing)} kernels in {seconds:.1f} s "
            "(once; kept for later runs)",
            file=sys.stderr,
        )
    return seconds
