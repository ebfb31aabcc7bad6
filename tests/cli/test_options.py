"""How values of options are read."""

from __future__ import annotations

import argparse

import pytest

from panda_gnn.cli.options import whole


def test_whole_numbers_begin_with_one() -> None:
    assert whole()("1") == 1
    assert whole(0)("0") == 0
    with pytest.raises(argparse.ArgumentTypeError, match="whole number, 1 or more"):
        whole()("0")
