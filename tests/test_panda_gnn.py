"""The package as a whole."""

from __future__ import annotations

import subprocess
import sys

import pytest

IMPORT_ALL = """
import importlib, pkgutil, sys
import torch, torch_geometric.loader, numba, sklearn, scipy.sparse, matplotlib, rich.console
import filelock, networkx, multiprocessing, asyncio, subprocess
for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[name] = None
import panda_gnn
for module in pkgutil.walk_packages(panda_gnn.__path__, "panda_gnn."):
    importlib.import_module(module.name)
print("all imported")
"""


@pytest.mark.thorough
def test_every_module_imports_without_modules_that_only_posix_has() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", IMPORT_ALL], capture_output=True, text=True
    )
    assert done.stdout == "all imported\n", done.stderr
