"""Workers that outlive a command, so that not every command of a test imports torch again."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import pytest

from panda_gnn.evaluation.executors import LocalExecutor, WorkerDied
from panda_gnn.evaluation.executors.base import Answer, Call
from panda_gnn.evaluation.executors.local import _Worker

#: What a worker that is used again must be told.
VARIABLES = ("PANDA_DATA_ROOT", "PANDA_DATA_MIRROR")


class StayingExecutor(LocalExecutor):
    """A local executor that leaves its idle processes to the next one."""

    idle: ClassVar[list[_Worker]] = []

    def deliver(self, call: Call, name: str) -> Answer:
        worker = self.idle.pop() if self.idle else _Worker()
        self._alive.add(worker)
        here = (os.getcwd(), {name: os.environ.get(name) for name in VARIABLES})  # noqa: PTH109
        try:
            answered = worker.call((_run_there, (*here, *call), {}))
        except (EOFError, OSError) as error:
            raise WorkerDied(worker.last_words()) from error
        finally:
            self._alive.discard(worker)
        self.idle.append(worker)
        return answered


def _run_there(
    folder: str,
    variables: dict[str, str | None],
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    os.chdir(folder)
    for name, value in variables.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value
    return function(*args, **kwargs)


@pytest.fixture(scope="session")
def _staying_workers() -> Iterator[None]:
    yield
    for worker in StayingExecutor.idle:
        worker.end()


@pytest.fixture
def staying(monkeypatch: pytest.MonkeyPatch, _staying_workers: None) -> None:
    """The local workers of commands stay for the tests that come after."""
    monkeypatch.setattr("panda_gnn.cli.execution.LocalExecutor", StayingExecutor)
