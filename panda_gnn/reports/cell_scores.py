"""The scores behind a cell of a study: which candidate fills it, and what it reached by split."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from panda_gnn.datasets import DATASETS
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.measurements import unit_of
from panda_gnn.evaluation.store import Finished, Row, scores
from panda_gnn.evaluation.study import Cell, Study, best_candidate
from panda_gnn.evaluation.tasks import task_of


@dataclass(frozen=True)
class CellScores:
    """What a cell shows: the config that was chosen, its rows, its scores by split in the unit of
    tables, and the ratio of test to training rows, 0 where trials share one split.
    """

    config: Config | None
    rows: Mapping[int, Row]
    by_split: Mapping[Hashable, float]
    ratio: float = 0.0


def cell_scores(study: Study, cell: Cell, finished: Finished, selection: str) -> CellScores:
    """The scores of the candidate that fills a cell."""
    choice = best_candidate(cell, finished, study.choose_on)
    if choice is None:
        return CellScores(None, {}, {})
    ratio = 0.0
    if study.measure == "score":
        ratio = task_of(cell.dataset).test_ratio(DATASETS[cell.dataset], choice.config.settings)
    rows = finished.get(choice.config.key, {})
    by_split = _by_split(rows, scores(rows, selection), ratio > 0)
    scale = unit_of(study.measure, cell.dataset).scale
    scaled = {split: scale * value for split, value in by_split.items()}
    return CellScores(choice.config, rows, scaled, ratio)


def _by_split(
    rows: Mapping[int, Row], values: Mapping[int, float], resplit: bool
) -> dict[Hashable, float]:
    """The scores by their splits, several seeds of one split averaged; by their seeds where all
    have the same split."""
    groups: dict[Hashable, list[float]] = {}
    for seed, value in values.items():
        groups.setdefault(rows[seed].get("split", seed) if resplit else seed, []).append(value)
    return {split: sum(of_split) / len(of_split) for split, of_split in groups.items()}
