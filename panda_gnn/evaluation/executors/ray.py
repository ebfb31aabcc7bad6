"""Workers that are tasks of a Ray cluster: this machine's own, or one that is already running."""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
import time
from typing import Any

from panda_gnn.errors import InputError, require
from panda_gnn.evaluation.executors.base import (
    Answer,
    Call,
    ExecutorLost,
    WorkerDied,
    WorkerExecutor,
    WorkersLost,
    answer,
)

#: Bytes of shared memory of a Ray that is started here: a row is small, and so is what it needs.
OBJECT_STORE = 100 * 2**20

#: How long a cluster may take to accept a connection.
SECONDS_TO_ANSWER = 10

#: How long a cluster that was lost is waited for.
SECONDS_TO_RETURN = 300

#: Seconds between two looks at a task, and at the head of the cluster. Without its head, Ray itself
#: ends the process after a minute.
LOOK_EVERY, LOOK_AT_HEAD_EVERY = 1.0, 5.0


class RayExecutor(WorkerExecutor):
    """Tasks of one processor each on a Ray cluster.

    A cluster that is lost, or whose raylet on this machine died, is connected to again; one of this
    machine's own is started again. Calls under way then raise
    :class:`~panda_gnn.evaluation.executors.WorkersLost`.

    Args:
        workers: How many tasks at a time.
        address: Where the cluster is (``auto``, ``host:port`` or ``ray://host:port``); without it,
            a Ray of this machine is started, and stopped at the end. Machines of a cluster need
            panda-gnn and the datasets, but no folder in common: rows travel back as results.
    """

    def __init__(self, workers: int, address: str | None = None) -> None:
        self._ray = require("ray", "ray")
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        self._address = address
        self._options: dict[str, Any] = {
            "address": address or "local",
            "log_to_driver": False,
            "logging_level": logging.ERROR,
        }
        if address is None:
            self._options |= {
                "num_cpus": workers,
                "object_store_memory": OBJECT_STORE,
                "include_dashboard": False,
            }
        self._connection = threading.Condition()
        self._users = 0
        self._lost: WorkersLost | None = None
        self._ended = threading.Event()
        self._connect()
        super().__init__(workers)

    def deliver(self, call: Call, name: str) -> Answer:
        with self._connection:
            self._connection.wait_for(lambda: self._lost is None or self._users == 0)
            if self._lost is not None:
                self._reconnect()
            self._users += 1
        try:
            return self._ask(call)
        finally:
            with self._connection:
                self._users -= 1
                self._connection.notify_all()

    def end_workers(self) -> None:
        self._ended.set()
        with self._connection:
            self._connection.wait_for(lambda: self._users == 0, timeout=2 * LOOK_EVERY)
            self._ray.shutdown()

    def _connect(self) -> None:
        if self._address is not None:
            _reach(self._address)
        usual = signal.getsignal(signal.SIGTERM)
        try:
            self._ray.init(**self._options)
        except ConnectionError as error:
            raise InputError(
                f"no Ray cluster answers at '{self._address}': "
                "start one with 'ray start --head', or leave --address out"
            ) from error
        except Exception as error:  # Ray has no class for a raylet that did not start in time
            raise InputError(
                f"Ray could not be started ({_first_line(error)}): try again"
            ) from error
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, usual)  # Ray's handler would end the driver
        self._head = self._address
        if not (self._address or "").startswith("ray://"):
            self._head = self._ray.get_runtime_context().gcs_address
        self._head_answered = time.monotonic()
        self._task = self._ray.remote(num_cpus=1, max_retries=0)(answer)

    def _ask(self, call: Call) -> Answer:
        """Let a task answer; whoever notices that the cluster is lost tells all others."""
        errors = self._ray.exceptions
        try:
            task = self._task.remote(call)
            while not self._ray.wait([task], timeout=LOOK_EVERY)[0]:
                if self._ended.is_set():
                    raise WorkerDied("the executor was shut down")
                if self._lost is not None:
                    raise WorkersLost(str(self._lost))
                if time.monotonic() - self._head_answered > LOOK_AT_HEAD_EVERY:
                    self._look_at_head()
            result: Answer = self._ray.get(task)
        except (errors.RayTaskError, errors.WorkerCrashedError, errors.OutOfMemoryError) as error:
            raise WorkerDied(_first_line(error)) from error
        except (errors.NodeDiedError, errors.ObjectLostError) as error:
            raise WorkersLost(_first_line(error)) from error
        except (errors.RayError, ConnectionError) as error:
            self._lost = WorkersLost(_first_line(error))
            raise self._lost from error
        return result

    def _look_at_head(self) -> None:
        """Raise an error where the head of the cluster is gone."""
        for pause in (3 * LOOK_EVERY, None):
            try:
                _reach(str(self._head))
            except InputError:
                if pause is None:
                    raise ConnectionError("the head of the Ray cluster does not answer") from None
                self._ended.wait(pause)
            else:
                self._head_answered = time.monotonic()
                return

    def _reconnect(self) -> None:
        self._ray.shutdown()
        give_up = time.monotonic() + SECONDS_TO_RETURN
        while True:
            if self._ended.is_set():
                raise WorkerDied("the executor was shut down")
            try:
                self._connect()
            except Exception as error:
                self._ray.shutdown()
                if time.monotonic() > give_up:
                    where = "of this machine" if self._address is None else f"at '{self._address}'"
                    raise ExecutorLost(
                        f"the Ray cluster {where} was lost ({self._lost}) and did not come back "
                        f"within {SECONDS_TO_RETURN} seconds"
                    ) from error
                self._ended.wait(5 * LOOK_EVERY)
            else:
                self._lost = None
                return


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


def _reach(address: str) -> None:
    """Fail at once where nobody listens; Ray itself would try for minutes."""
    host, colon, port = address.rpartition("://")[2].rpartition(":")
    if address == "auto":
        return
    try:
        if not colon:
            raise ValueError
        socket.create_connection((host, int(port)), timeout=SECONDS_TO_ANSWER).close()
    except (OSError, ValueError) as error:
        raise InputError(
            f"no Ray cluster answers at '{address}': give auto, HOST:PORT or ray://HOST:PORT"
        ) from error
