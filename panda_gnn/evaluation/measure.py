"""What a study can measure: the score of a trial, a time, or anything else that makes a row.

A measurement is run like a trial: by the same runner, on the same executors, into the same store,
and it continues where it was stopped. Its row is ready for JSON and has

====================  ==============================================================================
``key``, ``config``   the config and its hash, with the settings of the measure among the others
``seed``, ``code``    with the key, the parts and the data, what makes two rows the same measurement
``parts``, ``data``   the versions of task and method, and the fingerprint of the dataset
``values``            a mapping of names to numbers or lists of numbers (a single time that tables
                      show is ``value`` instead, a trial has ``scores``)
``seconds``           how long it took
``versions``          those of what decides the bits of a result
``revision``          that of the checkout, or ``None``
``processor``         on which the last bits depend
====================  ==============================================================================

:func:`panda_gnn.evaluation.store.new_row` makes one from its values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from panda_gnn.evaluation.config import Config, Setting

if TYPE_CHECKING:
    from panda_gnn.evaluation.store import Row


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


class RunMeasure(Protocol):
    """A picklable function from a complete config and a seed to a row."""

    def __call__(
        self, config: Config, seed: int, *, root: str | None = None, mirror: str | None = None
    ) -> Row:
        """Measure once; datasets are in ``root``, or come from ``mirror`` or the network."""


@dataclass(frozen=True)
class Measure:
    """One thing that can be measured, by config and seed.

    Attributes:
        name: What studies call it.
        run: Measures once. The config it gets is complete: see
            :func:`panda_gnn.evaluation.methods.complete`, which a study calls with this measure.
        code: The version of ``run``, raised whenever it gives other numbers than before. Rows of
            different codes never mix, so no two measures have one code.
        unit: The unit of ``value``; ``None`` for scores, whose unit is that of the task's metric,
            and for measurements that no table shows.
        settings: Settings of its own and their defaults, such as ``{"graphs": None}``. A config may
            have them beside those of its method and task.
        check: Rejects a complete config that cannot be measured.
        own_graphs: Whether it makes its graphs itself: ``config.dataset`` is then no dataset that
            could be loaded, and its settings are the only ones a config may have.
        alone: Whether nothing may run beside it, because it measures time.
        resumes: Whether ``run`` takes the path of a ``checkpoint`` and goes on from there.
    """

    name: str
    run: RunMeasure
    code: str
    unit: Unit | None = None
    settings: Mapping[str, Setting] = field(default_factory=dict)
    check: Callable[[Config], object] = lambda config: None
    own_graphs: bool = False
    alone: bool = False
    resumes: bool = False
