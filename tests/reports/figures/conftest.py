"""What the tests of figures share."""

from __future__ import annotations

from pathlib import Path

import pytest

from panda_gnn.reports.figures import Request


@pytest.fixture
def request_for_mutag(shared_root: Path, tmp_path: Path) -> Request:
    return Request(
        ("mutag",), 2, 3, tmp_path / "results", "panda figure NAME", root=str(shared_root)
    )
