"""What all executors share: threads, each of which gives one call to one worker and waits for it.

An executor is a :class:`concurrent.futures.Executor`. A worker is whatever runs the call: a
process, a task of a Ray cluster, a Slurm job. If the worker ends before the call does, the future
raises :class:`WorkerDied`, for that call and no other; what the call itself raises, the future
raises too.
"""

from __future__ import annotations

import pickle
from abc import abstractmethod
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from typing_extensions import ParamSpec

P = ParamSpec("P")
T = TypeVar("T")

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
Answer = tuple[Any, Exception | None]

#: The environment of a worker: whatever counts threads, counts one.
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)


class WorkerDied(Exception):
    """The worker was killed, ran out of memory or lost its machine before its call was finished."""


class WorkersLost(WorkerDied):
    """The worker ended with all others, or with its machine: nothing that the call did."""


class ExecutorLost(Exception):
    """No worker can be reached any more, nor will be; the message is one sentence."""


class WorkerExecutor(ThreadPoolExecutor):
    """An executor with ``workers`` calls under way at a time.

    Shutting it down with ``cancel_futures`` also ends the calls under way.
    """

    def __init__(self, workers: int) -> None:
        super().__init__(max_workers=workers)
        self.workers = workers

    @abstractmethod
    def deliver(self, call: Call, name: str) -> Answer:
        """Let a worker run the call and wait for its answer, in the calling thread.

        Where workers outlive the executor, a call whose name is not empty is noted, and one of the
        same name that was left under way is waited for instead.
        """

    @abstractmethod
    def end_workers(self) -> None:
        """End all workers at once, finished or not; threads that wait for one get an error."""

    def submit(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run the function on a worker; it, its arguments and its result must be picklable."""
        return super().submit(self._run, (function, args, kwargs))

    def submit_named(self, name: str, function: Callable[..., T], *args: Any) -> Future[T]:
        """The same for a call that has a name, see :meth:`deliver`."""
        return super().submit(self._run, (function, args, {}), name)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Accept no more calls; wait for those under way, or end them with ``cancel_futures``."""
        if cancel_futures:
            super().shutdown(wait=False, cancel_futures=True)
            self.end_workers()
        super().shutdown(wait=wait)
        if wait:
            self.end_workers()

    def _run(self, call: Call, name: str = "") -> Any:
        value, error = self.deliver(call, name)
        if error is not None:
            raise error
        return value


def answer(call: Call) -> Answer:
    """Run the call, on the worker: its value, or the error it raised in a form that travels."""
    function, args, kwargs = call
    try:
        return function(*args, **kwargs), None
    except Exception as error:
        return None, _portable(error)


def _portable(error: Exception) -> Exception:
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
