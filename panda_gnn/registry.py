"""Objects by name, with one error for names that nobody registered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple, TypeVar

from panda_gnn.errors import InputError, choose

T = TypeVar("T")


class Plugin(NamedTuple):
    """Source code that registers things: see :mod:`panda_gnn.evaluation.plugins`.

    Attributes:
        name: The name of the module, or of the file without its ending.
        source: The module or the absolute path.
        hash: A short hash of its source.
    """

    name: str
    source: str
    hash: str


OWNERS: dict[tuple[str, str], Plugin] = {}
"""The plugin that registered a thing, by its kind and name; what comes with panda-gnn has none."""


class Registry(Mapping[str, T]):
    """A mapping from names to objects that can be added to, but not changed by accident.

    >>> Registry("dataset", {"mutag": 1, "enzymes": 2})["mutag"]
    1

    Args:
        what: What the objects are, for error messages.
        entries: The objects to begin with.
    """

    def __init__(self, what: str, entries: Mapping[str, T]) -> None:
        self.what = what
        self._entries = dict(entries)
        #: Makes the object of a name that is not registered, or ``None`` if it cannot.
        self.fallback: Callable[[str], T | None] = lambda name: None

    def __getitem__(self, name: str) -> T:
        if name not in self._entries:
            made = self.fallback(name)
            if made is not None:
                return made
        return self._entries[name]

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def lookup(self, name: str) -> T:
        """The object of this name, or an :class:`InputError` that lists the names there are."""
        made = self.fallback(name) if name not in self._entries else None
        if made is not None:
            return made
        return self._entries[choose(self.what, name, self._entries)]

    def register(self, name: str, entry: T) -> None:
        """Add an object under a name that is still free."""
        if name in self._entries:
            raise InputError(f"there is already a {self.what} called '{name}'")
        self._entries[name] = entry

    @contextmanager
    def replaced(self, entries: Mapping[str, T]) -> Iterator[None]:
        """Add or replace some objects until the block ends, as tests do."""
        before = dict(self._entries)
        self._entries |= entries
        try:
            yield
        finally:
            self._entries = before
