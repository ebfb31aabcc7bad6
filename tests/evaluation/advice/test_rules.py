"""The rules of advice on made-up scores."""

from __future__ import annotations

from dataclasses import replace

import pytest

from panda_gnn.evaluation.advice.plan import CANDIDATES, DEEPER, NETWORKS
from panda_gnn.evaluation.advice.rules import Finding, findings
from tests.evaluation.advice.made_up import made_up

ALL_HIGH = dict.fromkeys(NETWORKS, 0.9)


def by_subject(found: list[Finding]) -> dict[str, str]:
    return {
        one.subject: one.kind for one in found if one.kind in ("try", "avoid", "unknown", "idle")
    }


@pytest.mark.parametrize(("rows", "of_nodes", "what"), [(30, False, "graphs"), (99, True, "nodes")])
def test_too_few(rows: int, of_nodes: bool, what: str) -> None:
    evidence = made_up(scores={"size alone": 0.99}, rows=rows, of_nodes=of_nodes)
    assert findings(evidence) == [Finding("few", what)]


def test_noise() -> None:
    (only,) = findings(made_up())
    assert only.kind == "nothing"
    assert only.because[0].reference == "majority"


def test_size_is_the_simplest_explanation() -> None:
    scores = {"size alone": 0.95, "local structure": 0.95, "virtual-node": 0.9, "size": 0.94}
    cause, *others = findings(made_up(scores=scores))
    assert (cause.kind, cause.subject) == ("cause", "size alone")
    assert [one.reference for one in cause.because] == ["majority", "size alone"]
    remedy = others[0]
    assert (remedy.kind, remedy.subject) == ("explained", "virtual-node")
    assert [one.reference for one in remedy.because] == ["none", "size"]
    assert others[-1].kind == "near"  # shorter paths bring nothing that the size does not


def test_structure_is_said_with_the_control_that_it_is_not_size() -> None:
    cause, *others = findings(made_up(scores={"local structure": 0.95, "centralities": 0.8}))
    assert (cause.kind, cause.subject) == ("cause", "local structure")
    assert cause.because[1].reference in ("size alone", "features alone")
    assert cause.because[1].is_gain
    assert by_subject(others)["centralities"] == "try"
    assert others[0].because[-1].is_loss  # the forest does better still


@pytest.mark.parametrize("method", ["fosr", DEEPER])
def test_a_message_from_far_away(method: str) -> None:
    cause, *others = findings(made_up(scores={method: 0.9}))
    assert (cause.kind, cause.subject) == ("cause", method)
    assert cause.because[1].reference not in NETWORKS
    assert (others[-1].kind, others[-1].subject) == ("far", method)
    assert {one.kind for one in others[:-1]} == {"try", "idle"}


def test_plain_message_passing_is_enough() -> None:
    cause, *others = findings(made_up(scores=ALL_HIGH, noise=0.005))
    assert (cause.kind, cause.subject) == ("cause", "none")
    assert by_subject(others) == dict.fromkeys((*CANDIDATES, DEEPER), "avoid")
    assert others[-1].kind == "near"


def test_networks_that_learn_nothing_are_not_judged() -> None:
    cause, *others = findings(made_up(scores={"local structure": 0.95}))
    assert cause.subject == "local structure"
    assert {one.kind for one in others[:-1]} == {"idle"}
    assert others[-1].kind == "near"  # the forest beats them all


def test_what_is_uncertain_is_not_said() -> None:
    cause, *others = findings(made_up(scores={**ALL_HIGH, "features alone": 0.9}, noise=0.15))
    assert cause.kind == "cause"
    assert set(by_subject(others).values()) <= {"unknown", "avoid"}
    assert others[-1].kind == "distance unknown"


def test_a_loss_is_not_worth_trying() -> None:
    _, *others = findings(made_up(scores={**ALL_HIGH, "virtual-node": 0.6}))
    assert by_subject(others)["virtual-node"] == "avoid"


def test_trainings_that_failed_leave_the_rest() -> None:
    evidence = made_up(scores={"features alone": 0.9})
    merits = {k: v for k, v in evidence.merits.items() if k not in NETWORKS}
    (cause,) = findings(replace(evidence, merits=merits))
    assert (cause.kind, cause.subject) == ("cause", "features alone")


def test_nodes_have_no_size() -> None:
    evidence = made_up(scores=ALL_HIGH, noise=0.005, of_nodes=True)
    merits = {k: v for k, v in evidence.merits.items() if k not in ("size", "size alone")}
    cause, *_ = findings(replace(evidence, merits=merits))
    assert cause.subject == "none"
