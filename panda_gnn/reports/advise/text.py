"""Advice in sentences and tables, the same for the terminal, the page and JSON."""

from __future__ import annotations

import math
from typing import Any

from panda_gnn.diagnostics.dataset_summary import QUANTITIES
from panda_gnn.evaluation.advice.advice import Advice
from panda_gnn.evaluation.advice.evidence import LEVEL, Comparison
from panda_gnn.evaluation.advice.plan import (
    DEEPER,
    NETWORKS,
    PLAIN,
    SETTINGS,
    SHORTER_PATHS,
    SIZE,
)
from panda_gnn.evaluation.advice.quick import EXPLANATIONS, MAJORITY
from panda_gnn.evaluation.advice.rules import FEW_ROWS, Finding
from panda_gnn.evaluation.methods import METHODS
from panda_gnn.reports.diagnose.text import counted
from panda_gnn.reports.grids import Grid

WORDS = {
    MAJORITY: "nothing is looked at: the most frequent answer",
    "size alone": "forest on the numbers of nodes and edges",
    "features alone": "forest on the features, without edges",
    "local structure": "forest on degrees, triangles and betweenness nearby, without features",
    "untrained probe": "forest on features averaged over neighbours",
    "panda": (
        f"two widths: the {SETTINGS['k']} nodes of highest {SETTINGS['centrality']} have "
        f"{SETTINGS['high_width']}"
    ),
    DEEPER: "the plain backbone with twice the layers",
}
CAUSES = {
    "size alone": (
        "The label follows the size",
        "the numbers of nodes and edges alone reach",
    ),
    "features alone": (
        "The label follows the features",
        "without any edge they reach",
    ),
    "local structure": (
        "The label is in the local structure",
        "histograms of degrees, triangles and betweenness, without features and without a network, "
        "reach",
    ),
    "untrained probe": (
        "The label is in the features and who is near whom",
        "averages over neighbours, without learned messages, reach",
    ),
    PLAIN: (
        "The label takes learned message passing",
        "the plain backbone reaches",
    ),
    SIZE: (
        "The label takes message passing and the size",
        "the plain backbone that is told the size reaches",
    ),
    "centralities": (
        "The label takes knowing where in the graph a node stands",
        "the plain backbone with centralities as input reaches",
    ),
    "roles-gain": (
        "The label takes knowing where in the graph a node stands",
        "the plain backbone with a gain and a bias for every role reaches",
    ),
}
"""What is said of a cause, and of what shows it."""


def advice_sentences(advice: Advice) -> list[str]:
    """What to know, the most important first."""
    first, *others = advice.findings
    said = [_opening(advice, first)]
    said += [_worth_trying(advice, finding) for finding in others if finding.kind == "try"]
    said += [_explained(advice, finding) for finding in others if finding.kind == "explained"]
    for kind in ("unknown", "avoid", "idle"):
        group = [finding for finding in others if finding.kind == kind]
        if group:
            said.append(_together(advice, kind, group))
    said += [_about_distance(advice, finding) for finding in others if finding.kind in DISTANCE]
    return said


def _opening(advice: Advice, finding: Finding) -> str:
    rows = advice.evidence.rows
    if finding.kind == "few":
        return (
            f"Too few {finding.subject} to tell: with {rows} of them an accuracy is uncertain by "
            f"{100 / math.sqrt(rows):.0f} points, whatever is tried, and at least {FEW_ROWS} are "
            "needed for advice. Nothing was trained."
        )
    if finding.kind == "nothing" and _is_faint(finding.because[0]):
        return (
            "Nothing beats always giving the most frequent answer beyond doubt. The best, "
            f"{finding.subject}, is {_points(advice, finding.because[0])}: alone that would count, "
            "among so many comparisons it does not. More graphs or more splits may tell."
        )
    if finding.kind == "nothing":
        return (
            "Nothing beats always giving the most frequent answer: the best, "
            f"{finding.subject}, is {_points(advice, finding.because[0])}. Either the labels do "
            "not follow from these graphs, or what they follow from is beyond everything tried "
            "here; no remedy against over-squashing can be judged before something works at all."
        )
    over_majority, *controls = finding.because
    claim, shown = CAUSES.get(finding.subject) or (
        "The label is a message from far away"
        if finding.subject in SHORTER_PATHS
        else "The label takes more than the plain backbone",
        f"{finding.subject} reaches",
    )
    text = (
        f"{claim}, as far as anything tried can tell: {shown} {_score(advice, finding.subject)} "
        f"({_points(advice, over_majority)})."
    )
    for control in controls:
        if control.name == finding.subject and control.is_gain:
            text += f" It is not {control.reference}: {_points(advice, control)}."
        elif control.name == finding.subject:
            more = f"Whether it is more than {control.reference} cannot be said"
            text += f" {more}: {_points(advice, control)}."
        elif _is_faint(control):
            text += (
                f" Nothing beats it beyond doubt: the next, {control.name}, is "
                f"{_points(advice, control)}, which alone would count and among so many "
                "comparisons does not."
            )
        else:
            text += f" Nothing beats it: the next, {control.name}, is {_points(advice, control)}."
    return text


def _is_faint(one: Comparison) -> bool:
    """Whether a gain is beyond chance only before it is corrected."""
    return one.mean > 0 and one.difference.p is not None and one.difference.p < LEVEL


def _worth_trying(advice: Advice, finding: Finding) -> str:
    gain, control = finding.because
    text = f"Worth trying: {finding.subject}, {_points(advice, gain)}."
    if control.is_loss:
        text += f" But the forest does better still: {_points(advice, control)}."
    elif not control.is_gain:
        text += f" It is not better than the forest, though: {_points(advice, control)}."
    return text


def _explained(advice: Advice, finding: Finding) -> str:
    gain, control = finding.because
    return (
        f"{finding.subject} helps, {_points(advice, gain)}, but no more than telling the network "
        f"the size: {_points(advice, control)}. Try the method size first."
    )


def _together(advice: Advice, kind: str, group: list[Finding]) -> str:
    each = "; ".join(
        f"{finding.subject} {_amount(advice, finding.because[0])}" for finding in group
    )
    if kind == "idle":
        subjects = ", ".join(finding.subject for finding in group)
        return (
            "In so short a training neither the plain backbone nor these learned anything beyond "
            f"the most frequent answer, so nothing is said of them: {subjects}."
        )
    if kind == "avoid":
        return f"Not worth trying here, in points beside the plain backbone: {each}."
    rows = "nodes" if advice.evidence.of_nodes else "graphs"
    trials = "" if advice.budget is None else f" and {advice.budget.trials} splits"
    return (
        f"Cannot be said with {advice.evidence.rows} {rows}{trials}, in points beside the plain "
        f"backbone: {each}."
    )


DISTANCE = ("far", "near", "distance unknown")


def _about_distance(advice: Advice, finding: Finding) -> str:
    reach = advice.evidence.out_of_reach
    pairs = f"{reach:.0%} of the connected pairs are out of reach of the plain backbone"
    gain, *controls = finding.because
    if finding.kind == "far":
        return (
            f"Distances stand in the way: {pairs}, {finding.subject} gains "
            f"{_amount(advice, gain)} and beats all that knows no distant node "
            f"({_points(advice, controls[0])}). Shorten paths or go deeper."
        )
    if finding.kind == "near":
        return (
            f"Over-squashing is not what holds a model back here: {pairs}, but neither shorter "
            f"paths nor more layers bring what simpler models do not (best: {finding.subject}, "
            f"{_points(advice, gain)}, {_points(advice, controls[0])})."
        )
    return (
        f"Whether distances stand in the way cannot be said: {pairs}, and the best that shortens "
        f"them is {finding.subject}, {_points(advice, gain)}, {_points(advice, controls[0])}."
    )


def scores_grid(advice: Advice) -> Grid:
    """All scores, and how they compare with the majority and with the plain backbone."""
    evidence = advice.evidence
    names = [name for name in (MAJORITY, *EXPLANATIONS, *NETWORKS) if name in evidence.merits]
    over_majority = evidence.compare(names, MAJORITY)
    over_plain = evidence.compare(names, PLAIN) if PLAIN in evidence.merits else {}
    rows = []
    for name in names:
        told = WORDS.get(name) or METHODS[name].summary
        both = [
            _amount(advice, found[name]) if name in found else ""
            for found in (over_majority, over_plain)
        ]
        rows.append((name, _score(advice, name), *both, told))
    return Grid(
        f"Validation {advice.metric.name}",
        "Mean over shared splits; differences with half of the corrected 95 % interval, positive "
        "where better. Test rows are not looked at.",
        ("what", "validation", "minus majority", "minus none", "what it is"),
        rows,
        ends_in_words=True,
    )


def budget_in_words(advice: Advice) -> str:
    """What was measured with how much training."""
    rows = "nodes" if advice.evidence.of_nodes else "graphs"
    text = f"{advice.evidence.rows} {rows} with a target, {advice.metric.name} on validation"
    if advice.budget is not None:
        text += (
            f"; each network {advice.config.backbone.upper()} with "
            f"{counted(advice.config.num_layers, 'hidden layer')}, {advice.budget.trials} splits, "
            f"{advice.budget.epochs} epochs"
        )
    return text


def as_plain(advice: Advice) -> dict[str, Any]:
    """The advice for JSON; what does not exist is null."""
    spreads = {name: advice.summary.spread(name) for name in QUANTITIES}
    keys = ("mean", "least", "median", "greatest")
    return {
        "dataset": advice.title,
        "metric": advice.metric.name,
        "rows": advice.evidence.rows,
        "budget": None if advice.budget is None else vars(advice.budget),
        "sentences": advice_sentences(advice),
        "findings": [
            {
                "kind": finding.kind,
                "subject": finding.subject,
                "because": [
                    {
                        "name": one.name,
                        "reference": one.reference,
                        "difference": one.mean,
                        "half_interval": _finite(one.half),
                        "p": one.p,
                    }
                    for one in finding.because
                ],
            }
            for finding in advice.findings
        ],
        "validation": {
            name: {str(seed): advice.metric.merit(merit) for seed, merit in by_seed.items()}
            for name, by_seed in advice.evidence.merits.items()
        },
        "graphs": {
            name: dict(zip(keys, map(_finite, spread), strict=True))
            for name, spread in spreads.items()
        },
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _score(advice: Advice, name: str) -> str:
    """The mean score of something in the metric's unit."""
    mean = advice.metric.merit(advice.evidence.mean(name))
    percent = " %" if advice.metric.unit.scale == 100 else ""
    return f"{_number(advice, mean)}{percent}"


def _number(advice: Advice, value: float, sign: str = "") -> str:
    """A number in the metric's unit, percents with one digit."""
    digits = 1 if advice.metric.unit.scale == 100 else 3
    rounded = round(advice.metric.unit.scale * value, digits) + 0.0  # no -0.0
    return f"{rounded:{sign}.{digits}f}"


def _amount(advice: Advice, one: Comparison) -> str:
    half = "?" if math.isinf(one.half) else _number(advice, one.half)
    return f"{_number(advice, one.mean, '+')} ± {half}"


def _points(advice: Advice, one: Comparison) -> str:
    points = " points" if advice.metric.unit.scale == 100 else ""
    return f"{_amount(advice, one)}{points} beside {one.reference}"
