"""How many of the paper's numbers have one of ours beside them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from panda_gnn.evaluation.bundled import stored_rows, study_names
from panda_gnn.evaluation.current import rows_to_show
from panda_gnn.evaluation.study import Study, best_candidate, load_study
from panda_gnn.paper import tables

#: Trials from which a cell of scores counts as complete.
ENOUGH = 10


@dataclass(frozen=True)
class Coverage:
    """A table of the paper: its numbers, those that we measured, and those with enough trials.

    Attributes:
        table: The name of the table; its study has the same.
        title: The table in words.
        published: Cells with a number in the paper.
        measured: How many of them have at least one trial of ours.
        complete: How many have :data:`ENOUGH`, or as many as the study asks for if that is less.
    """

    table: str
    title: str
    published: int
    measured: int
    complete: int


def coverage(results: Path, studies: Iterable[Study] | None = None) -> list[Coverage]:
    """What the stores in a folder cover of every table of the paper.

    Args:
        results: The folder of the stores.
        studies: The studies to look at; all that come with the package unless given.
    """
    trials: dict[tuple[str, tuple[str, str, str]], tuple[int, int]] = {}
    for study in [load_study(name) for name in study_names()] if studies is None else studies:
        if study.published is None:
            continue
        contents = stored_rows(results, study.name).read()
        finished, _ = rows_to_show(study, contents.rows)
        for cell in study.cells:
            choice = best_candidate(cell, finished, study.choose_on)
            count = 0 if choice is None else len(finished.get(choice.config.key, {}))
            place = study.published.table, study.paper_cell(cell)
            most, _ = trials.get(place, (0, 0))
            trials[place] = max(most, count), min(ENOUGH, study.trials)
    covered = []
    for name, table in tables().items():
        numbers = [cell for cell, value in table.cells.items() if not value.timed_out]
        counts = [trials.get((name, cell), (0, ENOUGH)) for cell in numbers]
        covered.append(
            Coverage(
                name,
                table.title,
                len(numbers),
                sum(count > 0 for count, _ in counts),
                sum(count >= enough for count, enough in counts),
            )
        )
    return covered
