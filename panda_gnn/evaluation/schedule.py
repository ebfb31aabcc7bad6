"""Which trial runs next.

Without a budget: dataset by dataset, seed by seed, line by line, so that whenever it ends the
methods of a dataset share their seeds. With a budget: first a few seeds of every cell, those with a
published number first, then always the cell of which one more trial is expected to tell most: the
one whose 95 % interval shrinks most per second of a trial, counting the trials that are under way
as if they were finished. Intervals here are of *validation* scores, so that no test score decides
who gets more seeds. A cell always takes its lowest missing seed, so that methods share as many as
they can.

Of a cell with several candidates all run the first seeds, and only the one that wins on validation
runs the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

import numpy as np

from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.statistics import half_width
from panda_gnn.evaluation.store import Row, validation_score
from panda_gnn.evaluation.study import Cell, Study, best_candidate

#: Seeds that every cell gets before the expected information decides.
FIRST_SEEDS = 3


class Trial(NamedTuple):
    """A config and a seed."""

    config: Config
    seed: int


@dataclass(eq=False)
class _Candidate:
    config: Config
    rows: dict[int, Row]
    under_way: set[int] = field(default_factory=set)
    given_up: set[int] = field(default_factory=set)

    def is_settled(self, seed: int) -> bool:
        return seed in self.rows or seed in self.given_up


@dataclass(eq=False)
class _Place:
    """A cell with the state of its candidates."""

    cell: Cell
    candidates: list[_Candidate]
    claimed: bool
    winner: _Candidate | None = None


class Schedule:
    """The trials that a study still needs.

    Args:
        study: The cells.
        finished: Rows of the current code by config and seed; added to as trials finish.
        seeds: The seeds that every cell gets in the end.
        most_telling_first: Whether the expected information decides, as with a budget.
    """

    def __init__(
        self,
        study: Study,
        finished: dict[str, dict[int, Row]],
        *,
        seeds: range,
        most_telling_first: bool = False,
    ) -> None:
        self.choose_on = study.choose_on
        self.finished = finished
        self.seeds = seeds
        self.most_telling_first = most_telling_first
        self._candidates = {
            key: _Candidate(config, finished.setdefault(key, {}))
            for key, config in study.configs.items()
        }
        self._places = [
            _Place(
                cell,
                [self._candidates[config.key] for config in cell.candidates],
                study.published_value(cell) is not None,
            )
            for cell in study.cells
        ]

    def start_next(self, fits: Callable[[Config], bool] = lambda config: True) -> Trial | None:
        """The next trial, from now on under way; ``None`` if nothing that ``fits`` is left."""
        order = self._by_information if self.most_telling_first else self._by_dataset
        for candidate, seed in order():
            if fits(candidate.config):
                candidate.under_way.add(seed)
                return Trial(candidate.config, seed)
        return None

    def finish(self, trial: Trial, row: Row) -> None:
        """The trial gave this row."""
        self._ended(trial).rows[trial.seed] = row

    def is_settled(self, trial: Trial) -> bool:
        """Whether the trial is finished or given up."""
        return self._candidates[trial.config.key].is_settled(trial.seed)

    def release(self, trial: Trial) -> None:
        """The trial ended without a result and may run again."""
        self._ended(trial)

    def give_up(self, trial: Trial) -> None:
        """The trial will not run again."""
        self._ended(trial).given_up.add(trial.seed)

    @property
    def left(self) -> int:
        """How many trials are not finished yet, those under way included."""
        return sum(
            not candidate.is_settled(seed)
            for place in self._places
            for seed in self.seeds
            for candidate in self._wanted(place, seed) or place.candidates[:1]
        )

    def _ended(self, trial: Trial) -> _Candidate:
        candidate = self._candidates[trial.config.key]
        candidate.under_way.discard(trial.seed)
        return candidate

    def _by_dataset(self) -> Iterator[tuple[_Candidate, int]]:
        for _, places in groupby(self._places, key=lambda place: place.cell.dataset):
            yield from self._seed_by_seed(places, self.seeds)

    def _by_information(self) -> Iterator[tuple[_Candidate, int]]:
        claimed = sorted(self._places, key=lambda place: not place.claimed)
        yield from self._seed_by_seed(claimed, self.seeds[:FIRST_SEEDS])
        for place in sorted(claimed, key=self._expected_information, reverse=True):
            yield from self._seed_by_seed([place], self.seeds)

    def _seed_by_seed(
        self, places: Iterable[_Place], seeds: range
    ) -> Iterator[tuple[_Candidate, int]]:
        places = list(places)
        for seed in seeds:
            for place in places:
                for candidate in self._wanted(place, seed):
                    if seed not in candidate.under_way and not candidate.is_settled(seed):
                        yield candidate, seed

    def _wanted(self, place: _Place, seed: int) -> list[_Candidate]:
        """The candidates that run this seed: all or one; none while it is open which."""
        if len(place.candidates) == 1 or seed < self.choose_on:
            return place.candidates
        if place.winner is None:
            first = self.seeds[: self.choose_on]
            if all(candidate.is_settled(i) for candidate in place.candidates for i in first):
                choice = best_candidate(place.cell, self.finished, self.choose_on)
                if choice is not None:
                    place.winner = self._candidates[choice.config.key]
        return [] if place.winner is None else [place.winner]

    def _expected_information(self, place: _Place) -> float:
        """By how much one more trial is expected to shrink the cell's interval, per second."""
        choice = best_candidate(place.cell, self.finished, self.choose_on)
        if choice is None:
            return math.inf
        candidate = self._candidates[choice.config.key]
        rows = list(candidate.rows.values())
        if len(rows) < 2:
            return math.inf
        deviation = float(np.std([validation_score(row) for row in rows], ddof=1))
        count = len(rows) + len(candidate.under_way)
        gain = half_width(deviation, count) - half_width(deviation, count + 1)
        seconds = float(np.mean([float(row.get("seconds", 0)) for row in rows]))
        return gain / max(seconds, 1e-3)
