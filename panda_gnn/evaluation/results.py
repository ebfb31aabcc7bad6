"""Reading finished trials: which rows belong together, what each scored, which settings won.

A mean is only ever taken over rows of one config and one version of the code. Which of several
candidate settings fills a cell is decided by validation scores alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.store import Row
from panda_gnn.evaluation.study import Cell

#: Rows by config (its key) and seed, all of one version of the code.
Finished = Mapping[str, Mapping[int, Row]]


@dataclass(frozen=True)
class Choice:
    """The candidate with the best mean validation score on the seeds that all candidates share.

    Attributes:
        config: The winner.
        seeds: How many seeds it was chosen on.
        settled: Whether all candidates took part with as many seeds as the study asks for.
    """

    config: Config
    seeds: int
    settled: bool


def of_code(rows: Iterable[Row], code: str) -> dict[str, dict[int, Row]]:
    """The rows that this version of the code wrote, by config and seed."""
    finished: dict[str, dict[int, Row]] = {}
    for row in rows:
        if row["code"] == code:
            finished.setdefault(row["key"], {})[row["seed"]] = row
    return finished


def code_to_show(rows: Sequence[Row], installed: str) -> tuple[str, list[str]]:
    """The version of the code whose rows a table shows, and sentences about other versions.

    It is the installed version, or, where there is no row of that, the one that was written last.
    Rows of different versions are never shown together.
    """
    counts = Counter(row["code"] for row in rows)
    shown = installed if installed in counts or not rows else rows[-1]["code"]
    remarks = []
    if shown != installed:
        remarks.append(
            f"all rows shown were written by version {shown} of the trial code, "
            f"not by the installed version {installed}"
        )
    remarks += [
        f"{count} rows of version {code} of the trial code are left out: "
        f"they do not mix with those of version {shown}"
        for code, count in counts.items()
        if code != shown
    ]
    return shown, remarks


def score(row: Row, selection: str) -> float:
    """What the row reports under a selection rule; what is measured is the same under all.

    Of a list of measured numbers it is their mean.
    """
    if "values" in row:
        return float(np.mean(next(iter(row["values"].values()))))
    value: float = row["value"] if "value" in row else row["scores"][selection]["test"]
    return value


def scores(rows: Mapping[int, Row], selection: str) -> dict[int, float]:
    """The reported score of every seed."""
    return {seed: score(row, selection) for seed, row in rows.items()}


def validation_score(row: Row) -> float:
    """The best validation score of the trial: all that a choice of settings may look at."""
    value: float = row["scores"]["best-val"]["validation"]
    return value


def merit(row: Row) -> float:
    """The validation score, with its sign turned where the metric is an error: more is better."""
    from panda_gnn.evaluation.metrics import METRICS

    score = validation_score(row)
    return score if METRICS[row["metric"]].higher_is_better else -score


def chosen(cell: Cell, finished: Finished, choose_on: int) -> Choice | None:
    """Which candidate fills the cell; ``None`` while there is nothing to choose by."""
    if len(cell.candidates) == 1:
        return Choice(cell.candidates[0], 0, True)
    tried = {
        config: {
            seed: merit(row)
            for seed, row in finished.get(config.key, {}).items()
            if seed < choose_on
        }
        for config in cell.candidates
    }
    tried = {config: values for config, values in tried.items() if values}
    if not tried:
        return None
    shared = set.intersection(*(set(values) for values in tried.values()))
    if not shared:
        return None
    winner = max(tried, key=lambda config: sum(tried[config][seed] for seed in sorted(shared)))
    everyone = len(tried) == len(cell.candidates)
    return Choice(winner, len(shared), everyone and len(shared) == choose_on)
