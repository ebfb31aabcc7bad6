"""What a study answers: its questions, each a paired difference of two lines in every block.

The questions stand in the study's file. They are a family of comparisons of their own, and Holm's
correction is over all their answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from panda_gnn.evaluation.measure import Unit
from panda_gnn.evaluation.measurements import unit_of
from panda_gnn.evaluation.statistics import Difference, holm, paired_difference
from panda_gnn.evaluation.store import Finished
from panda_gnn.evaluation.study import Question, Study
from panda_gnn.reports.cell_scores import cell_scores


@dataclass(frozen=True)
class Answer:
    """The answer to a question on one dataset with one backbone.

    Attributes:
        question: The question.
        dataset: The dataset.
        backbone: The backbone of both lines.
        unit: What the difference is in.
        difference: The first line minus the second on shared splits; ``None`` where trials of
            either are missing.
        p: Its p-value after Holm's correction over all answers of the table.
    """

    question: Question
    dataset: str
    backbone: str
    unit: Unit
    difference: Difference | None
    p: float | None = None

    @property
    def place(self) -> str:
        """Dataset and backbone."""
        return f"{self.dataset}, {self.backbone}"


def build_answers(study: Study, finished: Finished, selection: str) -> tuple[Answer, ...]:
    """The answers to those questions whose lines the study has, question by question."""
    if study.measure != "score":
        return ()
    cells = {
        (cell.dataset, cell.line.backbone, cell.line.name(study.rows)): cell for cell in study.cells
    }
    found = []
    for question in study.questions:
        for dataset in study.datasets:
            for backbone in study.backbones:
                pair = [cells.get((dataset, backbone, name)) for name in question.difference]
                if pair[0] is None or pair[1] is None:
                    continue
                first, second = (
                    cell_scores(study, cell, finished, selection) for cell in pair if cell
                )
                found.append(
                    Answer(
                        question,
                        dataset,
                        backbone,
                        unit_of(study.measure, dataset),
                        paired_difference(first.by_split, second.by_split, first.ratio),
                    )
                )
    return _corrected(found)


def _corrected(answers: Sequence[Answer]) -> tuple[Answer, ...]:
    tested = [
        (place, answer.difference.p)
        for place, answer in enumerate(answers)
        if answer.difference is not None and answer.difference.p is not None
    ]
    corrected = holm([p for _, p in tested])
    by_place = {place: p for (place, _), p in zip(tested, corrected, strict=True)}
    return tuple(replace(answer, p=by_place.get(place)) for place, answer in enumerate(answers))
