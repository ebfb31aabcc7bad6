"""Options that several commands share, and how their values are read."""

from __future__ import annotations

import argparse
import json
import re

from panda_gnn.errors import InputError


def add_data_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that say where datasets are."""
    data = parser.add_argument_group("where the data is")
    data.add_argument("--root", metavar="FOLDER", help="keeps the datasets (PANDA_DATA_ROOT)")
    data.add_argument(
        "--mirror", metavar="FOLDER", help="has the archives (PANDA_DATA_MIRROR), else the network"
    )


def names(text: str | None) -> list[str] | None:
    """A list of names separated by commas; ``None`` where the option is not given."""
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


def value(text: str) -> str | int | float | bool | None:
    """The value of a setting: a number, ``true``, ``false`` or ``null`` as in JSON, or the text."""
    try:
        read: str | int | float | bool | None = json.loads(text)
    except ValueError:
        return text
    return read


def seconds(option: str, text: str) -> float:
    """A time such as ``90s``, ``30m`` or ``1h30m``."""
    match = re.fullmatch(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?", text)
    parts = [int(part or 0) for part in match.groups()] if match else []
    total = sum(part * unit for part, unit in zip(parts, (3600, 60, 1), strict=False))
    if total == 0:
        raise InputError(f"{option} is '{text}', it must be a time such as 90s, 30m or 1h30m")
    return float(total)
