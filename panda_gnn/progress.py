"""Progress bars: on standard error, only where somebody can see them, gone at the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

T = TypeVar("T")


def progress_bar() -> Progress:
    """A bar with count and time left, gone at the end; silent where there is no terminal."""
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


def track(items: Iterable[T], description: str, total: int | None = None) -> Iterator[T]:
    """Yield ``items`` under a progress bar."""
    if total is None and isinstance(items, Sized):
        total = len(items)
    with progress_bar() as bar:
        yield from bar.track(items, total=total, description=description)
