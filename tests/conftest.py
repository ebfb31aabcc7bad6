"""What all tests share: where the full datasets are, and one torch thread."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch

torch.set_num_threads(1)


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
