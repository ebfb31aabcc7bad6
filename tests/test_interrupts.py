from __future__ import annotations

import os
import signal
import threading

import pytest

from panda_gnn.interrupts import REQUESTS, on_request_to_end

REQUEST_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


@pytest.mark.parametrize("name", REQUEST_NAMES)
def test_a_request_to_end_is_handled_and_the_usual_comes_back(name: str) -> None:
    number = getattr(signal, name)
    before = signal.signal(number, signal.SIG_DFL)
    seen: list[int] = []
    try:
        with on_request_to_end(lambda number, frame: seen.append(number)):
            os.kill(os.getpid(), number)
        assert seen == [number]
        assert signal.getsignal(number) is signal.SIG_DFL
    finally:
        signal.signal(number, before)


def test_what_nohup_ignores_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    seen: list[int] = []
    try:
        with on_request_to_end(lambda number, frame: seen.append(number)):
            os.kill(os.getpid(), signal.SIGHUP)
        assert seen == []
    finally:
        signal.signal(signal.SIGHUP, before)


def test_other_threads_leave_signals_alone() -> None:
    before = [signal.getsignal(number) for number in REQUESTS]
    found: list[object] = []

    def look() -> None:
        with on_request_to_end(signal.default_int_handler):
            found.extend(signal.getsignal(number) for number in REQUESTS)

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found == before
