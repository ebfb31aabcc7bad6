"""Objects by name."""

from __future__ import annotations

import pytest

from panda_gnn.errors import InputError
from panda_gnn.registry import Registry


def test_names_are_looked_up_added_and_replaced_for_a_while() -> None:
    numbers = Registry("number", {"one": 1})
    assert numbers.lookup("one") == numbers["one"] == 1
    with pytest.raises(InputError, match="unknown number 'two': choose one of one"):
        numbers.lookup("two")
    numbers.register("two", 2)
    assert list(numbers) == ["one", "two"]
    with pytest.raises(InputError, match="already a number called 'two'"):
        numbers.register("two", 3)
    with numbers.replaced({"one": 10, "three": 3}):
        assert dict(numbers) == {"one": 10, "two": 2, "three": 3}
    assert dict(numbers) == {"one": 1, "two": 2}


def test_a_fallback_makes_what_is_not_registered() -> None:
    numbers = Registry("number", {"one": 1})
    numbers.fallback = lambda name: len(name) if name.startswith("x") else None
    assert numbers["xxx"] == numbers.lookup("xxx") == 3
    assert "xxx" not in numbers
    assert list(numbers) == ["one"]
    with pytest.raises(InputError, match="unknown number 'two'"):
        numbers.lookup("two")
    with pytest.raises(KeyError):
        numbers["two"]
