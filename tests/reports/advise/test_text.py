"""What is said about made-up scores."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from panda_gnn.diagnostics import summarise_dataset
from panda_gnn.evaluation.advice.advice import Advice
from panda_gnn.evaluation.advice.plan import NETWORKS, Budget
from panda_gnn.evaluation.advice.rules import Finding, findings
from panda_gnn.evaluation.config import Config
from panda_gnn.evaluation.metrics import ACCURACY
from panda_gnn.reports.advise.page import advice_page
from panda_gnn.reports.advise.terminal import print_advice
from panda_gnn.reports.advise.text import advice_sentences, as_plain
from tests.evaluation.advice.made_up import made_up
from tests.odd_graphs import ODD_GRAPHS


def advice_on(**changes: Any) -> Advice:
    evidence = made_up(**changes)
    summary = summarise_dataset([ODD_GRAPHS["path"], ODD_GRAPHS["barbell"]], 5)
    found = findings(evidence)
    return Advice("made up", ACCURACY, summary, evidence, found, Config("made up"), Budget(10, 60))


def test_size_and_what_its_control_says() -> None:
    scores = {"size alone": 0.95, "local structure": 0.95, "virtual-node": 0.9, "size": 0.94}
    first, *others = advice_sentences(advice_on(scores=scores))
    assert first.startswith("The label follows the size")
    assert "points beside majority" in first
    assert "Nothing beats it: the next, " in first
    assert others[0].startswith("virtual-node helps, +")
    assert "but no more than telling the network the size: " in others[0]
    assert others[-1].startswith("Over-squashing is not what holds a model back here")


@pytest.mark.parametrize(("mean", "doubt"), [(0.05, " beyond doubt"), (-0.05, "")])
def test_what_counts_only_before_the_correction(mean: float, doubt: str) -> None:
    advice = advice_on(scores={"size alone": 0.95})
    over_majority, following = advice.findings[0].because
    difference = replace(following.difference, mean=mean, p=0.01)
    faint = Finding(
        "cause", "size alone", (over_majority, replace(following, difference=difference, p=0.2))
    )
    said = advice_sentences(replace(advice, findings=[faint]))[0]
    assert f"Nothing beats it{doubt}: the next, " in said
    assert ("alone would count" in said) == (mean > 0)


def test_nothing_has_no_sign() -> None:
    advice = advice_on(scores={"size alone": 0.95})
    over_majority, following = advice.findings[0].because
    nothing = replace(following, difference=replace(following.difference, mean=-1e-5))
    finding = Finding("cause", "size alone", (over_majority, nothing))
    assert " is +0.0 ± " in advice_sentences(replace(advice, findings=[finding]))[0]


def test_structure_message_noise_and_few() -> None:
    advice = advice_on(scores={"local structure": 0.95})
    structure = advice_sentences(advice)[0]
    assert structure.startswith("The label is in the local structure")
    assert "It is not " in structure
    over_majority, control, _ = advice.findings[0].because
    weak = Finding("cause", "local structure", (over_majority, replace(control, p=0.5)))
    assert "Whether it is more than" in advice_sentences(replace(advice, findings=[weak]))[0]
    message = advice_sentences(advice_on(scores={"fosr": 0.8}))
    assert message[0].startswith("The label is a message from far away")
    assert message[-1].startswith("Distances stand in the way: 30% of the connected pairs")
    noise = advice_on()
    assert advice_sentences(noise)[0].startswith("Nothing beats always giving")
    best = noise.findings[0].because[0]
    faint = replace(best, difference=replace(best.difference, p=0.03))
    found = [Finding("nothing", best.name, (faint,))]
    assert (
        "More graphs or more splits may tell" in advice_sentences(replace(noise, findings=found))[0]
    )
    alone = replace(best, difference=replace(best.difference, p=0.05))
    found = [Finding("nothing", best.name, (alone,))]
    assert "More graphs" not in advice_sentences(replace(noise, findings=found))[0]
    few = advice_sentences(advice_on(rows=30))
    assert len(few) == 1
    assert few[0].startswith(
        "Too few graphs to tell: with 30 of them an accuracy is uncertain by 18"
    )
    high = advice_on(scores=dict.fromkeys(NETWORKS, 0.9), noise=0.15)
    said = advice_sentences(high)
    assert any(text.startswith("Cannot be said with 400 graphs and 10 splits") for text in said)
    assert said[-1].startswith("Whether distances stand in the way cannot be said")


def test_the_same_in_the_terminal_on_the_page_and_in_json() -> None:
    advice = advice_on(scores={"fosr": 0.8})
    console = Console(width=200, record=True, file=StringIO())
    print_advice(advice, console)
    text = console.export_text()
    page = advice_page(advice, "panda advise made-up")
    plain = json.loads(json.dumps(as_plain(advice), allow_nan=False))
    for sentence in advice_sentences(advice):
        assert sentence[:80] in text
        assert sentence[:40] in page
    assert plain["sentences"] == advice_sentences(advice)
    assert plain["findings"][0]["subject"] == "fosr"
    assert set(plain["validation"]) == set(advice.evidence.merits)
    assert re.findall(r'(?:src|href)="([^"#]+)', page) == []
    assert page.count('<th scope="col" class="text">what it is</th>') == 2  # words are not numbers
    assert "the 10 nodes of highest betweenness have 128" in page  # not the paper's best settings
    assert '<td class="wrap">the plain backbone with twice the layers</td>' in page
    assert "10 splits, 60 epochs" in text
