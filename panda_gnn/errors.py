"""Errors for people: one sentence that names the argument, its value and what is accepted."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from types import ModuleType


class InputError(ValueError):
    """What the user asked for cannot be done; the message is one sentence that says what to do.

    The command line prints the message and exits with code 2.
    """


@contextmanager
def within(place: str) -> Iterator[None]:
    """Say where it is that something cannot be done."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{place}: {error}") from error


def choose(what: str, name: str, choices: Iterable[str], where: str = "") -> str:
    """Return ``name`` if it is one of ``choices``, else raise an error that lists them.

    The error names the choice that comes nearest, if one does.
    """
    known = list(choices)
    if name not in known:
        place = f" {where}" if where else ""
        near = get_close_matches(name, known, n=1) if isinstance(name, str) else []
        hint = f" (did you mean {near[0]}?)" if near else ""
        listed = f"choose one of {', '.join(known)}" if known else "there is none"
        raise InputError(f"unknown {what} {shown(name)}{place}: {listed}{hint}")
    return name


def shown(value: object, most: int = 60) -> str:
    """A value as errors print it: short, and without what could disturb a terminal."""
    if isinstance(value, int) and value.bit_length() > 512:
        return "a number of very many digits"
    try:
        text = repr(value)
    except ValueError:  # such a number is inside
        return "a number of very many digits"
    return text if len(text) <= most else f"{text[: most - 3]}..."


def reason(error: BaseException) -> str:
    """What an error of somebody else says, on one line and not at length."""
    return " ".join(str(error).split())[:100]


def require(module: str, extra: str) -> ModuleType:
    """Import an optional dependency, or say which extra of panda-gnn installs it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise InputError(
            f"this needs the package '{module.partition('.')[0]}': "
            f"install it with pip install 'panda-gnn[{extra}]'"
        ) from error
