"""Checks of options: numbers that are numbers, in their range, or one sentence."""

from __future__ import annotations

import math

import numpy as np

from panda_gnn.errors import InputError


def whole_number(name: str, value: int, least: int = 0) -> int:
    """``value`` if it is a whole number from ``least`` on, else an error that names the option."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or value < least:
        from_on = "zero or more" if least == 0 else f"{least} or more"
        raise InputError(f"{name} must be a whole number, {from_on}, not {value!r}")
    return int(value)


def real_number(
    name: str,
    value: float,
    accepted: str = "a finite number",
    *,
    least: float = -math.inf,
    above: float = -math.inf,
    most: float = math.inf,
    infinite: bool = False,
) -> float:
    """``value`` if it is a number in its range, else an error that says what is ``accepted``.

    Args:
        name: The option.
        value: Its value; ``nan`` and ``bool`` are never accepted.
        accepted: The range in words.
        least: The smallest value that is accepted.
        above: Values up to this one are rejected.
        most: The greatest value that is accepted.
        infinite: Whether infinite values are accepted.
    """
    number = isinstance(value, (int, float, np.integer, np.floating))
    inside = number and not isinstance(value, bool) and least <= value <= most
    if not inside or (math.isinf(value) and not infinite) or (above > -math.inf and value <= above):
        raise InputError(f"{name} must be {accepted}, not {value!r}")
    return float(value)


def flag(name: str, value: bool) -> bool:
    """``value`` if it is true or false, else an error that names the option."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputError(f"{name} must be True or False, not {value!r}")
    return bool(value)
