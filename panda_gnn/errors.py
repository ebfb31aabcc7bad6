"""Errors for people: one sentence that names the argument, its value and what is accepted."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from types import ModuleType


class InputError(ValueError):
    """What the user asked for cannot be done; the message is one sentence that says what to do.

    The command line prints the message and exits with code 2.
    """


def choose(what: str, name: str, choices: Iterable[str], where: str = "") -> str:
    """Return ``name`` if it is one of ``choices``, else raise an error that lists them."""
    known = list(choices)
    if name not in known:
        place = f" {where}" if where else ""
        raise InputError(f"unknown {what} '{name}'{place}: choose one of {', '.join(known)}")
    return name


def require(module: str, extra: str) -> ModuleType:
    """Import an optional dependency, or say which extra of panda-gnn installs it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise InputError(
            f"this needs the package '{module.partition('.')[0]}': "
            f"install it with pip install 'panda-gnn[{extra}]'"
        ) from error
