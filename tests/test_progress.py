"""Progress bars."""

from __future__ import annotations

import pytest

from panda_gnn.progress import track


def test_gives_everything_and_is_silent_without_a_terminal(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert list(track(range(3), "counting")) == [0, 1, 2]
    assert list(track((i for i in range(2)), "counting", total=2)) == [0, 1]
    assert capfd.readouterr() == ("", "")
