"""Everything that is said about a dataset, ready for a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from panda_gnn.diagnostics.dataset_summary import DatasetSummary
from panda_gnn.evaluation.advice.evidence import Evidence
from panda_gnn.evaluation.advice.plan import Budget, last_validation
from panda_gnn.evaluation.advice.rules import Finding, findings
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.metrics import Metric
from panda_gnn.evaluation.store import Finished
from panda_gnn.evaluation.study import Study
from panda_gnn.evaluation.tasks import TaskData

#: A difference worth having: of scores between 0 and 1, or as a share of the majority's error.
USEFUL = 0.02

Scores = Mapping[str, Mapping[int, float]]


@dataclass(frozen=True)
class Advice:
    """What was measured and what follows.

    Attributes:
        title: What the dataset is called.
        metric: How rows are scored.
        summary: What the graphs look like.
        evidence: The scores.
        findings: What may be said.
        config: The plain backbone that the others are compared with.
        budget: What each network was given; ``None`` where none was trained.
    """

    title: str
    metric: Metric
    summary: DatasetSummary
    evidence: Evidence
    findings: list[Finding]
    config: Config
    budget: Budget | None


def network_scores(study: Study, rows: Finished) -> dict[str, dict[int, float]]:
    """The validation scores of every network of the study, by seed."""
    scores = {}
    for cell in study.cells:
        found = rows.get(cell.candidates[0].key, {})
        if found:
            scores[str(cell.line.variant)] = {
                seed: last_validation(row) for seed, row in sorted(found.items())
            }
    return scores


def draw_conclusions(
    data: TaskData,
    summary: DatasetSummary,
    scores: Scores,
    config: Config,
    budget: Budget | None,
) -> Advice:
    """Apply the rules to validation scores."""
    metric = data.task.metric
    merits = {
        name: {seed: metric.merit(score) for seed, score in by_seed.items()}
        for name, by_seed in scores.items()
    }
    first = next(iter(next(iter(merits.values()), {})), 0)
    split = data.task.split(data, config.settings, first)
    resplits = data.task.test_ratio(data.entry, config.settings) > 0
    scale = 1.0
    if not metric.higher_is_better and merits:
        majority = next(iter(merits.values()))
        scale = abs(sum(majority.values()) / len(majority))
    evidence = Evidence(
        rows=data.graphs.y.size(0),
        of_nodes=data.graphs.target_nodes is not None,
        merits=merits,
        ratio=split.validation.numel() / split.train.numel() if resplits else 0.0,
        useful=USEFUL * scale,
        out_of_reach=summary.spread("out of reach")[0],
    )
    return Advice(
        title=data.entry.printed,
        metric=metric,
        summary=summary,
        evidence=evidence,
        findings=findings(evidence),
        config=config,
        budget=budget,
    )
