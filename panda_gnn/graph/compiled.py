"""Compiling kernels where they are first called, and saying so."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar, cast

from filelock import FileLock
from numba import njit
from numba.core import event
from numba.core.caching import FunctionCache
from numba.core.compiler_lock import global_compiler_lock

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compile a function when it is first called, and keep the result on disk.

    The function releases the interpreter's lock and divides like numpy. Loading what an earlier
    process compiled is silent; compiling writes a line to standard error. Of several processes that
    need it at once, one compiles and the others wait and load.
    """
    kernel: Any = njit(cache=True, nogil=True, error_model="numpy")(function)
    compile_now = kernel.compile

    def compile_or_load(signature: Any) -> Any:
        with one_at_a_time(function):
            return compile_now(signature)

    kernel.compile = compile_or_load
    _announcer.kernels.add(kernel)
    return cast("F", kernel)


@contextmanager
def one_at_a_time(function: Callable[..., Any]) -> Iterator[None]:
    """Keep other processes and threads from compiling the function meanwhile."""
    with global_compiler_lock, ExitStack() as held:
        # Where nothing can be kept, every process compiles for itself.
        with suppress(OSError, RuntimeError):
            folder = Path(FunctionCache(function).cache_path)  # type: ignore[no-untyped-call]
            folder.mkdir(parents=True, exist_ok=True)
            held.enter_context(FileLock(folder / f"{function.__module__}.{function.__name__}.lock"))
        yield


@contextmanager
def announced_together(what: str) -> Iterator[Callable[[], float]]:
    """Announce all that is compiled in a ``with`` block in one line, as ``what``.

    Gives a function that tells how many seconds compiling has taken in the block.
    """
    before = _announcer.seconds
    _announcer.groups += 1
    try:
        yield lambda: _announcer.seconds - before
    finally:
        _announcer.groups -= 1
        if _announcer.seconds > before:
            _announce(what, _announcer.seconds - before)


def _announce(what: str, seconds: float) -> None:
    print(
        f"panda_gnn: compiled {what} in {seconds:.1f} s (once; kept for later runs)",
        file=sys.stderr,
    )


class _Announcer(event.Listener):
    """Listens to numba; a kernel that is compiled for another one counts as part of that one."""

    def __init__(self) -> None:
        self.kernels: set[Any] = set()
        self.seconds = 0.0
        self.groups = 0
        self._begins: list[float] = []

    def on_start(self, event: Any) -> None:
        if event.data["dispatcher"] in self.kernels:
            self._begins.append(time.perf_counter())

    def on_end(self, event: Any) -> None:
        kernel = event.data["dispatcher"]
        if kernel not in self.kernels:
            return
        seconds = time.perf_counter() - self._begins.pop()
        if not self._begins:
            self.seconds += seconds
            if not self.groups:
                function = kernel.py_func
                module = function.__module__.removeprefix("panda_gnn.")
                _announce(f"{module}.{function.__name__}", seconds)


_announcer = _Announcer()
event.register("numba:compile", _announcer)  # type: ignore[no-untyped-call]
