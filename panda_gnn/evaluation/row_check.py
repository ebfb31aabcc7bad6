"""Whether a line of a store is a row that can be believed, and if not, why not."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from panda_gnn.errors import shown
from panda_gnn.evaluation.config import key_of
from panda_gnn.evaluation.metrics import METRICS

#: What every row has; ``parts`` and ``data`` too, where it is of a dataset.
NEEDED = ("key", "code", "seed")

#: The largest seed and the largest number that count as one.
LARGEST_SEED = 2**63 - 1
LARGEST_NUMBER = 1e308


def canonical_json(row: Mapping[str, Any]) -> str:
    """The row as text that does not depend on the order of its names."""
    return json.dumps(
        row, sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=False
    )


def checksum(row: Mapping[str, Any]) -> str:
    """A short hash of everything in the row but its ``checksum``."""
    text = canonical_json({name: value for name, value in row.items() if name != "checksum"})
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def parse_row(line: bytes) -> dict[str, Any] | None:
    """The JSON object of a line; ``None`` if it is none, or lacks what every row has."""
    try:
        row = json.loads(line, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) and all(name in row for name in NEEDED) else None


def fault(row: Mapping[str, Any]) -> str | None:
    """What is wrong with a row, in a few words; ``None`` if nothing is."""
    try:
        if "checksum" not in row:
            return "it has no checksum; panda study migrate gives it one"
        if checksum(row) != row["checksum"]:
            return "it was altered: its checksum is another"
        return fault_of_values(row)
    except (ValueError, RecursionError):
        return "damaged"


def fault_of_values(row: Mapping[str, Any]) -> str | None:
    """What is wrong with a row, its checksum aside."""
    return (
        _fault_of_identity(row)
        or _fault_of_config(row)
        or _fault_of_scores(row)
        or _fault_of_measurement(row)
    )


def _fault_of_identity(row: Mapping[str, Any]) -> str | None:
    for name in ("key", "code"):
        if not isinstance(row[name], str):
            return f"its {name} is {shown(row[name])}, no text"
    if not _is_count(row["seed"]) or row["seed"] > LARGEST_SEED:
        return f"its seed is {shown(row['seed'])}, no whole number from 0 on"
    parts = row.get("parts", {})
    if not isinstance(parts, dict) or not all(isinstance(value, str) for value in parts.values()):
        return f"its parts are {shown(parts)}, no names with versions"
    if not isinstance(row.get("data"), str | None):
        return f"its data is {shown(row['data'])}, no fingerprint"
    return None


def _fault_of_config(row: Mapping[str, Any]) -> str | None:
    if "config" not in row:
        return None
    config = row["config"]
    if not isinstance(config, dict) or key_of(config) != row["key"]:
        return "its config does not belong to its key"
    return None


def _fault_of_scores(row: Mapping[str, Any]) -> str | None:
    if "scores" not in row:
        return None
    name = row.get("metric")
    if not isinstance(name, str) or name not in METRICS:
        return f"its metric is {shown(name)}, none that is known"
    metric = METRICS[name]
    scores = row["scores"]
    if not isinstance(scores, dict) or "best-val" not in scores:
        return f"its scores are {shown(scores)}, not those of the selection rules"
    for selection, values in scores.items():
        if not isinstance(values, dict) or not _is_count(values.get("epoch")):
            return f"its scores of {shown(selection)} are {shown(values)}"
        for part in ("validation", "test"):
            score: Any = values.get(part)
            if not _is_number(score) or not 0 <= score <= metric.largest:
                return f"its {part} score is {shown(score)}, out of range"
    return None


def _fault_of_measurement(row: Mapping[str, Any]) -> str | None:
    for name in ("value", "seconds"):
        if name in row and (not _is_number(row[name]) or row[name] < 0):
            return f"its {name} is {shown(row[name])}, no number from 0 on"
    values, curves = row.get("values", {}), row.get("curves", {})
    for what, named in (("values", values), ("curves", curves)):
        if not isinstance(named, dict):
            return f"its {what} are {shown(named)}, no names with numbers"
    for name, measured in (*values.items(), *((name, c) for name, c in curves.items() if c != [])):
        listed = measured if isinstance(measured, list) else [measured]
        wrong = next((value for value in listed if not _is_number(value)), None)
        if not listed or wrong is not None or None in listed:
            return f"its {shown(name)} is {shown(measured)}, no numbers"
    parameters = row.get("parameters", {"trained": 0})
    if not isinstance(parameters, dict) or not _is_count(parameters.get("trained")):
        return f"its parameters are {shown(parameters)}, no counts"
    return None


def _is_number(value: Any) -> bool:
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and -LARGEST_NUMBER <= value <= LARGEST_NUMBER
    )


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")
