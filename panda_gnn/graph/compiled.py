"""Compiling kernels where they are first called, and saying so."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar, cast

from filelock import FileLock
from numba import njit, types
from numba.core import event
from numba.core.caching import FunctionCache
from numba.core.compiler_lock import global_compiler_lock

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compile a function when it is first called, and keep the result on disk.

    The function releases the interpreter's lock and divides like numpy. Loading what an earlier
    process compiled is silent; compiling writes a line to standard error. Of several processes that
    need it at once, one compiles and the others wait and load.

    Numba keeps the result beside the source, or in the user's cache folder where that cannot be
    written; where neither can, every process compiles for itself.
    """
    kernel: Any = njit(cache=kernel_folder(function) is not None, nogil=True, error_model="numpy")(
        function
    )
    compile_now = kernel.compile

    def compile_or_load(signature: Any) -> Any:
        with one_at_a_time(function):
            return compile_now(signature)

    kernel.compile = compile_or_load
    template_now = kernel.get_call_template

    def template(given: Any, named: Any) -> Any:
        return template_now(tuple(map(_usual, given)), {k: _usual(v) for k, v in named.items()})

    kernel.get_call_template = template
    _announcer.kernels.add(kernel)
    return cast("F", kernel)


def _usual(kind: Any) -> Any:
    """The type for which a kernel that is called by another one is compiled: whole numbers have 64
    bits, however short they are in the caller and whether it knows their value or not."""
    kind = types.unliteral(kind)  # type: ignore[no-untyped-call]
    return types.int64 if kind in (types.int8, types.int16, types.int32) else kind


def kernel_folder(function: Callable[..., Any]) -> Path | None:
    """Where the machine code of a function is kept; ``None`` where no folder can be written."""
    try:
        return Path(FunctionCache(function).cache_path)  # type: ignore[no-untyped-call]
    except RuntimeError:
        return None


@contextmanager
def one_at_a_time(function: Callable[..., Any]) -> Iterator[None]:
    """Keep other processes and threads from compiling the function meanwhile."""
    with global_compiler_lock, ExitStack() as held:
        folder = kernel_folder(function)
        if folder is not None:
            with suppress(OSError):
                folder.mkdir(parents=True, exist_ok=True)
                name = f"{function.__module__}.{function.__name__}.lock"
                held.enter_context(FileLock(folder / name))
        yield


@contextmanager
def silently() -> Iterator[Callable[[], float]]:
    """Announce nothing that is compiled in a ``with`` block.

    Gives a function that tells how many seconds compiling has taken in the block.
    """
    before = _announcer.seconds
    _announcer.groups += 1
    try:
        yield lambda: _announcer.seconds - before
    finally:
        _announcer.groups -= 1


@contextmanager
def announced_together(what: str) -> Iterator[Callable[[], float]]:
    """Announce all that is compiled in a ``with`` block in one line, as ``what``.

    Gives a function that tells how many seconds compiling has taken in the block.
    """
    try:
        with silently() as seconds:
            yield seconds
    finally:
        if seconds() > 0:
            _announcer.announce(what, seconds())


def announce(function: Callable[..., Any], seconds: float) -> None:
    """Say that a function was compiled, where that is not announced together with others."""
    _announcer.seconds += seconds
    _announcer.announce(
        f"{function.__module__.removeprefix('panda_gnn.')}.{function.__name__}",
        seconds,
        kept=kernel_folder(function) is not None,
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
            announce(kernel.py_func, seconds)

    def announce(self, what: str, seconds: float, kept: bool = True) -> None:
        """Write the line, unless what is compiled now is announced in another way."""
        if self.groups:
            return
        end = "once; kept for later runs"
        if not kept:
            end = "in every process: set NUMBA_CACHE_DIR to a folder that can be written"
        print(f"panda_gnn: compiled {what} in {seconds:.1f} s ({end})", file=sys.stderr)


_announcer = _Announcer()
event.register("numba:compile", _announcer)  # type: ignore[no-untyped-call]
