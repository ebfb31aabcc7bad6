"""The rules of advice: from scores to what may be said. docs/advise.md states them in words.

"Beats" means: by the paired, corrected interval on shared validation splits, with Holm's correction
over all that is compared with the same reference. Scores of test rows are nowhere in it.
"""

from __future__ import annotations

from dataclasses import dataclass

from panda_gnn.evaluation.advice.evidence import Comparison, Evidence
from panda_gnn.evaluation.advice.plan import (
    CANDIDATES,
    DEEPER,
    NETWORKS,
    PLAIN,
    SHORTER_PATHS,
    SIZE,
)
from panda_gnn.evaluation.advice.quick import EXPLANATIONS, MAJORITY

#: With fewer graphs or nodes, an accuracy over all of them is uncertain by more than 10 points.
FEW_ROWS = 100


@dataclass(frozen=True)
class Finding:
    """One thing that may be said.

    Attributes:
        kind: ``few`` (too few rows), ``nothing`` (no signal), ``cause``; of a method ``try``,
            ``explained`` (it helps no more than the size does), ``unknown``, ``avoid`` or ``idle``
            (neither it nor the plain backbone learned anything); of distances ``far``, ``near`` or
            ``distance unknown``.
        subject: What it is about.
        because: The comparisons that carry it; the last ones are the controls.
    """

    kind: str
    subject: str
    because: tuple[Comparison, ...] = ()


def findings(evidence: Evidence) -> list[Finding]:
    """All that may be said, the most important first."""
    if evidence.rows < FEW_ROWS:
        return [Finding("few", "nodes" if evidence.of_nodes else "graphs")]
    cause = _cause(evidence)
    if cause.kind == "nothing":
        return [cause]
    over_plain = evidence.compare((*CANDIDATES, DEEPER), PLAIN)
    remedies = [_remedy(evidence, one) for one in over_plain.values()]
    order = {"try": 0, "explained": 1, "unknown": 2, "avoid": 3, "idle": 4}
    remedies.sort(key=lambda finding: (order[finding.kind], -finding.because[0].mean))
    return [cause, *remedies, *_distance(evidence)]


def _cause(evidence: Evidence) -> Finding:
    """The simplest explanation that beats the majority and is beaten by nothing else."""
    everything = (*EXPLANATIONS, *NETWORKS)
    over_majority = evidence.compare(EXPLANATIONS, MAJORITY)
    over_majority |= evidence.compare(NETWORKS, MAJORITY)
    telling = [name for name, one in over_majority.items() if one.is_gain]
    if not telling:
        best = max(over_majority.values(), key=lambda one: one.mean)
        return Finding("nothing", best.name, (best,))
    unbeaten = [
        name
        for name in telling
        if not any(rival.is_gain for rival in evidence.compare(everything, name).values())
    ]
    subject = unbeaten[0] if unbeaten else evidence.best(telling)
    simpler = [name for name in EXPLANATIONS if everything.index(name) < everything.index(subject)]
    rivals = evidence.compare(everything, subject)
    controls = [over_majority[subject]]
    if any(name in evidence.merits for name in simpler):
        next_cause = evidence.best(simpler)
        controls.append(evidence.compare([subject], next_cause)[subject])
    later = [one for name, one in rivals.items() if name not in simpler]
    if later:
        controls.append(max(later, key=lambda one: one.mean))
    return Finding("cause", subject, tuple(controls))


def _remedy(evidence: Evidence, gain: Comparison) -> Finding:
    """Whether a method is worth trying: better than the plain backbone, and by more than telling
    the size is; or not, or who knows."""
    if not gain.is_gain and _is_idle(evidence, gain.name):
        return Finding("idle", gain.name, (gain,))
    if _is_useless(evidence, gain):
        return Finding("avoid", gain.name, (gain,))
    if not gain.is_gain:
        return Finding("unknown", gain.name, (gain,))
    if SIZE in evidence.merits:
        told_size = evidence.compare([SIZE], PLAIN)[SIZE]
        over_size = evidence.compare([gain.name], SIZE)[gain.name]
        if told_size.is_gain and not over_size.is_gain:
            return Finding("explained", gain.name, (gain, over_size))
    over_quick = evidence.compare([gain.name], evidence.best((MAJORITY, *EXPLANATIONS)))[gain.name]
    return Finding("try", gain.name, (gain, over_quick))


def _distance(evidence: Evidence) -> list[Finding]:
    """Whether distances stand in the way: whether shorter paths or more layers beat the plain
    backbone and also all that knows no distant node. Without either, nothing is said."""
    over_plain = evidence.compare(SHORTER_PATHS, PLAIN)
    over_quick = evidence.compare(SHORTER_PATHS, evidence.best((MAJORITY, *EXPLANATIONS)))
    both = [(over_plain[name], over_quick[name]) for name in over_plain]
    if not both:
        return []
    helped = [pair for pair in both if all(one.is_gain for one in pair)]
    ruled_out = all(
        _is_useless(evidence, beside_quick)
        or (_is_useless(evidence, beside_plain) and not _is_idle(evidence, beside_plain.name))
        for beside_plain, beside_quick in both
    )
    kind = "far" if helped else "near" if ruled_out else "distance unknown"
    best = max(helped or both, key=lambda pair: pair[0].mean)
    return [Finding(kind, best[0].name, best)]


def _is_idle(evidence: Evidence, name: str) -> bool:
    """Whether neither the plain backbone nor the network beats the majority."""
    over_majority = evidence.compare((PLAIN, name), MAJORITY)
    return not any(one.is_gain for one in over_majority.values())


def _is_useless(evidence: Evidence, one: Comparison) -> bool:
    """Whether it is worse, or better by less than is worth having at best."""
    return one.is_loss or one.mean + one.half < evidence.useful
