"""A study's table: the published value beside ours, with intervals and paired differences.

The lines of a block share their dataset, and with it the splits of every seed. A cell that has not
been run is missing, and says so. Nothing here chooses by a test score: of several candidate
settings the one with the best mean validation score is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from panda_gnn.errors import InputError, choose
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.current import rows_to_show
from panda_gnn.evaluation.epoch_selection import SELECTIONS
from panda_gnn.evaluation.measure import Unit
from panda_gnn.evaluation.measurements import MEASURES, unit_of
from panda_gnn.evaluation.statistics import (
    Difference,
    Summary,
    holm,
    paired_difference,
    summarise,
)
from panda_gnn.evaluation.store import Contents, Finished, scores
from panda_gnn.evaluation.study import Cell, Line, Study, best_candidate
from panda_gnn.evaluation.tasks import task_of
from panda_gnn.paper import Value, tables

RULES = {
    "best-val": "the first epoch of the best validation score",
    "last": "the last epoch",
    "best-val-test-ties": "of the epochs that tie on validation, the one with the best test score; "
    "it looks at the test set, use it only beside published numbers",
}


@dataclass(frozen=True)
class Entry:
    """A line of a block; what is ``None`` is not there, or not yet.

    Attributes:
        line: Backbone, method and variant.
        config: The config whose trials are shown.
        published: The paper's cell.
        ours: Mean and interval of our trials.
        difference: The paired difference, with its own p-value.
        p: That p-value after Holm's correction over the table.
        rank: 1, 2 or 3 for the best three of the block.
        parameters: How many parameters are trained.
    """

    line: Line
    config: Config | None
    published: Value | None
    ours: Summary | None
    difference: Difference | None = None
    p: float | None = None
    rank: int | None = None
    parameters: int | None = None


@dataclass(frozen=True)
class Block:
    """The lines of one dataset, and one backbone unless lines of several are compared."""

    dataset: str
    backbone: str | None
    unit: Unit
    entries: tuple[Entry, ...]

    @property
    def name(self) -> str:
        """The block in words."""
        return self.dataset if self.backbone is None else f"{self.dataset}, {self.backbone}"


@dataclass(frozen=True)
class Table:
    """A study with its numbers.

    Attributes:
        study: What was asked for.
        selection: The rule under which the scores count; ``None`` for times.
        blocks: The numbers.
        comparisons: How many p-values Holm's correction is over.
        remarks: What to know when reading it.
        parameters: Whether numbers of parameters are shown.
    """

    study: Study
    selection: str | None
    blocks: tuple[Block, ...]
    comparisons: int
    remarks: tuple[str, ...]
    parameters: bool = False

    @property
    def unit(self) -> str:
        """What the numbers are; where datasets differ in that, of each dataset."""
        units = {block.dataset: block.unit.name for block in self.blocks}
        if len(set(units.values())) == 1:
            return next(iter(units.values()))
        return "; ".join(f"{dataset}: {unit}" for dataset, unit in units.items())

    def label(self, line: Line) -> str:
        """What a line is called."""
        name = line.method
        if self.study.difference.backbone is not None:
            name = f"{line.backbone} {name}"
        return name if line.variant is None else f"{name}, {self.study.rows} {line.variant}"

    @property
    def difference_name(self) -> str:
        """What is subtracted from what."""
        comparison = self.study.difference
        reference = " ".join(filter(None, (comparison.backbone, comparison.method)))
        return f"{reference} minus this" if comparison.reversed else f"this minus {reference}"


def build_table(
    study: Study, contents: Contents, selection: str = "best-val", *, parameters: bool = False
) -> Table:
    """The table of a study from the rows of its store, if asked with numbers of parameters."""
    choose("selection", selection, SELECTIONS)
    measure = MEASURES[study.measure]
    if study.measure != "score" and measure.unit is None:
        raise InputError(f"the study '{study.name}' has no table: panda figure draws its rows")
    finished, remarks = rows_to_show(study, contents.rows)
    whole = study.difference.backbone is not None
    groups: dict[tuple[str, str | None], list[Cell]] = {}
    for cell in study.cells:
        groups.setdefault((cell.dataset, None if whole else cell.line.backbone), []).append(cell)
    blocks = [
        Block(
            dataset,
            backbone,
            unit_of(study.measure, dataset),
            _entries(study, cells, finished, selection),
        )
        for (dataset, backbone), cells in groups.items()
    ]
    blocks, comparisons = _corrected(blocks)
    for cell in study.cells:
        if len(cell.candidates) > 1:
            remarks += _how_chosen(study, cell, finished)
    if study.published is not None and study.published.table == study.name:
        remarks += tables()[study.published.table].notes
    return Table(
        study,
        selection if study.measure == "score" else None,
        tuple(blocks),
        comparisons,
        (*contents.problems, *remarks),
        parameters,
    )


def _entries(
    study: Study, cells: Sequence[Cell], finished: Finished, selection: str
) -> tuple[Entry, ...]:
    dataset = cells[0].dataset
    scale = unit_of(study.measure, dataset).scale
    ours: dict[Line, dict[int, float]] = {}
    entries = []
    for cell in cells:
        choice = best_candidate(cell, finished, study.choose_on)
        config = None if choice is None else choice.config
        rows = {} if config is None else finished.get(config.key, {})
        values = {seed: scale * value for seed, value in scores(rows, selection).items()}
        ours[cell.line] = values
        entries.append(
            Entry(
                cell.line,
                config,
                study.published_value(cell),
                summarise(list(values.values())) if values else None,
                parameters=next(
                    (row["parameters"]["trained"] for row in rows.values() if "parameters" in row),
                    None,
                ),
            )
        )
    if study.measure == "score":
        entries = [_compared(study, entry, ours) for entry in entries]
        entries = _ranked(entries, task_of(dataset).metric.higher_is_better)
    return tuple(entries)


def _how_chosen(study: Study, cell: Cell, finished: Finished) -> list[str]:
    choice = best_candidate(cell, finished, study.choose_on)
    if choice is None:
        return []
    settings = ", ".join(f"{name} {value}" for name, value in choice.config.settings.items())
    seeds = "1 seed" if choice.seeds == 1 else f"{choice.seeds} seeds"
    open_yet = "" if choice.settled else f" of {study.choose_on}, so far"
    return [
        f"{cell.line.method} on {cell.line.backbone}, {cell.dataset}: {settings}; the best of "
        f"{len(cell.candidates)} candidates on validation ({seeds}{open_yet})"
    ]


def _compared(study: Study, entry: Entry, ours: dict[Line, dict[int, float]]) -> Entry:
    comparison = study.difference
    reference = Line(comparison.backbone or entry.line.backbone, comparison.method)
    if entry.line == reference or reference not in ours:
        return entry
    first, second = ours[entry.line], ours[reference]
    if comparison.reversed:
        first, second = second, first
    return replace(entry, difference=paired_difference(first, second))


def _ranked(entries: list[Entry], higher_is_better: bool) -> list[Entry]:
    means = {entry.ours.mean for entry in entries if entry.ours}
    best = sorted(means, reverse=higher_is_better)[:3]
    ranks = {mean: place for place, mean in enumerate(best, start=1)}
    return [
        replace(entry, rank=ranks.get(entry.ours.mean)) if entry.ours else entry
        for entry in entries
    ]


def _corrected(blocks: Sequence[Block]) -> tuple[list[Block], int]:
    """The blocks with p-values after Holm's correction over all of them, and how many these are."""
    p_values = [
        entry.difference.p
        for block in blocks
        for entry in block.entries
        if entry.difference is not None and entry.difference.p is not None
    ]
    corrected = iter(holm(p_values))
    return [
        replace(
            block,
            entries=tuple(
                replace(entry, p=next(corrected))
                if entry.difference is not None and entry.difference.p is not None
                else entry
                for entry in block.entries
            ),
        )
        for block in blocks
    ], len(p_values)
