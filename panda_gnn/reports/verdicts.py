"""What became of the paper's claims: each with the difference we measured and a verdict.

A claim says that one line of a study is better than another on a dataset, by so much in the paper's
table. We have the paired difference of the two on shared splits, with its 95 % interval by the
corrected resampled t-test, and say

- *reproduced* where the interval lies above zero,
- *only with peeking* where it does so only under the rule that looks at the test set
  (``best-val-test-ties``),
- *not reproduced* where it lies below zero, or contains zero and ends below the published
  difference,
- *cannot be said* where it contains both, or where there are too few trials; *open* without any.

Of a claim that two lines are comparable: *reproduced* where the interval contains zero and ends on
both sides within :data:`COMPARABLE` points of it, *not reproduced* where it does not contain zero.
Of a claim that a line is not better than another: *reproduced* where the interval ends at most as
many points above zero, *not reproduced* where it lies above zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from panda_gnn.evaluation.bundled import stored_rows, study_names
from panda_gnn.evaluation.current import rows_to_show
from panda_gnn.evaluation.measure import Unit
from panda_gnn.evaluation.measurements import unit_of
from panda_gnn.evaluation.statistics import Difference, paired_difference
from panda_gnn.evaluation.store import Finished
from panda_gnn.evaluation.study import Cell, Study, load_study
from panda_gnn.evaluation.tasks import task_of
from panda_gnn.paper import Claim, claims
from panda_gnn.reports.cell_scores import cell_scores

#: Below so many shared trials nothing is said.
FEWEST = 3

#: Points within which two lines count as comparable.
COMPARABLE = 5.0

HONEST = "best-val"
PEEKING = "best-val-test-ties"


@dataclass(frozen=True)
class Verdict:
    """A claim, the difference in the paper's tables and in ours, and what follows.

    Attributes:
        claim: What the paper says.
        unit: What the differences are in, as tables show them.
        published: The difference of the two cells of the paper, if it has both; positive where the
            claimed line is better.
        ours: Our paired difference under ``best-val``, in the same direction.
        verdict: The verdict in words.
    """

    claim: Claim
    unit: Unit
    published: float | None
    ours: Difference | None
    verdict: str


def verdicts(results: Path) -> list[Verdict]:
    """The verdict on every claim, from the stores in a folder."""
    by_study: dict[str, list[Claim]] = {}
    for name in study_names():
        by_study[name] = table_claims(load_study(name))
    for claim in claims():
        by_study[claim.study].append(claim)
    return [
        verdict
        for name, of_study in by_study.items()
        if of_study
        for verdict in _of_study(load_study(name), of_study, results)
    ]


def table_claims(study: Study) -> list[Claim]:
    """What a published table says: its best cells are better than the runners-up, and PANDA better
    than what it is compared with.
    """
    if study.published is None or study.published.table != study.name or study.measure != "score":
        return []
    across = study.difference.backbone is not None
    blocks: dict[tuple[str, str | None], dict[tuple[str, str], float]] = {}
    for cell in study.cells:
        value = study.published_value(cell)
        if value is not None and value.mean is not None:
            backbone, method, dataset = study.paper_cell(cell)
            block = blocks.setdefault((dataset, None if across else backbone), {})
            block[backbone, method] = task_of(dataset).metric.merit(value.mean)
    found = []
    for (dataset, _), merits in blocks.items():
        best, second, *_ = sorted(merits, key=lambda line: merits[line], reverse=True)
        found.append(Claim("best of its block", study.name, dataset, best, second))
        for panda in [line for line in merits if line[1] == "panda"]:
            reference = (study.difference.backbone or panda[0], study.difference.method)
            if (panda, reference) != (best, second) and reference in merits:
                found.append(Claim("better", study.name, dataset, panda, reference))
    return found


def _of_study(study: Study, of_study: Iterable[Claim], results: Path) -> list[Verdict]:
    finished, _ = rows_to_show(study, stored_rows(results, study.name).read().rows)
    cells = {study.paper_cell(cell): cell for cell in study.cells}
    found = []
    for claim in of_study:
        pair = [cells[(*line, claim.dataset)] for line in (claim.line, claim.reference)]
        merit = task_of(claim.dataset).metric.merit
        values = [study.published_value(cell) for cell in pair]
        means = [merit(value.mean) for value in values if value and value.mean is not None]
        published = means[0] - means[1] if len(means) == 2 else None
        unit = unit_of(study.measure, claim.dataset)
        differences = [_difference(study, pair, finished, rule) for rule in (HONEST, PEEKING)]
        found.append(
            Verdict(
                claim,
                unit,
                published,
                differences[0],
                judge(claim, published, *differences),
            )
        )
    return found


def _difference(
    study: Study, pair: Sequence[Cell], finished: Finished, rule: str
) -> Difference | None:
    """How much better the first cell is than the second, in the unit of tables."""
    first, second = (cell_scores(study, cell, finished, rule) for cell in pair)
    if not task_of(pair[0].dataset).metric.higher_is_better:
        first, second = second, first
    return paired_difference(first.by_split, second.by_split, first.ratio)


def judge(
    claim: Claim,
    published: float | None,
    honest: Difference | None,
    peeking: Difference | None = None,
) -> str:
    """The verdict from the differences under both rules; see the head of this module."""
    if honest is None:
        return "open"
    if honest.n < FEWEST or honest.interval is None:
        return "cannot be said"
    low, high = honest.mean - honest.interval, honest.mean + honest.interval
    if claim.relation != "above":
        equal = claim.relation == "equals"
        if low > 0 or (equal and high < 0):
            return "not reproduced"
        farthest = max(-low, high) if equal else high
        return "reproduced" if farthest <= COMPARABLE else "cannot be said"
    if low > 0:
        return "reproduced"
    if peeking is not None and peeking.interval is not None and peeking.mean > peeking.interval:
        return "only with peeking"
    if high < 0 or (published is not None and high < published):
        return "not reproduced"
    return "cannot be said"
