"""What all tests share: where the full datasets are, one torch thread, and a clean folder."""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import sys
from collections.abc import Generator, Iterator
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any, ClassVar

import pytest
import torch
from coverage import Coverage
from hypothesis import settings

torch.set_num_threads(1)

#: How many random examples a property is tried on: in `make test`, and in `make test-random`.
settings.register_profile("quick", max_examples=12, deadline=None)
settings.register_profile("thorough", max_examples=100, deadline=None)
settings.load_profile("quick")

#: Files that take long, in the order in which they start, so that no worker ends with one of them.
LONG = (
    "cli/test_figure.py",
    "cli/test_study.py",
    "evaluation/test_executors.py",
    "diagnostics/test_curvature.py",
    "evaluation/test_run.py",
    "evaluation/test_trial.py",
    "cli/test_training.py",
    "evaluation/test_checkpoint.py",
    "rewiring/test_sdrf.py",
    "rewiring/test_borf.py",
    "centrality/test_families.py",
    "nn/test_backend.py",
    "datasets/test_node.py",
    "datasets/test_loading.py",
    "evaluation/test_distributed.py",
    "evaluation/test_store.py",
    "test_docs.py",
    "nn/test_models.py",
)


#: Where kernels are tested, glibc fills fresh memory with a large number, so that one that reads
#: before it writes fails. Elsewhere it does not, because that makes the reading of datasets slow.
KERNELS = {"centrality", "diagnostics", "graph", "nn", "rewiring"}
M_PERTURB = -6
LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Torch's random numbers are those of the run's seed whatever ran before, which pytest-randomly
    sees to for others; fresh memory is filled or not, as the folder of the test wants it."""
    torch.manual_seed(item.config.getoption("randomly_seed", 0))
    if LIBC is not None and hasattr(LIBC, "mallopt"):
        folder = item.path.relative_to(Path(__file__).parent).parts[0]
        LIBC.mallopt(M_PERTURB, 165 if folder in KERNELS else 0)


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop() -> Generator[None, object, object]:
    """Branches are traced in tests and fixtures only: pytest's own calls are as many again."""
    with _traced_by(None) as tracer:
        _Tracing.tracer = tracer
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup() -> Generator[None, object, object]:
    """Trace what makes a fixture."""
    with _traced_by(_Tracing.tracer):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Trace a test, which then takes up to twice as long: of one with many cases, until six in a
    row have taken no new branch."""
    test = f"{pyfuncitem.path}::{pyfuncitem.originalname}"
    vain = _Tracing.vain.get(test, 0)
    if _Tracing.tracer is None or vain == 6:
        return (yield)
    before = _branches_taken()
    with _traced_by(_Tracing.tracer):
        result = yield
    in_vain = before is not None and _branches_taken() == before
    _Tracing.vain[test] = vain + 1 if in_vain else 0
    return result


class _Tracing:
    """What traces for coverage, and how many cases of a test took no new branch in a row."""

    tracer: ClassVar[Any] = None
    vain: ClassVar[dict[str, int]] = {}


@contextlib.contextmanager
def _traced_by(tracer: Any) -> Iterator[Any]:
    """Trace by ``tracer``, or not at all; what traced before is given, and traces again after."""
    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        yield before
    finally:
        sys.settrace(before)


def _branches_taken() -> int | None:
    """How many branches coverage has seen; nothing where something else traces, like a debugger."""
    measurement: Any = Coverage.current()
    if measurement is None:
        return None
    return sum(map(len, measurement._collector.data.values()))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files first."""
    ranks = {str(Path(__file__).parent / name): rank for rank, name in enumerate(LONG)}
    items.sort(key=lambda item: ranks.get(str(item.path), len(LONG)))


@pytest.fixture(scope="session", autouse=True)
def _nothing_is_left_here() -> Iterator[None]:
    """Tests write to folders of their own, never to the one they were started in."""
    here = Path.cwd()
    before = set(here.iterdir())
    yield
    left = {path.name for path in set(here.iterdir()) - before}
    assert not {name for name in left if not name.startswith(".")}, f"tests left {left} in {here}"


@pytest.fixture(scope="session")
def mirror() -> Path:
    """The folder with the archives of all datasets; without one, the test is skipped."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("PANDA_DATA_MIRROR", beside))
    if not folder.is_dir():
        pytest.skip("the full datasets need a mirror: set PANDA_DATA_MIRROR to its folder")
    return folder


@pytest.fixture(scope="session")
def processes() -> ForkServerContext:
    """Makes processes that have torch and PyG imported and no thread of this one.

    A process forked from this one may hang once a tracker or a cluster has been tested: their
    libraries start threads again in every child.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["panda_gnn.datasets"])
    return context


@pytest.fixture(scope="session")
def shared_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One data folder for the whole run, so that no dataset is processed twice."""
    base = tmp_path_factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "data"
