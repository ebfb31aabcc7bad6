"""What all tests share: where the full datasets are, one torch thread, and what was compiled."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import torch
from filelock import FileLock
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

torch.set_num_threads(1)


def pytest_configure() -> None:
    """While one process compiles a kernel, the others wait and then load what it has kept."""
    compile_now = Dispatcher.compile

    def compile_once(kernel: Any, signature: Any) -> Any:
        folder = kernel.stats.cache_path
        if folder is None:  # nothing is kept of this one
            return compile_now(kernel, signature)
        Path(folder).mkdir(parents=True, exist_ok=True)
        name = f"{kernel.py_func.__module__}.{kernel.py_func.__name__}.lock"
        with global_compiler_lock, FileLock(Path(folder, name)):
            return compile_now(kernel, signature)

    pytest.MonkeyPatch().setattr(Dispatcher, "compile", compile_once)


@pytest.fixture(scope="session")
def mirror() -> Path:
    """The folder with the archives of all datasets; without one, the test is skipped."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("PANDA_DATA_MIRROR", beside))
    if not folder.is_dir():
        pytest.skip("the full datasets need a mirror: set PANDA_DATA_MIRROR to its folder")
    return folder


@pytest.fixture(scope="session")
def shared_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One data folder for the whole run, so that no dataset is processed twice."""
    base = tmp_path_factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "data"
