"""What a study can measure, and the row that a measurement gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from panda_gnn.evaluation.config import Config, Setting
from panda_gnn.evaluation.trial import Row, revision, versions


@dataclass(frozen=True)
class Unit:
    """What the numbers of a table are.

    Attributes:
        name: The unit in words.
        scale: What a row's number is multiplied with.
        digits: Digits after the point; ``None`` for times, of which small ones keep more.
    """

    name: str
    scale: float = 1.0
    digits: int | None = None


@dataclass(frozen=True)
class Measure:
    """What a trial of a study is.

    Attributes:
        run: A function of a config, a seed, and where datasets are (``root`` and ``mirror``).
        code: The version of that function.
        unit: The unit of times; ``None`` for scores, whose metric the dataset decides, and for
            measurements, which are drawn.
        settings: Settings that a config has beside those of its method, with their defaults.
        complete: Gives a config all its settings, where that differs from
            :func:`panda_gnn.evaluation.methods.complete`.
    """

    run: Callable[..., Row]
    code: str
    unit: Unit | None = None
    settings: Mapping[str, Setting] = field(default_factory=dict)
    complete: Callable[[Config], Config] | None = None


def measured_row(config: Config, seed: int, code: str, seconds: float, **content: Any) -> Row:
    """The row of a measurement that took ``seconds``, ready for JSON."""
    return {
        "key": config.key,
        "seed": seed,
        "code": code,
        "config": config.to_dict(),
        **content,
        "seconds": round(seconds, 3),
        "versions": versions(),
        "revision": revision(),
    }
