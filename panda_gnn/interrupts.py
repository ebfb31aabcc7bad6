"""What asks a process to end: Ctrl-C, a closed terminal, and batch systems before they kill."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

#: The signals that ask a process to end, as far as the system has them.
REQUESTS = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
    if hasattr(signal, name)
)


@contextmanager
def on_request_to_end(handler: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    """Call ``handler`` instead of ending the process when a signal asks for that.

    Signals that are ignored (as under ``nohup``) or have a handler of somebody else are left alone,
    and so are all of them outside the main thread.
    """
    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in REQUESTS:
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                before[number] = signal.signal(number, handler)
    try:
        yield
    finally:
        for number, usual in before.items():
            signal.signal(number, usual)
