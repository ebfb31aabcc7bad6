"""Kernels are compiled where they are first called, once, and that is said."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from filelock import FileLock, Timeout

from panda_gnn.graph.compiled import announced_together, kernel_folder, one_at_a_time, silently

CODE = """
import sys
from panda_gnn.graph.compiled import _announcer
import small
print([kernel for kernel in _announcer.kernels if kernel.overloads])
input()
print(small.doubled(4))
"""

KERNEL = """
from panda_gnn.graph.compiled import compiled

@compiled
def doubled(x: int) -> int:
    return 2 * x
"""


def compiled(count: int, folder: Path) -> list[str]:
    """What processes that run at once say they compile, when all have imported everything."""
    path = os.pathsep.join([str(folder), *sys.path])
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", CODE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"NUMBA_CACHE_DIR": str(folder), "PYTHONPATH": path},
        )
        for _ in range(count)
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    said = []
    for process in processes:
        output, errors = process.communicate()
        assert process.returncode == 0
        assert output.splitlines() == ["[]", "8"]
        said += [line for line in errors.splitlines() if "compiled" in line]
    return said


def test_importing_compiles_nothing_and_of_two_first_calls_one_compiles_and_says_so(
    tmp_path: Path,
) -> None:
    """Compiles a small kernel."""
    (tmp_path / "small.py").write_text(KERNEL)
    (said,) = compiled(2, tmp_path)
    assert "s (once; kept for later runs)" in said
    assert compiled(1, tmp_path) == []


@pytest.mark.skipif(sys.platform != "linux", reason="glibc can do that")
def test_kernels_are_tested_with_fresh_memory_that_is_filled() -> None:
    assert float(torch.empty(20_000, dtype=torch.float64).min()) > 1e100


def installed(folder: Path, name: str) -> Any:
    """A module with one kernel in a folder where no machine code can be kept: as in a read-only
    installation, there can be no ``__pycache__`` (here because there is a file of this name)."""
    (folder / "__pycache__").touch()
    source = folder / f"{name}.py"
    source.write_text(KERNEL)
    spec = importlib.util.spec_from_file_location(name, source)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("numba.config.CACHE_DIR", "")
    folder = tmp_path / "site"
    folder.mkdir()
    return folder


def test_a_read_only_installation_keeps_its_kernels_in_the_folder_of_the_user(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    module = installed(site, "read_only")
    assert module.doubled(4) == 8
    assert "once; kept for later runs" in capsys.readouterr().err
    folder = kernel_folder(module.doubled.py_func)
    assert folder is not None
    assert folder.is_relative_to(tmp_path / "user")
    assert list(folder.glob("*.nbc"))
    assert installed(site, "read_only").doubled(5) == 10
    assert capsys.readouterr().err == ""


def test_where_nothing_can_be_kept_every_process_compiles(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "user").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    module = installed(site, "nowhere")
    assert kernel_folder(module.doubled.py_func) is None
    assert module.doubled(4) == 8
    assert "in every process: set NUMBA_CACHE_DIR" in capsys.readouterr().err


def test_a_kernel_is_compiled_under_a_lock_of_its_own(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    function = installed(site, "locked").doubled.py_func
    folder = kernel_folder(function)
    assert folder is not None
    with one_at_a_time(function):
        lock = FileLock(folder / "locked.doubled.lock", timeout=0)
        with pytest.raises(Timeout):
            lock.acquire()


def test_kernels_can_be_announced_together_or_not_at_all(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    with announced_together("two numbers") as seconds:
        installed(site, "announced").doubled(4)
    assert seconds() > 0
    (line,) = capsys.readouterr().err.splitlines()
    assert "compiled two numbers in" in line
    with silently() as seconds, announced_together("nothing"):
        installed(site, "silent").doubled(4)
    assert seconds() > 0
    assert capsys.readouterr().err == ""
