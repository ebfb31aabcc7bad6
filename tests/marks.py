"""Marks of parameters."""

from __future__ import annotations

from typing import Any

import pytest


def thorough(*values: object) -> list[Any]:
    """Parameters that `make test-random` tries and `make test` does not; a tuple is several."""
    several = (value if isinstance(value, tuple) else (value,) for value in values)
    return [pytest.param(*one, marks=pytest.mark.thorough) for one in several]
