"""Rows from before rows named their data: they get what rows have today, once, after a check.

Rows that were written by the installed version of a trial or measurement get the fingerprint of
their dataset, the versions of their task and method, an unknown processor and a checksum. That they
were made from these data is checked as far as it can be: the dataset at hand must have the known
fingerprint, and the split of every trial, made anew from its seed, must have the hash in the row.
No score is touched.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from typing import Any

from panda_gnn.errors import InputError
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.measurements import MEASURES
from panda_gnn.evaluation.methods import parts
from panda_gnn.evaluation.row_check import fault_of_values, parse_row
from panda_gnn.evaluation.store import Row, Store, line_of
from panda_gnn.evaluation.tasks import TaskData, load_data


@dataclass(frozen=True)
class Migrated:
    """How many rows of a store were given what they lacked, and why others were not."""

    count: int
    problems: tuple[str, ...]


def migrate(store: Store, root: str | None = None, mirror: str | None = None) -> Migrated:
    """Migrate the rows of a store; lines that cannot be are left as they are, and reported.

    The file is replaced as a whole when all lines are done, so nothing may write to it meanwhile.

    Args:
        store: The rows.
        root: The folder that holds the datasets.
        mirror: A folder to take datasets from instead of the network.
    """
    lines = store.path.read_bytes().split(b"\n")
    count, problems = 0, []
    for place, line in enumerate(lines):
        row = parse_row(line)
        if row is None or "checksum" in row:
            continue
        try:
            problem = fault_of_values(row)
            if problem is not None:
                raise InputError(problem)
            lines[place] = line_of(_completed(row, _checked_data(row, root, mirror))).rstrip(b"\n")
            count += 1
        except InputError as error:
            problems.append(f"{store.path}, line {place + 1}: {error}, left as it is")
    if count:
        fresh = store.path.with_name(store.path.name + ".migrated")
        with fresh.open("wb") as file:
            file.write(b"\n".join(lines))
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(store.path)
    return Migrated(count, tuple(problems))


def _checked_data(row: Row, root: str | None, mirror: str | None) -> str | None:
    """The fingerprint of the row's dataset, or an error if the row cannot be of these data."""
    measure = next((one for one in MEASURES.values() if one.code == row["code"]), None)
    if measure is None:
        raise InputError(f"it is of version {row['code']} of the code, which is not installed")
    if "config" not in row:
        raise InputError("it has no config")
    if measure.own_graphs:
        return None
    config = Config.from_dict(row["config"])
    changed = [name for name in parts(config).values() if not name.endswith("-1")]
    if changed:
        raise InputError(f"its like is {' and '.join(changed)} today: run it again")
    data = _data(config.dataset, root, mirror)
    printed = data.entry.printed
    if data.entry.fingerprint and data.fingerprint != data.entry.fingerprint:
        raise InputError(f"the {printed} at hand is not the known one")
    if "split" in row and row["split"] != data.task.split(data, config.settings, row["seed"]).hash:
        raise InputError(f"its split is not that of seed {row['seed']} on {printed}")
    return data.fingerprint


@cache
def _data(dataset: str, root: str | None, mirror: str | None) -> TaskData:
    return load_data(dataset, root, mirror)


def _completed(row: Row, data: str | None) -> Row:
    """The row with its data (``None`` where it has none), parts and processor, in today's order."""
    named = {} if data is None else parts(Config.from_dict(row["config"]))
    whole: dict[str, Any] = {}
    for name, value in row.items():
        whole[name] = value
        if name == "code":
            whole |= {"parts": named, "data": data}
    return {**whole, "processor": None}
