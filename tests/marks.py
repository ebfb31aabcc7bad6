"""Marks of parameters."""

from __future__ import annotations

from typing import Any

import pytest


def thorough(*values: object) -> list[Any]:
    """Parameters that `make test-random` tries and `make test` does not."""
    return [pytest.param(value, marks=pytest.mark.thorough) for value in values]
