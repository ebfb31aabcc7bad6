"""Errors say what to do."""

from __future__ import annotations

import pytest

from panda_gnn.errors import InputError, choose, require


def test_choices_are_listed() -> None:
    assert choose("fruit", "plum", ("apple", "plum")) == "plum"
    with pytest.raises(InputError, match="unknown fruit 'stone': choose one of apple, plum"):
        choose("fruit", "stone", ("apple", "plum"))


def test_a_missing_package_names_its_extra() -> None:
    assert require("json", "plot").loads("1") == 1
    with pytest.raises(InputError, match=r"pip install 'panda-gnn\[plot\]'"):
        require("no_such_package.inside", "plot")
