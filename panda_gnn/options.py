"""Checks of what users give, from a single number to a whole file: right, or one sentence.

The types below say what is accepted, `pydantic <https://docs.pydantic.dev>`_ checks it, and
:func:`validate` makes a sentence with the path and the value of what it finds. Numbers are not
converted: a text or a bool is no number, and 2.0 is no whole number.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import lru_cache, partial
from typing import Annotated, Any

import numpy as np
from pydantic import (
    AfterValidator,
    AllowInfNan,
    BaseModel,
    ConfigDict,
    Field,
    Strict,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from panda_gnn.errors import InputError, choose, shown

#: The largest whole number that torch and numpy can hold.
LARGEST = 2**63 - 1

Whole = Annotated[int, Strict(), Field(ge=-LARGEST, le=LARGEST)]
Natural = Annotated[int, Strict(), Field(ge=0, le=LARGEST)]
Count = Annotated[int, Strict(), Field(ge=1, le=LARGEST)]
Finite = Annotated[float, Strict(), AllowInfNan(False)]
Positive = Annotated[float, Strict(), Field(gt=0), AllowInfNan(False)]
Fraction = Annotated[float, Strict(), Field(ge=0, le=1), AllowInfNan(False)]
Flag = Annotated[bool, Strict()]


def one_of(what: str, choices: Iterable[str]) -> Any:
    """The type of a name that is one of ``choices``."""
    return Annotated[str, AfterValidator(partial(_chosen, what, choices))]


def _chosen(what: str, choices: Iterable[str], name: str) -> str:
    return choose(what, name, choices)


class Table(BaseModel):
    """A table whose entries have known names and types; a kind of table is a subclass."""

    model_config = ConfigDict(frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _has_known_entries(cls, content: Any) -> Any:
        for name in content if isinstance(content, Mapping) else ():
            choose("entry", name, cls.model_fields)
        return content


#: What pydantic calls an error, and what is accepted instead.
ACCEPTED = {
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "string_type": "a text",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a table",
    "mapping_type": "a table",
    "model_type": "a table",
    "too_short": "a list of {min_length} or more entries",
    "too_long": "a list of at most {max_length} entries",
    "greater_than_equal": "{ge} or more",
    "greater_than": "above {gt}",
    "less_than_equal": "{le} or less",
}


def validate(path: str, value: Any, kind: Any, accepted: str | None = None) -> Any:
    """What ``kind`` makes of ``value``, or an error that names the first thing that does not fit.

    Args:
        path: What the value is called; empty for a whole file.
        value: Any value.
        kind: A type, or an adapter of one.
        accepted: What is accepted in words, instead of those of :data:`ACCEPTED`.
    """
    adapter = kind if isinstance(kind, TypeAdapter) else _adapter(kind)
    try:
        return adapter.validate_python(value)
    except ValidationError as error:
        first: Mapping[str, Any] = error.errors(include_url=False)[0]
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"])
    place = f"{path}{place}".removeprefix(".")
    context = first.get("ctx", {})
    if isinstance(context.get("error"), InputError):
        raise InputError(f"{place}: {context['error']}".removeprefix(": "))
    if first["type"] == "missing":
        inside = f" in {shown(first['input'])}" if len(first["loc"]) > 1 else ""
        raise InputError(f"{place} is missing{inside}")
    words = ACCEPTED[first["type"]].format(**context) if first["type"] in ACCEPTED else first["msg"]
    raise InputError(f"{place} must be {accepted or words}, not {shown(first['input'])}")


@lru_cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    """Made once: that takes longer than checking a value."""
    return TypeAdapter(kind)


_FLAG = TypeAdapter(Flag)


@lru_cache
def _whole(least: int) -> TypeAdapter[int]:
    return TypeAdapter(Annotated[int, Strict(), Field(ge=least, le=LARGEST)])


@lru_cache
def _real(least: float, above: float, most: float, infinite: bool) -> TypeAdapter[float]:
    bounds: dict[str, float] = {"ge": least, "le": most}
    if above > -math.inf:
        bounds["gt"] = above
    return TypeAdapter(Annotated[float, Strict(), Field(**bounds), AllowInfNan(infinite)])


def _scalar(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def whole_number(name: str, value: int, least: int = 0) -> int:
    """``value`` if it is a whole number from ``least`` on, else an error that names the option."""
    from_on = "zero or more" if least == 0 else f"{least} or more"
    number: int = validate(name, _scalar(value), _whole(least), f"a whole number, {from_on}")
    return number


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
    adapter = _real(least, above, most, infinite)
    number: float = validate(name, _scalar(value), adapter, accepted)
    return number


def flag(name: str, value: bool) -> bool:
    """``value`` if it is true or false, else an error that names the option."""
    answer: bool = validate(name, _scalar(value), _FLAG, "True or False")
    return answer
