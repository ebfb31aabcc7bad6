"""Errors say what to do."""

from __future__ import annotations

import pytest

from panda_gnn.errors import InputError, choose, require, shown


def test_choices_are_listed() -> None:
    assert choose("fruit", "plum", ("apple", "plum")) == "plum"
    with pytest.raises(InputError, match="unknown fruit 'stone': choose one of apple, plum"):
        choose("fruit", "stone", ("apple", "plum"))


def test_the_nearest_name_is_suggested() -> None:
    with pytest.raises(InputError, match=r"unknown fruit 'plun': .* \(did you mean plum\?\)$"):
        choose("fruit", "plun", ("apple", "plum"))
    with pytest.raises(InputError, match=r"unknown fruit 3 here: there is none$"):
        choose("fruit", 3, (), "here")  # type: ignore[arg-type]


def test_values_are_shown_in_a_few_printable_characters() -> None:
    assert shown("Zürich") == "'Zürich'"
    assert shown("\x1b[2J\n") == r"'\x1b[2J\n'"
    assert len(shown("x" * 10**6)) == 60
    assert shown({"k": 10**5000}) == "a number of very many digits"
    assert shown(2**512) == "a number of very many digits"
    assert shown(2**511).startswith(str(2**511)[:50])


def test_a_missing_package_names_its_extra() -> None:
    assert require("json", "plot").loads("1") == 1
    with pytest.raises(InputError, match=r"pip install 'panda-gnn\[plot\]'"):
        require("no_such_package.inside", "plot")
