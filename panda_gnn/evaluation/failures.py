"""Trials that failed: kept in a file beside the store, with the reason, apart from all results."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping

from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.origin import Origin
from panda_gnn.evaluation.store import Row, Store, by_config_and_seed

#: With what a worker ends whose trial took too long.
TIME_IS_UP = 75


class Failures:
    """The failed trials of a study.

    Args:
        store: Where its finished trials are; the failed ones are in a file of the same name that
            ends in ``.failed``.
        origins: The code and the data of every config, by its key; failures of others do not count.
    """

    def __init__(self, store: Store, origins: Mapping[str, Origin]) -> None:
        self._store = Store(store.path.with_name(store.path.name + ".failed"))
        self._origins = origins
        self._rows: dict[str, dict[int, Row]] = {}
        self._place = 0
        self.catch_up()

    def catch_up(self) -> list[Row]:
        """The failures that were written down since the last look, by whomever."""
        rows, self._place = self._store.read_from(self._place)
        fresh = by_config_and_seed(rows, self._origins)
        for key, by_seed in fresh.items():
            self._rows[key] = {**by_seed, **self._rows.get(key, {})}
        return [row for by_seed in fresh.values() for row in by_seed.values()]

    def unfinished(self, finished: Mapping[str, Mapping[int, Row]]) -> list[Row]:
        """The failures of trials that have not been finished since, in the order of configs."""
        return [
            row
            for key, by_seed in self._rows.items()
            for seed, row in sorted(by_seed.items())
            if seed not in finished.get(key, {})
        ]

    def add(self, config: Config, seed: int, reason: str) -> None:
        """Write down that a trial failed; of several failures of a trial, the first is kept."""
        if seed in self._rows.get(config.key, {}):
            return
        code, parts, data = self._origins[config.key]
        row = {
            "key": config.key,
            "seed": seed,
            "code": code,
            "parts": dict(parts),
            "data": data,
            "config": config.to_dict(),
            "reason": reason[:1000],
        }
        self._rows.setdefault(config.key, {})[seed] = row
        self._store.append(row)


def limited(run: Callable[[Config, int], Row], seconds: float, config: Config, seed: int) -> Row:
    """Run a trial on a worker, which ends when the trial takes longer than ``seconds``.

    Nothing else ends a loop in compiled code or in a user's method on every system.
    """
    watch = threading.Timer(seconds, os._exit, (TIME_IS_UP,))
    watch.daemon = True
    watch.start()
    try:
        return run(config, seed)
    finally:
        watch.cancel()
