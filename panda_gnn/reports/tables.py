"""A study's table: the published value beside ours, with intervals and paired differences.

The lines of a block share their dataset, and with it the splits of every seed. A cell that has not
been run is missing, and says so. Nothing here chooses by a test score: of several candidate
settings the one with the best mean validation score is shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from panda_gnn.datasets import DATASETS
from panda_gnn.errors import InputError, choose
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.current import rows_to_show
from panda_gnn.evaluation.epoch_selection import SELECTIONS
from panda_gnn.evaluation.measure import Unit
from panda_gnn.evaluation.measurements import MEASURES, unit_of
from panda_gnn.evaluation.methods import METHODS
from panda_gnn.evaluation.splits import seen_on_validation
from panda_gnn.evaluation.statistics import (
    Difference,
    Summary,
    holm,
    paired_difference,
    summarise,
)
from panda_gnn.evaluation.store import Contents, Finished
from panda_gnn.evaluation.study import Cell, Line, Study, best_candidate
from panda_gnn.evaluation.tasks import task_of
from panda_gnn.paper import (
    PublishedTable,
    Value,
    best_on_the_papers_test_tables,
    best_settings,
    tables,
)
from panda_gnn.reports.answers import Answer, build_answers
from panda_gnn.reports.cell_scores import CellScores, cell_scores

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
        pairs: The differences that it is the mean of, by the seeds of their splits.
        p: That p-value after Holm's correction over the table.
        naive_p: The p-value of the naive test after Holm's correction.
        same_as: The line that this one is bit for bit, so that it is no comparison of its own.
        rank: 1, 2 or 3 for the best three of the block.
        parameters: How many parameters are trained.
        settings: What tells the config from others of its line: the method's settings, and the
            options of training that were chosen.
    """

    line: Line
    config: Config | None
    published: Value | None
    ours: Summary | None
    difference: Difference | None = None
    pairs: Mapping[str, float] = field(default_factory=dict)
    p: float | None = None
    naive_p: float | None = None
    same_as: str | None = None
    rank: int | None = None
    parameters: int | None = None
    settings: str = ""


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
        answers: What the study's questions come to; their p-values have a correction of their own.
        remarks: What to know when reading it.
        parameters: Whether numbers of parameters are shown.
    """

    study: Study
    selection: str | None
    blocks: tuple[Block, ...]
    comparisons: int
    remarks: tuple[str, ...]
    answers: tuple[Answer, ...]
    parameters: bool

    @property
    def unit(self) -> str:
        """What the numbers are; where datasets differ in that, of each dataset."""
        units = {block.dataset: block.unit.name for block in self.blocks}
        if len(set(units.values())) == 1:
            return next(iter(units.values()))
        return "; ".join(f"{dataset}: {unit}" for dataset, unit in units.items())

    def label(self, line: Line) -> str:
        """What a line is called."""
        name = line.name(self.study.rows)
        return name if self.study.difference.backbone is None else f"{line.backbone} {name}"

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
    remarks += [
        f"{block.name}: {entry.line.method} is {entry.same_as} bit for bit, and not counted among "
        "the comparisons"
        for block in blocks
        for entry in block.entries
        if entry.same_as is not None and entry.ours is not None
    ]
    for cell in study.cells:
        if len(cell.candidates) > 1:
            remarks += _how_chosen(study, cell, finished)
    remarks += _what_choices_saw(study, finished)
    if study.published is not None and study.published.table == study.name:
        paper = tables()[study.published.table]
        remarks += [note for note in paper.notes if _concerns(note, study, paper)]
    return Table(
        study,
        selection if study.measure == "score" else None,
        tuple(blocks),
        comparisons,
        (*contents.problems, *remarks),
        build_answers(study, finished, selection),
        parameters,
    )


def _concerns(note: str, study: Study, paper: PublishedTable) -> bool:
    """Whether a note on a table of the paper is about lines that are shown.

    It is not where it names datasets, backbones or methods of that table and none of those shown.
    """
    words = set(re.findall(r"[\w-]+", note.lower()))
    shown = zip(*(study.paper_cell(cell) for cell in study.cells), strict=True)
    for names, known in zip(shown, zip(*paper.cells, strict=True), strict=True):
        named = words & set(known)
        if named and not named & set(names):
            return False
    return True


def _entries(
    study: Study, cells: Sequence[Cell], finished: Finished, selection: str
) -> tuple[Entry, ...]:
    ours: dict[Line, CellScores] = {}
    entries = []
    for cell in cells:
        found = ours[cell.line] = cell_scores(study, cell, finished, selection)
        values = list(found.by_split.values())
        entries.append(
            Entry(
                cell.line,
                found.config,
                study.published_value(cell),
                summarise(values) if values else None,
                parameters=next(
                    (
                        row["parameters"]["trained"]
                        for row in found.rows.values()
                        if "parameters" in row
                    ),
                    None,
                ),
                settings="" if found.config is None else _settings(cell, found.config),
            )
        )
    if study.measure == "score":
        entries = [_compared(study, entry, ours) for entry in entries]
        entries = _ranked(entries, task_of(cells[0].dataset).metric.higher_is_better)
    return tuple(entries)


def _what_choices_saw(study: Study, finished: Finished) -> list[str]:
    """How much of the test sets took part in choices, on other seeds or in the paper."""
    remarks = []
    seeds: dict[str, tuple[int, int]] = {}  # on how many settings were chosen, and how many ran
    for cell in study.cells:
        if len(cell.candidates) > 1 and task_of(cell.dataset).classifies_graphs:
            choice = best_candidate(cell, finished, study.choose_on)
            used = study.choose_on if choice is None else max(choice.seeds, study.choose_on)
            ran = 0 if choice is None else max(finished[choice.config.key]) + 1
            most_used, most_ran = seeds.get(cell.dataset, (0, 0))
            seeds[cell.dataset] = max(used, most_used), max(used, ran, most_ran)
    for dataset, (used, ran) in seeds.items():
        low, high = seen_on_validation(DATASETS[dataset].num_graphs, used, ran)
        remarks.append(
            f"{dataset}: {100 * low:.0f} to {100 * high:.0f} % of a test set were validation "
            f"graphs of other seeds when settings were chosen on {_seeds(used)}"
        )
    if any(_has_the_papers_centrality(cell) for cell in study.cells):
        hits, cells = best_on_the_papers_test_tables()
        remarks.append(
            f"panda has the paper's centrality, which in {hits} of {cells} cells is the one that "
            "is best in the paper's own tables of test scores"
        )
    return remarks


def _has_the_papers_centrality(cell: Cell) -> bool:
    best = best_settings(cell.line.backbone, cell.dataset)
    return (
        cell.line.method == "panda"
        and best is not None
        and f"centrality-{cell.line.backbone}" in tables()
        and cell.dataset in tables()[f"centrality-{cell.line.backbone}"].datasets
        and all(c.settings.get("centrality") == best.centrality for c in cell.candidates)
    )


def _settings(cell: Cell, config: Config) -> str:
    trained = {
        name: value
        for name, value in vars(config).items()
        if name != "settings" and any(getattr(other, name) != value for other in cell.candidates)
    }
    return ", ".join(f"{name} {value}" for name, value in {**config.settings, **trained}.items())


def _how_chosen(study: Study, cell: Cell, finished: Finished) -> list[str]:
    choice = best_candidate(cell, finished, study.choose_on)
    if choice is None:
        return []
    open_yet = "" if choice.settled else f" of {study.choose_on}, so far"
    return [
        f"{cell.line.method} on {cell.line.backbone}, {cell.dataset}: "
        f"{_settings(cell, choice.config)}; the best of "
        f"{len(cell.candidates)} candidates on validation ({_seeds(choice.seeds)}{open_yet})"
    ]


def _seeds(count: int) -> str:
    return "1 seed" if count == 1 else f"{count} seeds"


def _compared(study: Study, entry: Entry, ours: Mapping[Line, CellScores]) -> Entry:
    comparison = study.difference
    reference = Line(comparison.backbone or entry.line.backbone, comparison.method)
    if entry.line == reference or reference not in ours:
        return entry
    first, second = ours[entry.line], ours[reference]
    if comparison.reversed:
        first, second = second, first
    same = METHODS[entry.line.method].same_as(entry.line.backbone)
    return replace(
        entry,
        difference=paired_difference(first.by_split, second.by_split, first.ratio),
        pairs=_pairs(first, second),
        same_as=same if same in {line.method for line in ours} else None,
    )


def _pairs(first: CellScores, second: CellScores) -> dict[str, float]:
    """The differences on shared splits, by the seeds that have the split."""
    return {
        ", ".join(
            str(seed)
            for seed, row in sorted(first.rows.items())
            if split in (seed, row.get("split"))
        ): value - second.by_split[split]
        for split, value in first.by_split.items()
        if split in second.by_split
    }


def _ranked(entries: list[Entry], higher_is_better: bool) -> list[Entry]:
    means = {entry.ours.mean for entry in entries if entry.ours}
    best = sorted(means, reverse=higher_is_better)[:3]
    ranks = {mean: place for place, mean in enumerate(best, start=1)}
    return [
        replace(entry, rank=ranks.get(entry.ours.mean)) if entry.ours else entry
        for entry in entries
    ]


def _corrected(blocks: Sequence[Block]) -> tuple[list[Block], int]:
    """The blocks with p-values after Holm's correction over all of them, and how many these are.

    A line that is another line bit for bit is not counted."""
    counted = [
        (entry.difference.p, entry.difference.naive_p)
        for block in blocks
        for entry in block.entries
        if _counts(entry) and entry.difference is not None
    ]
    corrected = iter(holm([p or 0.0 for p, _ in counted]))
    naive = iter(holm([p or 0.0 for _, p in counted]))
    return [
        replace(
            block,
            entries=tuple(
                replace(entry, p=next(corrected), naive_p=next(naive)) if _counts(entry) else entry
                for entry in block.entries
            ),
        )
        for block in blocks
    ], len(counted)


def _counts(entry: Entry) -> bool:
    """Whether a line is one of the comparisons."""
    return entry.same_as is None and entry.difference is not None and entry.difference.p is not None
