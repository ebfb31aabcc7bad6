"""Workers that are tasks of a Ray cluster: this machine's own, or one that is already running."""

from __future__ import annotations

import logging
import os
import socket

from panda_gnn.errors import InputError, require
from panda_gnn.evaluation.executors.base import Answer, Call, WorkerDied, WorkerExecutor, answer

#: Bytes of shared memory of a Ray that is started here: a row is small, and so is what it needs.
OBJECT_STORE = 100 * 2**20

#: How long a cluster may take to accept a connection.
SECONDS_TO_ANSWER = 10


class RayExecutor(WorkerExecutor):
    """Tasks of one processor each on a Ray cluster.

    Args:
        workers: How many tasks at a time.
        address: Where the cluster is (``auto``, ``host:port`` or ``ray://host:port``); without it,
            a Ray of this machine is started, and stopped at the end. Machines of a cluster need
            panda-gnn and the datasets, but no folder in common: rows travel back as results.
    """

    def __init__(self, workers: int, address: str | None = None) -> None:
        ray = self._ray = require("ray", "ray")
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        options = {
            "address": address or "local",
            "log_to_driver": False,
            "logging_level": logging.ERROR,
        }
        if address is None:
            options |= {
                "num_cpus": workers,
                "object_store_memory": OBJECT_STORE,
                "include_dashboard": False,
            }
        else:
            _reach(address)
        try:
            ray.init(**options)
        except ConnectionError as error:
            raise InputError(
                f"no Ray cluster answers at '{address}': "
                "start one with 'ray start --head', or leave --address out"
            ) from error
        super().__init__(workers)
        self._task = ray.remote(num_cpus=1, max_retries=0)(answer)

    def deliver(self, call: Call) -> Answer:
        try:
            result: Answer = self._ray.get(self._task.remote(call))
        except self._ray.exceptions.RayError as error:
            raise WorkerDied(str(error).partition("\n")[0]) from error
        return result

    def end_workers(self) -> None:
        self._ray.shutdown()


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
