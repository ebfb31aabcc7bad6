"""Workers that are processes of this machine."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from panda_gnn.evaluation.executors.base import (
    ONE_THREAD,
    Answer,
    Call,
    WorkerDied,
    WorkerExecutor,
    answer,
)


class LocalExecutor(WorkerExecutor):
    """Processes of this machine, each with one thread; they start fresh and keep what they loaded.

    A process that dies takes one call with it, and another one takes its place. When this process
    dies, its workers end too.
    """

    def __init__(self, workers: int) -> None:
        super().__init__(workers)
        self._own = threading.local()
        self._lock = threading.Lock()
        self._alive: set[_Worker] = set()
        self._ended = False

    def deliver(self, call: Call, name: str) -> Answer:
        worker = self._worker_of_this_thread()
        try:
            return worker.call(call)
        except (EOFError, OSError) as error:
            self._own.worker = None
            self._alive.discard(worker)
            raise WorkerDied(worker.last_words()) from error

    def end_workers(self) -> None:
        with self._lock:
            self._ended = True
            for worker in list(self._alive):
                worker.end()

    def _worker_of_this_thread(self) -> _Worker:
        worker: _Worker | None = getattr(self._own, "worker", None)
        if worker is None:
            with self._lock:
                if self._ended:
                    raise WorkerDied("the executor was shut down")
                worker = self._own.worker = _Worker()
                self._alive.add(worker)
        return worker


class _Worker:
    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process: BaseProcess = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()

    def call(self, call: Call) -> Answer:
        self._connection.send(call)
        result: Answer = self._connection.recv()
        return result

    def last_words(self) -> str:
        self._process.join()
        code = self._process.exitcode or 0
        return f"killed by signal {-code}" if code < 0 else f"ended with code {code}"

    def end(self) -> None:
        self._process.kill()
        self._process.join()


def _serve(connection: Connection) -> None:
    for name in ("SIGINT", "SIGHUP"):  # the terminal sends them to all, and the parent decides
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.environ.update(ONE_THREAD)
    with contextlib.suppress(EOFError, OSError):
        while True:
            connection.send(answer(connection.recv()))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
