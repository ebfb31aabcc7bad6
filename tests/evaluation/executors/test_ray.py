"""Tasks of a Ray cluster that is pretended: what is asked of it, and what its errors become."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from panda_gnn.errors import InputError
from panda_gnn.evaluation.executors import RayExecutor, WorkerDied, WorkersLost
from panda_gnn.evaluation.executors import ray as module
from panda_gnn.evaluation.executors.base import ExecutorLost


class PretendedRay:
    """Ray with a cluster whose tasks run at once, unless ``fail`` or ``hang`` says otherwise."""

    def __init__(self) -> None:
        base = type("RayError", (Exception,), {})
        names = ("RayTask", "WorkerCrashed", "OutOfMemory", "NodeDied", "ObjectLost")
        errors = {f"{name}Error": type(f"{name}Error", (base,), {}) for name in names}
        self.exceptions = SimpleNamespace(RayError=base, **errors)
        self.said: list[Any] = []
        self.fail: Exception | None = None
        self.refuse: list[Exception] = []
        self.hang = False

    def init(self, **options: Any) -> None:
        self.said.append(("init", options))
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if self.refuse:
            raise self.refuse.pop()

    def shutdown(self) -> None:
        self.said.append("shutdown")

    def get_runtime_context(self) -> Any:
        return SimpleNamespace(gcs_address="here:5")

    def remote(self, **options: Any) -> Callable[[Any], Any]:
        assert options == {"num_cpus": 1, "max_retries": 0}
        return lambda function: SimpleNamespace(remote=lambda call: (function, call))

    def wait(self, tasks: list[Any], timeout: float) -> tuple[list[Any], list[Any]]:
        return ([], tasks) if self.hang else (tasks, [])

    def get(self, task: Any) -> Any:
        if self.fail is not None:
            error, self.fail = self.fail, None
            raise error
        function, call = task
        return function(call)


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> Iterator[PretendedRay]:
    pretended = PretendedRay()
    usual = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(module, "require", lambda name, extra: pretended)
    monkeypatch.setattr(module, "LOOK_EVERY", 0.01)
    yield pretended
    signal.signal(signal.SIGTERM, usual)


def test_a_cluster_of_this_machine(ray: PretendedRay) -> None:
    usual = signal.getsignal(signal.SIGTERM)
    with RayExecutor(3) as executor:
        assert executor.workers == 3
        assert signal.getsignal(signal.SIGTERM) == usual
        assert executor.submit(divmod, 7, 2).result() == (3, 1)
        with pytest.raises(ZeroDivisionError):
            executor.submit(divmod, 7, 0).result()
    ((_, options), *rest) = ray.said
    assert rest == ["shutdown"]
    assert (options["address"], options["num_cpus"]) == ("local", 3)
    assert (options["log_to_driver"], options["include_dashboard"]) == (False, False)
    assert options["object_store_memory"] > 75 * 1024**2  # Ray refuses less


def test_a_cluster_elsewhere(ray: PretendedRay, monkeypatch: pytest.MonkeyPatch) -> None:
    reached: list[str] = []
    monkeypatch.setattr(module, "_reach", reached.append)
    for address, head in (("there:1", "here:5"), ("ray://there:1", "ray://there:1")):
        with RayExecutor(2, address) as executor:
            assert executor._head == head
        assert ray.said[-2][1]["address"] == address
        assert "num_cpus" not in ray.said[-2][1]
    assert reached == ["there:1", "ray://there:1"]


@pytest.mark.parametrize("name", ["RayTaskError", "WorkerCrashedError", "OutOfMemoryError"])
def test_a_task_that_ends_costs_its_call(name: str, ray: PretendedRay) -> None:
    with RayExecutor(1) as executor:
        ray.fail = getattr(ray.exceptions, name)("no memory\nand more")
        with pytest.raises(WorkerDied, match=r"^no memory$") as caught:
            executor.submit(abs, -1).result()
        assert not isinstance(caught.value, WorkersLost)
        assert executor.submit(abs, -1).result() == 1
    assert [one for one in ray.said if one != "shutdown"] == ray.said[:1]


@pytest.mark.parametrize("name", ["NodeDiedError", "ObjectLostError"])
def test_a_machine_that_is_lost_leaves_the_others(name: str, ray: PretendedRay) -> None:
    with RayExecutor(1) as executor:
        ray.fail = getattr(ray.exceptions, name)("gone")
        with pytest.raises(WorkersLost, match="gone"):
            executor.submit(abs, -1).result()
        assert executor.submit(abs, -1).result() == 1
    assert len(ray.said) == 2


@pytest.mark.parametrize("kind", ["RayError", "ConnectionError"])
def test_a_cluster_that_is_lost_is_connected_to_again(kind: str, ray: PretendedRay) -> None:
    with RayExecutor(1) as executor:
        ray.fail = getattr(ray.exceptions, kind, ConnectionError)("the raylet died\nand more")
        ray.refuse = [OSError("not yet")]
        with pytest.raises(WorkersLost, match=r"^the raylet died$"):
            executor.submit(abs, -1).result()
        assert executor.submit(abs, -2).result() == 2
        assert executor.submit(abs, -3).result() == 3
    names = [one if isinstance(one, str) else one[0] for one in ray.said]
    assert names == ["init", "shutdown", "init", "shutdown", "init", "shutdown"]


def test_a_cluster_that_does_not_come_back(
    ray: PretendedRay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SECONDS_TO_RETURN", 0)
    with RayExecutor(1) as executor:
        ray.fail = ray.exceptions.RayError("why")
        ray.refuse = [OSError("no") for _ in range(50)]
        with pytest.raises(WorkersLost):
            executor.submit(abs, -1).result()
        says = r"the Ray cluster of this machine was lost \(why\) and did not come back within 0"
        with pytest.raises(ExecutorLost, match=says):
            executor.submit(abs, -1).result()


def test_a_head_that_does_not_answer(ray: PretendedRay, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is looked at twice before the cluster counts as lost."""
    monkeypatch.setattr(module, "LOOK_AT_HEAD_EVERY", 0.0)
    looks: list[str] = []

    def reach(address: str) -> None:
        looks.append(address)
        if len(looks) != 1 or not ray.hang:
            raise InputError("nobody")

    monkeypatch.setattr(module, "_reach", reach)
    with RayExecutor(1) as executor:
        ray.hang = True
        with pytest.raises(WorkersLost, match="the head of the Ray cluster does not answer"):
            executor.submit(abs, -1).result()
        ray.hang = False
    assert looks == ["here:5"] * 3


def test_calls_under_way_end_with_the_executor(ray: PretendedRay) -> None:
    executor = RayExecutor(1)
    ray.hang = True
    call = executor.submit(abs, -1)
    ended = threading.Thread(target=executor.shutdown, kwargs={"cancel_futures": True})
    while not call.running():
        pass
    ended.start()
    with pytest.raises(WorkerDied, match="the executor was shut down"):
        call.result(timeout=60)
    ended.join()
    assert ray.said[-1] == "shutdown"
